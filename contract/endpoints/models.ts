import * as z from "zod/mini";
import { reasoningEfforts } from "../provider-kinds.ts";
import { limits } from "../limits.ts";
import { anyId, emptyObject } from "./fields.ts";
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
    is_local: z
      .boolean()
      .check(
        z.describe(
          "Whether it is in this server's own network, as far as is known. Only such models answer where only local ones are allowed.",
        ),
      ),
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
          "In US dollars per million tokens: as administrators set them, the list prices of the provider, or list prices as old as this version of the server. Null if unknown.",
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

const modelList = z.object({
  models: z.array(model),
  default_model: z.string(),
  local_only: z
    .boolean()
    .check(z.describe("Requests to models outside of the server's own network are refused.")),
  suggestions: z.boolean().check(z.describe("Whether this server suggests follow-up questions.")),
});

const modelSettingFields = z.object({
  small_model: z
    .nullable(anyId)
    .check(
      z.describe(
        "The id of the model that writes titles, summaries and suggestions; null for the one that answers.",
      ),
    ),
  titles: z.boolean().check(z.describe("Whether a model titles threads. If not, the first words do.")),
  summaries: z
    .boolean()
    .check(z.describe("Whether long threads are summarized automatically. People can always ask for it.")),
  suggestions: z.boolean().check(z.describe("Whether people can get follow-up questions.")),
  local_only: z
    .boolean()
    .check(
      z.describe(
        "Whether only models at addresses of this server's own network may be used, by everyone and for every purpose. Only the owner changes it.",
      ),
    ),
});

const modelSettings = modelSettingFields.check(
  z.meta({ id: "ModelSettings", description: "The settings for all models of the server." }),
);
export type ModelSettings = z.infer<typeof modelSettings>;

const storedSettings = z.object({
  settings: modelSettings,
  from_environment: z
    .object({
      local_only: z.boolean(),
      summary_model: z.nullable(z.string()).check(z.describe("A model's id, `off`, or null.")),
    })
    .check(
      z.describe(
        "What environment variables require, whatever the settings say: PARLANCE_LOCAL_ONLY and PARLANCE_SUMMARY_MODEL.",
      ),
    ),
});
export type StoredModelSettings = z.infer<typeof storedSettings>;

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
  "modelSettings.get": {
    method: "GET",
    path: "/v1/model-settings",
    caller: "account",
    permission: "models.manage",
    summary: "Get the settings of models",
    description: "Which small tasks models do, which model does them, and whether models must be local.",
    kind: "json",
    status: 200,
    response: storedSettings,
  },
  "modelSettings.put": {
    method: "PUT",
    path: "/v1/model-settings",
    caller: "account",
    permission: "models.manage",
    audit: "model-settings-changed",
    summary: "Change the settings of models",
    description:
      "What is absent stays. Changes apply at once, in every process, also to the next step of answers in progress. A small model that does not exist is no error: the model that answers does its work. Administrators who are not the owner change everything but `local_only`.",
    body: z.partial(modelSettingFields),
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 200,
    response: emptyObject,
    example: {
      body: { small_model: null, suggestions: true },
    },
  },
} as const satisfies Endpoints;
