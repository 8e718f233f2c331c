import * as z from "zod/mini";
import { avatarColours, isOneCharacter } from "../avatars.ts";
import { limits } from "../limits.ts";
import {
  anyId,
  described,
  name,
  namedObject,
  textOf,
  timestamp,
  wholeNumber,
  writtenText,
} from "./fields.ts";
import { reasoningEffort } from "./models.ts";
import { areProviderOptions, providerKindIds, type ProviderOptions } from "../provider-kinds.ts";
import { endpoints } from "./endpoints.ts";

const avatar = namedObject("Avatar", "The picture of an assistant.", {
  text: described(
    z.string().check(z.refine(isOneCharacter, "must be one letter or one emoji")),
    "One letter or one emoji.",
  ),
  colour: described(
    z.enum(avatarColours, `must be one of ${avatarColours.join(", ")}`),
    "The background colour.",
  ),
});
export type Avatar = z.infer<typeof avatar>;

const assistantName = described(
  writtenText(limits.assistantNameCharacters),
  `The name that people see: at most ${limits.assistantNameCharacters} characters.`,
);

const starters = described(
  z
    .array(writtenText(limits.starterCharacters))
    .check(z.maxLength(limits.startersMax, `must be at most ${limits.startersMax}`)),
  "Suggested first messages of a new chat.",
);

const model = described(
  z.nullable(name),
  "The model that it uses if the thread has none of its own; null for the server's default.",
);

/** The public fields of an assistant. */
export const assistant = namedObject("Assistant", "A named configuration that answers messages.", {
  id: described(z.string(), "The assistant's id. `default` always exists."),
  name: z.string(),
  avatar,
  starters,
  model,
  local_only: described(z.boolean(), "Whether only models in the server's own network answer for it."),
  is_changed: described(z.boolean(), "For the default assistant: whether it was changed. Otherwise true."),
  created_at: described(z.nullable(timestamp), "Null for the default assistant if it was never changed."),
  updated_at: z.nullable(timestamp),
});
export type Assistant = z.infer<typeof assistant>;

const temperature = described(z.optional(numberFrom(0, 2)), "Sampling temperature, from 0 to 2.");
const topP = described(
  z.optional(numberFrom(0, 1)),
  "Nucleus sampling: only the most likely tokens with this total probability are considered.",
);
const maxOutputTokens = described(
  z.optional(wholeNumber(1, limits.outputTokensMax)),
  "Maximum length of an answer, in tokens.",
);

const seed = described(
  z.optional(wholeNumber(0, 2 ** 31 - 1)),
  "Some models give similar answers for the same seed.",
);
const stop = described(
  z.optional(
    z.array(textOf(1, 100)).check(z.minLength(1, "must have an entry"), z.maxLength(4, "must be at most 4")),
  ),
  "The answer ends before one of these texts.",
);
const fallbackModel = described(
  z.optional(name),
  "The model that answers if the first one fails before its first token. The answer has a note about it.",
);

const providerOptions = described(
  z.optional(
    z
      .custom<ProviderOptions>(
        areProviderOptions,
        `must be a JSON object of at most ${limits.providerOptionsCharacters} characters, with one object for each kind of provider: ${providerKindIds.join(", ")}`,
      )
      .check(z.meta({ type: "object", additionalProperties: { type: "object" } })),
  ),
  'Options of the AI SDK for each kind of provider, such as `{ "openai": { "serviceTier": "flex" } }`. A model gets those of its provider\'s kind.',
);

/** Sent to the model with every request. The provider's defaults apply to absent fields. */
const parameters = namedObject(
  "AssistantParameters",
  "The provider's defaults apply to absent fields. A setting that the model does not support is left out, and the answer has a note about it.",
  {
    temperature,
    top_p: topP,
    max_output_tokens: maxOutputTokens,
    reasoning_effort: z.optional(reasoningEffort),
    seed,
    stop,
    fallback_model: fallbackModel,
    local_only: described(
      z.optional(z.boolean()),
      "Allow only models in the server's own network, for titles too. A request to any other model fails; no other model replaces it.",
    ),
    provider_options: providerOptions,
  },
);
export type AssistantParameters = z.infer<typeof parameters>;

const instructions = described(
  textOf(0, limits.instructionsCharacters),
  "The system prompt, stored exactly; empty for the default one.",
);

const toolNames = described(
  z.nullable(z.array(textOf(1, 64)).check(z.maxLength(100, "must be at most 100"))),
  "The names of the tools that it may use; null for all.",
);

/** Visible only to people who may change the assistant. */
export const assistantSettings = namedObject("AssistantSettings", "The settings of an assistant.", {
  instructions,
  tools: toolNames,
  parameters,
});
export type AssistantSettings = z.infer<typeof assistantSettings>;

export const assistantList = z.object({
  assistants: described(z.array(assistant), "In the order that administrators set."),
  may_change: described(z.boolean(), "Whether the caller may create, change and delete assistants."),
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
  id: described(
    z.optional(anyId),
    "An id that you created: asst_0 and 24 characters. Repeating the request returns the same assistant.",
  ),
  name: assistantName,
  ...changeable,
});
export type AssistantCreate = z.infer<typeof assistantCreate>;

export const assistantUpdate = z.object({ name: z.optional(assistantName), ...changeable });
export type AssistantUpdate = z.infer<typeof assistantUpdate>;

const assistantOrder = z.object({
  assistant_ids: described(
    z
      .array(anyId)
      .check(z.maxLength(limits.assistantsMax + 1, `must be at most ${limits.assistantsMax + 1}`)),
    "In the new order. Assistants that are not listed follow in their old order. Unknown ids are ignored.",
  ),
});

function numberFrom(min: number, max: number) {
  return z.number().check(
    z.refine((value) => value >= min && value <= max, `must be a number from ${min} to ${max}`),
    z.meta({ minimum: min, maximum: max }),
  );
}

const common = { caller: "account", bodyBytesMax: limits.formBodyBytes } as const;

export const assistantEndpoints = endpoints(common, {
  "assistants.list": {
    request: "GET /v1/assistants",
    caller: "visitor",
    summary: "List assistants",
    description:
      "Names, avatars, starters and models, in the order that administrators set. The assistant `default` always exists. Instructions are not included.",
    response: assistantList,
  },
  "assistants.get": {
    request: "GET /v1/assistants/{assistant_id}",
    permission: "assistants.manage",
    summary: "Get an assistant with all its settings",
    description: "Includes its instructions, tools and parameters, which only administrators can read.",
    response: z.object({ assistant, settings: assistantSettings }),
  },
  "assistants.create": {
    request: "POST /v1/assistants",
    permission: "assistants.manage",
    audit: "assistant-created",
    summary: "Create an assistant",
    description:
      "Everyone in the app can choose it immediately. If `instructions` are empty, the model gets the default system prompt. If `tools` is null, the assistant has every tool, including those added later.",
    body: assistantCreate,
    status: 201,
    response: z.object({ assistant }),
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
    request: "PUT /v1/assistants/{assistant_id}",
    permission: "assistants.manage",
    audit: "assistant-changed",
    summary: "Change an assistant",
    description: "Changes the given fields only. Answers in progress are not affected.",
    body: assistantUpdate,
    response: z.object({ assistant }),
    example: { body: { name: "Head gardener", starters: [] } },
  },
  "assistants.reorder": {
    request: "PUT /v1/assistants",
    permission: "assistants.manage",
    audit: "assistants-reordered",
    summary: "Reorder assistants",
    description: "Sets the order in which assistants are listed. Repeating the request changes nothing.",
    body: assistantOrder,
    example: { body: { assistant_ids: ["$ASSISTANT_ID", "default"] } },
  },
  "assistants.remove": {
    request: "DELETE /v1/assistants/{assistant_id}",
    permission: "assistants.manage",
    audit: "assistant-removed",
    summary: "Delete an assistant, or reset the default one",
    description:
      "It can no longer be chosen. Threads that use it continue with the default assistant, with a note in the next answer. Its earlier answers keep its name. Deleting the default assistant resets it to its original settings.",
  },
  "assistants.restore": {
    request: "POST /v1/assistants/{assistant_id}/restore",
    permission: "assistants.manage",
    audit: "assistant-restored",
    summary: "Restore a deleted assistant",
    description: "Restores it with all its settings. Threads that used it use it again.",
    response: z.object({ assistant }),
    errors: ["too-many-assistants"],
  },
});
