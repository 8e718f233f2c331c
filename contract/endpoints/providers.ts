import * as z from "zod/mini";
import { errors, type ErrorCode } from "../errors.ts";
import { limits } from "../limits.ts";
import { providerKindIds } from "../provider-kinds.ts";
import { anyId, described, namedObject, wholeNumber } from "./fields.ts";
import { modelInput, reasoningEffort } from "./models.ts";
import { endpoints } from "./endpoints.ts";

const kind = z.enum(providerKindIds, `must be one of ${providerKindIds.join(", ")}`);

/** Text of one line, without spaces at its ends. */
function line(max: number) {
  return z.string().check(
    z.trim(),
    z.minLength(1, "must not be empty"),
    z.maxLength(max, `must have at most ${max} characters`),
    z.refine((text) => !/\p{Cc}|[\u2028\u2029]/u.test(text), "must be one line without control characters"),
  );
}

const providerName = described(line(limits.providerNameCharacters), "The name that people see.");

const baseUrl = described(
  z.string().check(
    z.trim(),
    z.maxLength(limits.providerUrlCharacters, `must have at most ${limits.providerUrlCharacters} characters`),
    z.refine(
      (text) => text === "" || isBaseUrl(text),
      "must be a URL such as https://api.example.com/v1, without a user name, a query or a fragment",
    ),
  ),
  "The URL of the API; empty for the usual one of this kind.",
);

function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === "";
}

/** Printable ASCII, because it is sent in a header. */
const apiKey = described(
  z.string().check(
    z.trim(),
    z.maxLength(limits.providerKeyCharacters, `must have at most ${limits.providerKeyCharacters} characters`),
    z.refine(
      (text) => /^[\x21-\x7e]+$/.test(text),
      "must be one line of letters, digits and punctuation, without spaces",
    ),
  ),
  "The key. It is stored encrypted and never returned.",
);

const modelId = described(line(limits.nameCharacters), "The model's id at the provider.");

/** In US dollars per million tokens. No model costs a thousandth of the maximum. */
const price = z.number().check(
  z.refine(
    (value) => value >= 0 && value <= limits.modelPriceMax,
    `must be a number from 0 to ${limits.modelPriceMax}`,
  ),
  z.meta({ minimum: 0, maximum: limits.modelPriceMax }),
);

function eachOnce<Value>(schema: z.ZodMiniType<Value>) {
  return z
    .array(schema)
    .check(z.refine((values) => new Set(values).size === values.length, "must not name a value twice"));
}

const tokenCount = wholeNumber(1, limits.modelTokensMax);

const modelFacts = namedObject(
  "OfferedModelFacts",
  "Facts about a model that an administrator entered. They override the provider's.",
  {
    context_tokens: described(z.optional(tokenCount), "How many tokens a conversation may have."),
    output_tokens: described(z.optional(tokenCount), "How many tokens an answer may have."),
    prices: described(
      z.optional(
        z
          .object({
            input: price,
            output: price,
            cached: described(z.optional(z.nullable(price)), "For input that the provider has cached."),
          })
          .check(
            z.refine(({ input, cached }) => cached == null || cached <= input, {
              path: ["cached"],
              message: "must not be higher than the price of other input",
            }),
          ),
      ),
      "In US dollars per million tokens.",
    ),
    reads: described(z.optional(eachOnce(modelInput)), "The files that it accepts directly."),
    tools: described(z.optional(z.boolean()), "Whether it can call tools. Without, it gets none."),
    efforts: described(z.optional(eachOnce(reasoningEffort)), "The reasoning efforts that it has."),
  },
);
export type OfferedModelFacts = z.infer<typeof modelFacts>;

const offeredModel = namedObject("OfferedModel", "A model that people can choose.", {
  id: modelId,
  name: described(
    z.string().check(
      z.trim(),
      z.maxLength(limits.nameCharacters, `must have at most ${limits.nameCharacters} characters`),
      z.refine((text) => !/\p{Cc}/u.test(text), "must be one line without control characters"),
    ),
    "The name that people see; empty for the provider's.",
  ),
  facts: z.optional(modelFacts),
});

export type OfferedModel = z.infer<typeof offeredModel>;

const offeredModels = described(
  z.nullable(
    z.array(offeredModel).check(
      z.maxLength(limits.offeredModelsMax, `must be at most ${limits.offeredModelsMax}`),
      z.refine(
        (models) => new Set(models.map(({ id }) => id)).size === models.length,
        "must not name a model twice",
      ),
    ),
  ),
  "The models that people can choose, in order; null for all that the provider lists.",
);

const errorCode = z.enum(Object.keys(errors) as [ErrorCode, ...ErrorCode[]]);

export const provider = namedObject("Provider", "A connected model provider.", {
  id: described(z.string(), "The first part of the ids of its models."),
  kind,
  name: z.string(),
  base_url: z.string(),
  key_last_four: described(z.nullable(z.string()), "Null without a key."),
  models: offeredModels,
  default_model: described(
    z.nullable(z.string()),
    "The server's default model, if an administrator chose one of this provider's.",
  ),
  state: described(
    z.enum(["ready", "key-needed", "failing"]),
    "`key-needed`: there is no key, or it was encrypted with another secret. `failing`: its models cannot be listed.",
  ),
  problem: described(z.nullable(errorCode), "Why its models cannot be listed."),
  listed: described(
    z.array(z.object({ id: z.string(), name: z.string() })),
    "The models that the provider lists, as last known.",
  ),
  from_environment: described(
    z.boolean(),
    "It is configured by environment variables and cannot be changed here.",
  ),
  version: described(z.number(), "Counts its changes."),
});
export type ProviderInfo = z.infer<typeof provider>;

const place = { kind, base_url: z.optional(baseUrl), api_key: z.optional(apiKey) };

export const providerCreate = z.object({
  ...place,
  name: providerName,
  models: z.optional(offeredModels),
  default_model: z.optional(z.nullable(modelId)),
});
export type ProviderCreate = z.infer<typeof providerCreate>;

export const providerUpdate = z.object({
  version: described(
    wholeNumber(1, Number.MAX_SAFE_INTEGER),
    "The version that you changed. Another one is refused.",
  ),
  name: z.optional(providerName),
  base_url: z.optional(baseUrl),
  api_key: described(z.optional(z.nullable(apiKey)), "The new key, or null to delete it."),
  models: z.optional(offeredModels),
  default_model: described(
    z.optional(z.nullable(modelId)),
    "Makes this model the server's default, or ends that.",
  ),
});
export type ProviderUpdate = z.infer<typeof providerUpdate>;

const providerTest = z.object({
  ...place,
  provider_id: described(
    z.optional(anyId),
    "Uses the stored key of this provider, if the base URL is on the same host.",
  ),
  model: described(
    z.optional(modelId),
    "The model to ask. By default a small one of those that the provider lists.",
  ),
});
export type ProviderTest = z.infer<typeof providerTest>;

export const providerTestResult = namedObject("ProviderTestResult", "Whether a provider answers.", {
  problem: described(z.nullable(errorCode), "Null if the model answered."),
  detail: described(z.nullable(z.string()), "What the provider said about the problem."),
  model: described(z.nullable(z.string()), "The model that was asked."),
  latency_ms: described(z.nullable(z.number()), "Until the first part of its answer."),
  models: described(
    z.array(z.object({ id: z.string(), name: z.string() })),
    "The models that the provider lists.",
  ),
});
export type ProviderTestResult = z.infer<typeof providerTestResult>;

export const providerSuggestion = namedObject(
  "ProviderSuggestion",
  "A model server on the server's own machine.",
  { kind, name: z.string(), base_url: z.string(), models: z.number() },
);
export type ProviderSuggestion = z.infer<typeof providerSuggestion>;

/** The stages of a download as Ollama names them, and the bytes of all files that it knows by then. */
export type PullEvent =
  | { type: "pull-progress"; status: string; completed: number; total: number }
  | { type: "pull-end" }
  | { type: "pull-failed"; code: ErrorCode };

/** Errors of requests to a provider's own server. */
const serverErrors = [
  "provider-private",
  "provider-not-found",
  "provider-unreachable",
  "provider-not-a-model",
  "provider-refused-key",
  "provider-refused",
  "provider-model-unknown",
  "provider-overloaded",
  "provider-rate-limited",
  "provider-broke-off",
] as const satisfies ErrorCode[];

const oneProvider = z.object({ provider });

const common = { caller: "account", permission: "models.manage" } as const;

export const providerEndpoints = endpoints(common, {
  "providers.list": {
    request: "GET /v1/providers",
    summary: "List model providers",
    description:
      "In order, the one of the environment first. The first model of the first provider is the default one, unless an administrator chose another. Keys are not included.",
    response: z.object({ providers: z.array(provider) }),
  },
  "providers.create": {
    request: "POST /v1/providers",
    audit: "provider-added",
    summary: "Add a model provider",
    description:
      "Everyone can choose its models immediately. With PostgreSQL, a key needs the setting PARLANCE_SECRET. Only the owner connects a server in the operator's own network.",
    body: providerCreate,
    bodyBytesMax: limits.formBodyBytes,
    status: 201,
    response: oneProvider,
    errors: ["too-many-providers", "secret-not-set", "provider-private"],
    example: {
      body: { kind: "ollama", name: "Workshop", base_url: "http://127.0.0.1:11434" },
    },
  },
  "providers.update": {
    request: "PUT /v1/providers/{provider_id}",
    audit: "provider-changed",
    summary: "Change a model provider",
    description:
      "Changes the given fields only. A stored key is not sent to another host: to change the host, send the key again. Answers in progress are completed with the previous settings.",
    body: providerUpdate,
    bodyBytesMax: limits.formBodyBytes,
    response: oneProvider,
    errors: ["provider-changed", "secret-not-set", "provider-private"],
    example: { body: { version: 1, name: "Workshop, upstairs" } },
  },
  "providers.reorder": {
    request: "PUT /v1/providers",
    audit: "providers-reordered",
    summary: "Reorder model providers",
    description:
      "Sets the order of the providers and of their models. Repeating the request changes nothing.",
    body: z.object({
      provider_ids: described(
        z.array(anyId).check(z.maxLength(limits.providersMax, `must be at most ${limits.providersMax}`)),
        "In the new order. Providers that are not listed follow. Unknown ids are ignored.",
      ),
    }),
    example: { body: { provider_ids: ["$PROVIDER_ID"] } },
  },
  "providers.pull": {
    request: "POST /v1/providers/{provider_id}/pulls",
    audit: "model-downloaded",
    summary: "Download a model to an Ollama server",
    description:
      "Only for providers of the kind `ollama`, also the one of the environment. Disconnecting stops the download. Ollama keeps what it has and continues with it the next time.",
    body: z.object({ model: modelId }),
    kind: "events",
    streamDescription:
      "Server-sent events: `pull-progress` with Ollama's `status` and the `completed` bytes of the `total`, which grows as Ollama finds the files of the model, then `pull-end`, or `pull-failed` with an error `code`. A stream with neither is incomplete.",
    errors: [...serverErrors, "too-many-streams"],
    example: { body: { model: "llama3.2" } },
  },
  "providers.removeModel": {
    request: "POST /v1/providers/{provider_id}/removals",
    audit: "model-deleted",
    summary: "Delete a model from an Ollama server",
    description:
      "Only for providers of the kind `ollama`. Deletes the model from the server's disk. A model that does not exist is no error.",
    body: z.object({ model: modelId }),
    errors: serverErrors,
    example: { body: { model: "llama3.2" } },
  },
  "providers.remove": {
    request: "DELETE /v1/providers/{provider_id}",
    audit: "provider-removed",
    summary: "Remove a model provider",
    description:
      "Deletes it and its key. Answers in progress are completed. Threads and assistants with its models continue with the default model, with a note in the next answer.",
  },
  "providers.test": {
    request: "POST /v1/providers/test",
    audit: { none: "no-change" },
    summary: "Test a model provider",
    description: "Requests the list of models and a very short answer. Stores nothing.",
    body: providerTest,
    response: providerTestResult,
    errors: ["provider-not-found", "provider-private"],
    example: { body: { kind: "ollama", base_url: "http://127.0.0.1:11434" } },
  },
  "providers.suggestions": {
    request: "GET /v1/providers/suggestions",
    summary: "Find model servers on the server's machine",
    description:
      "Looks for Ollama and LM Studio at their usual ports of the server's own machine, and nowhere else.",
    response: z.object({ suggestions: z.array(providerSuggestion) }),
  },
});
