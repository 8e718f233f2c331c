import * as z from "zod/mini";

/** A model that may be chosen. `provider` is "builtin" for the assistant that needs none. */
export const model = z.object({ id: z.string(), name: z.string(), provider: z.string() }).check(
  z.meta({
    id: "Model",
    description: "A model that may be chosen. The provider builtin is the assistant that needs none.",
  }),
);
export type ModelInfo = z.infer<typeof model>;

export const modelList = z.object({ models: z.array(model), default_model: z.string() });
export type ModelList = z.infer<typeof modelList>;
