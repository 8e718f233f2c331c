import * as z from "zod/mini";
import { reasoningEfforts } from "../provider-kinds.ts";
import { limits } from "../limits.ts";
import { anyId, described, namedObject } from "./fields.ts";
import { endpoints } from "./endpoints.ts";

export const reasoningEffort = described(
  z.enum(reasoningEfforts, `must be one of ${reasoningEfforts.join(", ")}`),
  "How hard the model thinks before it answers.",
);

export const modelInput = z.enum(["image", "pdf", "audio"]);

export const model = namedObject(
  "Model",
  "An available model. The provider `builtin` is the built-in assistant, which needs no model provider.",
  {
    id: described(z.string(), "The provider's id, a slash, and the model's id there: `openai/gpt-5`."),
    name: z.string(),
    provider: described(z.string(), "The provider's id."),
    provider_name: z.string(),
    reads: described(
      z.array(modelInput),
      "Files that it probably accepts directly. Of other files it gets the extracted text, if any.",
    ),
    efforts: described(
      z.array(reasoningEffort),
      "The reasoning efforts that can be chosen; empty if it has none or they are not known.",
    ),
    tools: described(z.nullable(z.boolean()), "Whether it can call tools; null if unknown."),
    is_local: described(
      z.boolean(),
      "Whether it is in this server's own network, as far as is known. Only such models answer where only local ones are allowed.",
    ),
    context_tokens: described(
      z.nullable(z.number()),
      "How many tokens a conversation may have; null if unknown.",
    ),
    output_tokens: described(z.nullable(z.number()), "How many tokens an answer may have; null if unknown."),
    prices: described(
      z.nullable(
        z.object({
          input: z.number(),
          output: z.number(),
          cached: described(z.nullable(z.number()), "For input that the provider has cached."),
        }),
      ),
      "In US dollars per million tokens: as administrators set them, the list prices of the provider, or list prices as old as this version of the server. Null if unknown.",
    ),
  },
);
export type { ReasoningEffort } from "../provider-kinds.ts";
export type ModelInfo = z.infer<typeof model>;
export type ModelPrices = NonNullable<ModelInfo["prices"]>;
/** A kind of file that some models accept directly. */
export type ModelInput = ModelInfo["reads"][number];

const modelList = z.object({
  models: z.array(model),
  default_model: z.string(),
  local_only: described(z.boolean(), "Requests to models outside of the server's own network are refused."),
  suggestions: described(z.boolean(), "Whether this server suggests follow-up questions."),
});

const modelSettingFields = z.object({
  small_model: described(
    z.nullable(anyId),
    "The id of the model that writes titles, summaries and suggestions; null for the one that answers.",
  ),
  titles: described(z.boolean(), "Whether a model titles threads. If not, the first words do."),
  summaries: described(
    z.boolean(),
    "Whether long threads are summarized automatically. People can always ask for it.",
  ),
  suggestions: described(z.boolean(), "Whether people can get follow-up questions."),
  local_only: described(
    z.boolean(),
    "Whether only models at addresses of this server's own network may be used, by everyone and for every purpose. Only the owner changes it.",
  ),
  steps_max: described(
    z.number().check(z.int(), z.minimum(1), z.maximum(limits.runStepsMax)),
    `How many requests to its model an answer may take: each step after tool calls is one. Default: ${limits.runSteps}.`,
  ),
});

const modelSettings = modelSettingFields.check(
  z.meta({ id: "ModelSettings", description: "The settings for all models of the server." }),
);
export type ModelSettings = z.infer<typeof modelSettings>;

const storedSettings = z.object({
  settings: modelSettings,
  from_environment: described(
    z.object({
      local_only: z.boolean(),
      summary_model: described(z.nullable(z.string()), "A model's id, `off`, or null."),
    }),
    "What environment variables require, whatever the settings say: PARLANCE_LOCAL_ONLY and PARLANCE_SUMMARY_MODEL.",
  ),
});
export type StoredModelSettings = z.infer<typeof storedSettings>;

export const modelEndpoints = endpoints("account", {
  "models.list": {
    request: "GET /v1/models",
    caller: "visitor",
    summary: "List models",
    description: "`default_model` answers if no model is chosen.",
    response: modelList,
  },
  "modelSettings.get": {
    request: "GET /v1/model-settings",
    permission: "models.manage",
    summary: "Get the settings of models",
    description: "Which small tasks models do, which model does them, and whether models must be local.",
    response: storedSettings,
  },
  "modelSettings.put": {
    request: "PUT /v1/model-settings",
    permission: "models.manage",
    audit: "model-settings-changed",
    summary: "Change the settings of models",
    description:
      "What is absent stays. Changes apply at once, in every process, also to the next step of answers in progress. A small model that does not exist is no error: the model that answers does its work. Administrators who are not the owner change everything but `local_only`.",
    body: z.partial(modelSettingFields),
    bodyBytesMax: limits.formBodyBytes,
    example: {
      body: { small_model: null, suggestions: true },
    },
  },
});
