import * as z from "zod/mini";
import { avatarColours, isOneCharacter } from "../avatars.ts";
import { limits } from "../limits.ts";
import { anyId, name, timestamp, textOf, wholeNumber, writtenText, emptyObject } from "./fields.ts";
import { reasoningEffort } from "./models.ts";
import { areProviderOptions, providerKindIds, type ProviderOptions } from "../provider-kinds.ts";
import type { Endpoints } from "../endpoint.ts";

const avatar = z
  .object({
    text: z
      .string()
      .check(z.refine(isOneCharacter, "must be one letter or one emoji"))
      .check(z.describe("One letter or one emoji.")),
    colour: z
      .enum(avatarColours, `must be one of ${avatarColours.join(", ")}`)
      .check(z.describe("The background colour.")),
  })
  .check(z.meta({ id: "Avatar", description: "The picture of an assistant." }));
export type Avatar = z.infer<typeof avatar>;

const assistantName = writtenText(limits.assistantNameCharacters).check(
  z.describe(`The name that people see: at most ${limits.assistantNameCharacters} characters.`),
);

const starters = z
  .array(writtenText(limits.starterCharacters))
  .check(
    z.maxLength(limits.startersMax, `must be at most ${limits.startersMax}`),
    z.describe("Suggested first messages of a new chat."),
  );

const model = z
  .nullable(name)
  .check(
    z.describe("The model that it uses if the thread has none of its own; null for the server's default."),
  );

/** The public fields of an assistant. */
export const assistant = z
  .object({
    id: z.string().check(z.describe("The assistant's id. `default` always exists.")),
    name: z.string(),
    avatar,
    starters,
    model,
    local_only: z
      .boolean()
      .check(z.describe("Whether only models in the server's own network answer for it.")),
    is_changed: z
      .boolean()
      .check(z.describe("For the default assistant: whether it was changed. Otherwise true.")),
    created_at: z
      .nullable(timestamp)
      .check(z.describe("Null for the default assistant if it was never changed.")),
    updated_at: z.nullable(timestamp),
  })
  .check(z.meta({ id: "Assistant", description: "A named configuration that answers messages." }));
export type Assistant = z.infer<typeof assistant>;

const temperature = z.optional(numberFrom(0, 2)).check(z.describe("Sampling temperature, from 0 to 2."));
const topP = z
  .optional(numberFrom(0, 1))
  .check(
    z.describe("Nucleus sampling: only the most likely tokens with this total probability are considered."),
  );
const maxOutputTokens = z
  .optional(wholeNumber(1, limits.outputTokensMax))
  .check(z.describe("Maximum length of an answer, in tokens."));

const seed = z
  .optional(wholeNumber(0, 2 ** 31 - 1))
  .check(z.describe("Some models give similar answers for the same seed."));
const stop = z
  .optional(
    z.array(textOf(1, 100)).check(z.minLength(1, "must have an entry"), z.maxLength(4, "must be at most 4")),
  )
  .check(z.describe("The answer ends before one of these texts."));
const fallbackModel = z
  .optional(name)
  .check(
    z.describe(
      "The model that answers if the first one fails before its first token. The answer has a note about it.",
    ),
  );

const providerOptions = z
  .optional(
    z
      .custom<ProviderOptions>(
        areProviderOptions,
        `must be a JSON object of at most ${limits.providerOptionsCharacters} characters, with one object for each kind of provider: ${providerKindIds.join(", ")}`,
      )
      .check(z.meta({ type: "object", additionalProperties: { type: "object" } })),
  )
  .check(
    z.describe(
      'Options of the AI SDK for each kind of provider, such as `{ "openai": { "serviceTier": "flex" } }`. A model gets those of its provider\'s kind.',
    ),
  );

/** Sent to the model with every request. The provider's defaults apply to absent fields. */
const parameters = z
  .object({
    temperature,
    top_p: topP,
    max_output_tokens: maxOutputTokens,
    reasoning_effort: z.optional(reasoningEffort),
    seed,
    stop,
    fallback_model: fallbackModel,
    local_only: z
      .optional(z.boolean())
      .check(
        z.describe(
          "Allow only models in the server's own network, for titles too. A request to any other model fails; no other model replaces it.",
        ),
      ),
    provider_options: providerOptions,
  })
  .check(
    z.meta({
      id: "AssistantParameters",
      description:
        "The provider's defaults apply to absent fields. A setting that the model does not support is left out, and the answer has a note about it.",
    }),
  );
export type AssistantParameters = z.infer<typeof parameters>;

const instructions = textOf(0, limits.instructionsCharacters).check(
  z.describe("The system prompt, stored exactly; empty for the default one."),
);

const toolNames = z
  .nullable(z.array(textOf(1, 64)).check(z.maxLength(100, "must be at most 100")))
  .check(z.describe("The names of the tools that it may use; null for all."));

/** Visible only to people who may change the assistant. */
export const assistantSettings = z
  .object({ instructions, tools: toolNames, parameters })
  .check(z.meta({ id: "AssistantSettings", description: "The settings of an assistant." }));
export type AssistantSettings = z.infer<typeof assistantSettings>;

export const assistantList = z.object({
  assistants: z.array(assistant).check(z.describe("In the order that administrators set.")),
  may_change: z.boolean().check(z.describe("Whether the caller may create, change and delete assistants.")),
});
export type AssistantList = z.infer<typeof assistantList>;

const changeable = {
  avatar: z.optional(avatar),
  starters: z.optional(starters),
  model: z.optional(model),
  instructions: z.optional(instructions),
  tools: z.optional(toolNames),
  parameters: z.optional(parameters),
};

export const assistantCreate = z.object({
  id: z
    .optional(anyId)
    .check(
      z.describe(
        "An id that you created: asst_0 and 24 characters. Repeating the request returns the same assistant.",
      ),
    ),
  name: assistantName,
  ...changeable,
});
export type AssistantCreate = z.infer<typeof assistantCreate>;

export const assistantUpdate = z.object({ name: z.optional(assistantName), ...changeable });
export type AssistantUpdate = z.infer<typeof assistantUpdate>;

const assistantOrder = z.object({
  assistant_ids: z
    .array(anyId)
    .check(
      z.maxLength(limits.assistantsMax + 1, `must be at most ${limits.assistantsMax + 1}`),
      z.describe(
        "In the new order. Assistants that are not listed follow in their old order. Unknown ids are ignored.",
      ),
    ),
});

function numberFrom(min: number, max: number) {
  return z.number().check(
    z.refine((value) => value >= min && value <= max, `must be a number from ${min} to ${max}`),
    z.meta({ minimum: min, maximum: max }),
  );
}

const assistantParams = z.object({ assistant_id: anyId });

export const assistantEndpoints = {
  "assistants.list": {
    method: "GET",
    path: "/v1/assistants",
    caller: "visitor",
    summary: "List assistants",
    description:
      "Names, avatars, starters and models, in the order that administrators set. The assistant `default` always exists. Instructions are not included.",
    kind: "json",
    status: 200,
    response: assistantList,
  },
  "assistants.get": {
    method: "GET",
    path: "/v1/assistants/{assistant_id}",
    caller: "account",
    permission: "assistants.manage",
    summary: "Get an assistant with all its settings",
    description: "Includes its instructions, tools and parameters, which only administrators can read.",
    params: assistantParams,
    kind: "json",
    status: 200,
    response: z.object({ assistant: assistant, settings: assistantSettings }),
  },
  "assistants.create": {
    method: "POST",
    path: "/v1/assistants",
    caller: "account",
    permission: "assistants.manage",
    audit: "assistant-created",
    summary: "Create an assistant",
    description:
      "Everyone in the app can choose it immediately. If `instructions` are empty, the model gets the default system prompt. If `tools` is null, the assistant has every tool, including those added later.",
    body: assistantCreate,
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 201,
    response: z.object({ assistant: assistant }),
    errors: ["conflict", "too-many-assistants"],
    example: {
      body: {
        name: "Gardener",
        avatar: { text: "\u{1F331}", colour: "green" },
        instructions: "You are a patient gardener. Name plants by their Latin names too.",
        starters: ["What can I sow in May?"],
        parameters: { temperature: 0.4 },
      },
    },
  },
  "assistants.update": {
    method: "PUT",
    path: "/v1/assistants/{assistant_id}",
    caller: "account",
    permission: "assistants.manage",
    audit: "assistant-changed",
    summary: "Change an assistant",
    description: "Changes the given fields only. Answers in progress are not affected.",
    params: assistantParams,
    body: assistantUpdate,
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 200,
    response: z.object({ assistant: assistant }),
    example: { body: { name: "Head gardener", starters: [] } },
  },
  "assistants.reorder": {
    method: "PUT",
    path: "/v1/assistants",
    caller: "account",
    permission: "assistants.manage",
    audit: "assistants-reordered",
    summary: "Reorder assistants",
    description: "Sets the order in which assistants are listed. Repeating the request changes nothing.",
    body: assistantOrder,
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 200,
    response: emptyObject,
    example: { body: { assistant_ids: ["$ASSISTANT_ID", "default"] } },
  },
  "assistants.remove": {
    method: "DELETE",
    path: "/v1/assistants/{assistant_id}",
    caller: "account",
    permission: "assistants.manage",
    audit: "assistant-removed",
    summary: "Delete an assistant, or reset the default one",
    description:
      "It can no longer be chosen. Threads that use it continue with the default assistant, with a note in the next answer. Its earlier answers keep its name. Deleting the default assistant resets it to its original settings.",
    params: assistantParams,
    kind: "json",
    status: 200,
    response: emptyObject,
  },
  "assistants.restore": {
    method: "POST",
    path: "/v1/assistants/{assistant_id}/restore",
    caller: "account",
    permission: "assistants.manage",
    audit: "assistant-restored",
    summary: "Restore a deleted assistant",
    description: "Restores it with all its settings. Threads that used it use it again.",
    params: assistantParams,
    kind: "json",
    status: 200,
    response: z.object({ assistant: assistant }),
    errors: ["too-many-assistants"],
  },
} as const satisfies Endpoints;
