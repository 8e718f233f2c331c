import * as z from "zod/mini";
import { endpoints } from "./endpoints.ts";
import { limits } from "../limits.ts";
import { described, jsonObject, name, textOf, wholeNumber } from "./fields.ts";
import { reasoningEffort } from "./models.ts";

/**
 * The endpoints of OpenAI's API that editors and scripts use, for the models and assistants of this server. They are not
 * in `api`, because requests, responses and errors have OpenAI's format: https://platform.openai.com/docs/api-reference.
 * Fields that are not listed here are ignored.
 */

const messagesMax = 10_000;
/** Texts of one request for embeddings, as in OpenAI's API. */
const textsMax = 2_048;

const dataUrl = z
  .string()
  .check(
    z.regex(
      /^data:[\w.+-]+\/[\w.+-]+;base64,/,
      "must be a data URL with base64: this server fetches no URLs",
    ),
  );

const userPart = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("image_url"), image_url: z.object({ url: dataUrl }) }),
  z.object({
    type: z.literal("input_audio"),
    input_audio: z.object({ data: z.string(), format: z.enum(["wav", "mp3"]) }),
  }),
  z.object({
    type: z.literal("file"),
    file: z.object({ file_data: dataUrl, filename: z.optional(z.string()) }),
  }),
]);

const textPart = z.object({ type: z.literal("text"), text: z.string() });
const texts = z.union([z.string(), z.array(textPart)]);

const toolCall = z.object({
  id: textOf(1, 1_000),
  type: z.literal("function"),
  function: z.object({ name, arguments: z.string() }),
});

const chatMessage = z.discriminatedUnion("role", [
  z.object({ role: z.literal("system"), content: texts }),
  z.object({ role: z.literal("developer"), content: texts }),
  z.object({ role: z.literal("user"), content: z.union([z.string(), z.array(userPart)]) }),
  z.object({
    role: z.literal("assistant"),
    content: z.optional(z.nullable(texts)),
    tool_calls: z.optional(z.nullable(z.array(toolCall))),
  }),
  z.object({ role: z.literal("tool"), tool_call_id: textOf(1, 1_000), content: texts }),
]);
export type ChatMessage = z.output<typeof chatMessage>;
export type ChatUserPart = z.output<typeof userPart>;

const optionalNumber = (min: number, max: number) =>
  z.optional(
    z.nullable(
      z.number().check(z.minimum(min, `must be at least ${min}`), z.maximum(max, `must be at most ${max}`)),
    ),
  );

const chatBody = z.object({
  model: described(
    name,
    "The id of a model, such as `openai/gpt-5`, or `assistant/` and the id of an assistant.",
  ),
  messages: z
    .array(chatMessage)
    .check(
      z.minLength(1, "must have at least one message"),
      z.maxLength(messagesMax, `must have at most ${messagesMax} messages`),
    ),
  stream: z.optional(z.nullable(z.boolean())),
  stream_options: z.optional(z.nullable(z.object({ include_usage: z.optional(z.boolean()) }))),
  tools: z.optional(
    z.nullable(
      z.array(
        z.object({
          type: z.literal("function"),
          function: z.object({
            name,
            description: z.optional(z.string()),
            parameters: z.optional(jsonObject),
          }),
        }),
      ),
    ),
  ),
  tool_choice: z.optional(
    z.nullable(
      z.union([
        z.enum(["none", "auto", "required"]),
        z.object({ type: z.literal("function"), function: z.object({ name }) }),
      ]),
    ),
  ),
  response_format: z.optional(
    z.nullable(
      z.discriminatedUnion("type", [
        z.object({ type: z.literal("text") }),
        z.object({ type: z.literal("json_object") }),
        z.object({
          type: z.literal("json_schema"),
          json_schema: z.object({ name: z.optional(z.string()), schema: z.optional(jsonObject) }),
        }),
      ]),
    ),
  ),
  n: z.optional(z.nullable(wholeNumber(1, 1))),
  temperature: optionalNumber(0, 2),
  top_p: optionalNumber(0, 1),
  max_tokens: z.optional(z.nullable(wholeNumber(1, 10_000_000))),
  max_completion_tokens: z.optional(z.nullable(wholeNumber(1, 10_000_000))),
  stop: z.optional(z.nullable(z.union([z.string(), z.array(z.string())]))),
  seed: z.optional(z.nullable(wholeNumber(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER))),
  reasoning_effort: z.optional(z.nullable(reasoningEffort)),
});
export type ChatBody = z.output<typeof chatBody>;

const listedModel = z.object({
  id: z.string(),
  object: z.literal("model"),
  created: z.number(),
  owned_by: z.string(),
});
export type ListedModel = z.infer<typeof listedModel>;

export type ListedModels = z.infer<typeof listedModels>;
const listedModels = z.object({ object: z.literal("list"), data: z.array(listedModel) });

const embeddingsBody = z.object({
  model: described(name, "The id of a provider, a slash, and the provider's id of the model."),
  input: z.union([
    textOf(1, limits.jsonBodyBytes),
    z
      .array(textOf(1, limits.jsonBodyBytes))
      .check(
        z.minLength(1, "must have at least one text"),
        z.maxLength(textsMax, `must have at most ${textsMax} texts`),
      ),
  ]),
  encoding_format: z.optional(z.nullable(z.enum(["float", "base64"]))),
});
export type EmbeddingsBody = z.output<typeof embeddingsBody>;

const common = {
  caller: "personal",
  permission: "api-keys.use",
  bodyBytesMax: limits.jsonBodyBytes,
} as const;

export const openAiEndpoints = endpoints(common, {
  "openai.models": {
    request: "GET /openai/v1/models",
    summary: "List models in OpenAI's format",
    description: "The models of this server, then its assistants as `assistant/{id}`.",
    response: listedModels,
  },
  "openai.model": {
    request: "GET /openai/v1/models/{model}",
    summary: "Get a model in OpenAI's format",
    description: "The slash in the id is encoded as `%2F`.",
    params: z.object({ model: name }),
    response: listedModel,
  },
  "openai.chat": {
    request: "POST /openai/v1/chat/completions",
    audit: { none: "own-content" },
    summary: "Answer a chat in OpenAI's format",
    description:
      "Nothing is stored in a thread. An assistant adds its instructions and parameters; its tools are not used, because programs bring their own. The request counts in your usage.",
    body: chatBody,
    response: z.looseObject({ id: z.string(), object: z.literal("chat.completion") }),
    streamsOnField: true,
    streamDescription:
      "With `stream`: server-sent events, each with a `chat.completion.chunk`, and `[DONE]` as the last. A failure after the first chunk is an event with `error`.",
  },
  "openai.embeddings": {
    request: "POST /openai/v1/embeddings",
    audit: { none: "own-content" },
    summary: "Turn texts into vectors in OpenAI's format",
    description: "The request counts in your usage.",
    body: embeddingsBody,
    response: z.looseObject({ object: z.literal("list") }),
  },
});
export type OpenAiEndpointName = keyof typeof openAiEndpoints;
