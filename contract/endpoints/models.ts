import * as z from "zod/mini";
import type { Endpoints } from "../endpoint.ts";

export const model = z
  .object({
    id: z.string().check(z.describe("The provider's id, a slash, and the model's id there: `openai/gpt-5`.")),
    name: z.string(),
    provider: z.string().check(z.describe("The provider's id.")),
    provider_name: z.string(),
    reads: z
      .array(z.enum(["image", "pdf", "audio"]))
      .check(
        z.describe(
          "Files that it probably accepts directly. Of other files it gets the extracted text, if any.",
        ),
      ),
  })
  .check(
    z.meta({
      id: "Model",
      description:
        "An available model. The provider `builtin` is the built-in assistant, which needs no model provider.",
    }),
  );
export type ModelInfo = z.infer<typeof model>;
/** A kind of file that some models accept directly. */
export type ModelInput = ModelInfo["reads"][number];

export const modelList = z.object({ models: z.array(model), default_model: z.string() });
export type ModelList = z.infer<typeof modelList>;

export const modelEndpoints = {
  "models.list": {
    method: "GET",
    path: "/v1/models",
    caller: "visitor",
    summary: "List models",
    description: "`default_model` answers if no model is chosen.",
    kind: "json",
    status: 200,
    response: modelList,
  },
} as const satisfies Endpoints;
