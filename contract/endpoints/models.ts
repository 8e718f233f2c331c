import * as z from "zod/mini";
import { reasoningEfforts } from "../provider-kinds.ts";
import type { Endpoints } from "../endpoint.ts";

export const reasoningEffort = z
  .enum(reasoningEfforts, `must be one of ${reasoningEfforts.join(", ")}`)
  .check(z.describe("How hard the model thinks before it answers."));

export const modelInput = z.enum(["image", "pdf", "audio"]);

export const model = z
  .object({
    id: z.string().check(z.describe("The provider's id, a slash, and the model's id there: `openai/gpt-5`.")),
    name: z.string(),
    provider: z.string().check(z.describe("The provider's id.")),
    provider_name: z.string(),
    reads: z
      .array(modelInput)
      .check(
        z.describe(
          "Files that it probably accepts directly. Of other files it gets the extracted text, if any.",
        ),
      ),
    efforts: z
      .array(reasoningEffort)
      .check(
        z.describe("The reasoning efforts that can be chosen; empty if it has none or they are not known."),
      ),
    tools: z.nullable(z.boolean()).check(z.describe("Whether it can call tools; null if unknown.")),
    context_tokens: z
      .nullable(z.number())
      .check(z.describe("How many tokens a conversation may have; null if unknown.")),
    output_tokens: z
      .nullable(z.number())
      .check(z.describe("How many tokens an answer may have; null if unknown.")),
    prices: z
      .nullable(
        z.object({
          input: z.number(),
          output: z.number(),
          cached: z.nullable(z.number()).check(z.describe("For input that the provider has cached.")),
        }),
      )
      .check(
        z.describe(
          "In US dollars per million tokens: as the owner set them, the list prices of the provider, or list prices as old as this version of the server. Null if unknown.",
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
export type { ReasoningEffort } from "../provider-kinds.ts";
export type ModelInfo = z.infer<typeof model>;
export type ModelPrices = NonNullable<ModelInfo["prices"]>;
/** A kind of file that some models accept directly. */
export type ModelInput = ModelInfo["reads"][number];

export const modelList = z.object({ models: z.array(model), default_model: z.string() });

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
