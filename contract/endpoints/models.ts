import * as z from "zod/mini";
import type { Endpoints } from "../endpoint.ts";

/** A model that may be chosen. `provider` is "builtin" for the assistant that needs none. */
export const model = z
  .object({
    id: z.string(),
    name: z.string(),
    provider: z.string(),
    reads: z
      .array(z.enum(["image", "pdf", "audio"]))
      .check(
        z.describe(
          "Which files it is given as they are, as far as is known. Of others it is given the text, where they have any.",
        ),
      ),
  })
  .check(
    z.meta({
      id: "Model",
      description: "A model that may be chosen. The provider builtin is the assistant that needs none.",
    }),
  );
export type ModelInfo = z.infer<typeof model>;
/** A kind of file that some models read as it is. */
export type ModelInput = ModelInfo["reads"][number];

export const modelList = z.object({ models: z.array(model), default_model: z.string() });
export type ModelList = z.infer<typeof modelList>;

export const modelEndpoints = {
  "models.list": {
    method: "GET",
    path: "/v1/models",
    caller: "visitor",
    summary: "The models that can be chosen",
    description: "`default_model` answers where none is named.",
    kind: "json",
    status: 200,
    response: modelList,
  },
} as const satisfies Endpoints;
