import * as z from "zod/mini";
import { avatarColours, isOneCharacter } from "../avatars.ts";
import { limits } from "../limits.ts";
import { anyId, name, printedInstant, textOf, wholeNumber, writtenText, empty } from "./fields.ts";
import type { Endpoints } from "../endpoint.ts";

const avatar = z
  .object({
    text: z
      .string()
      .check(z.refine(isOneCharacter, "must be one letter or one emoji"))
      .check(z.describe("One letter or one emoji.")),
    colour: z
      .enum(avatarColours, `must be one of ${avatarColours.join(", ")}`)
      .check(z.describe("What stands behind it.")),
  })
  .check(z.meta({ id: "Avatar", description: "What an assistant is told apart by." }));
export type Avatar = z.infer<typeof avatar>;

const assistantName = writtenText(limits.assistantNameCharacters).check(
  z.describe(`What people call it: at most ${limits.assistantNameCharacters} characters.`),
);

const starters = z
  .array(writtenText(limits.starterCharacters))
  .check(
    z.maxLength(limits.startersMax, `must be at most ${limits.startersMax}`),
    z.describe("What a new chat offers to say."),
  );

const model = z
  .nullable(name)
  .check(
    z.describe(
      "The model that it answers with where a thread has none of its own; null for the server's own choice.",
    ),
  );

/** What everybody may know of an assistant. */
export const assistant = z
  .object({
    id: z.string().check(z.describe("The assistant; default is the one that is always there.")),
    name: z.string(),
    avatar,
    starters,
    model,
    is_changed: z
      .boolean()
      .check(z.describe("Of the default one: whether it is another than it was at the start. Else true.")),
    created_at: z
      .nullable(printedInstant)
      .check(z.describe("Null for the default one while nobody has changed it.")),
    updated_at: z.nullable(printedInstant),
  })
  .check(z.meta({ id: "Assistant", description: "Who answers: a name and a way to answer." }));
export type Assistant = z.infer<typeof assistant>;

const temperature = z
  .optional(numberFrom(0, 2))
  .check(z.describe("How freely the model chooses its words, from 0 to 2."));
const topP = z
  .optional(numberFrom(0, 1))
  .check(z.describe("The model chooses among its likeliest words, up to this probability together."));
const maxOutputTokens = z
  .optional(wholeNumber(1, limits.outputTokensMax))
  .check(z.describe("An answer's greatest length, in tokens."));

/** What is said to the model with every question. What is absent is left to the model. */
const parameters = z.object({ temperature, top_p: topP, max_output_tokens: maxOutputTokens }).check(
  z.meta({
    id: "AssistantParameters",
    description: "What is absent is left to the model. What a model does not take is left out, and said so.",
  }),
);
export type AssistantParameters = z.infer<typeof parameters>;

const instructions = textOf(0, limits.instructionsCharacters).check(
  z.describe(
    "What the model is told before every conversation, kept to the letter; empty for our own words.",
  ),
);

const toolNames = z
  .nullable(z.array(textOf(1, 64)).check(z.maxLength(100, "must be at most 100")))
  .check(z.describe("The tools that it may use, by name; null for all there are."));

/** What only those may know who may change it. */
export const assistantSettings = z
  .object({ instructions, tools: toolNames, parameters })
  .check(z.meta({ id: "AssistantSettings", description: "How an assistant answers." }));
export type AssistantSettings = z.infer<typeof assistantSettings>;

export const assistantList = z.object({
  assistants: z.array(assistant).check(z.describe("In the operator's order.")),
  may_change: z.boolean().check(z.describe("Whether the caller may make, change and delete them.")),
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
        "An id minted by you: asst_0 and 24 characters. The same request again answers the same assistant.",
      ),
    ),
  name: assistantName,
  ...changeable,
});
export type AssistantCreate = z.infer<typeof assistantCreate>;

export const assistantUpdate = z.object({ name: z.optional(assistantName), ...changeable });
export type AssistantUpdate = z.infer<typeof assistantUpdate>;

export const assistantOrder = z.object({
  assistant_ids: z
    .array(anyId)
    .check(
      z.maxLength(limits.assistantsMax + 1, `must be at most ${limits.assistantsMax + 1}`),
      z.describe(
        "First to last. Those that are not named stay behind them, those that are not there are left out.",
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
    summary: "The assistants that can be chosen",
    description:
      "What one needs to choose: names, avatars, starters and models, in the order that the owner gave them. The assistant `default` is always there. What they are told is not shown.",
    kind: "json",
    status: 200,
    response: assistantList,
  },
  "assistants.get": {
    method: "GET",
    path: "/v1/assistants/{assistant_id}",
    caller: "admin",
    summary: "Read an assistant with all its settings",
    description: "With its instructions, tools and parameters, which nobody else is shown.",
    params: assistantParams,
    kind: "json",
    status: 200,
    response: z.object({ assistant: assistant, settings: assistantSettings }),
  },
  "assistants.create": {
    method: "POST",
    path: "/v1/assistants",
    caller: "admin",
    summary: "Make an assistant",
    description:
      "Everybody of the project can choose it at once. Where `instructions` are empty the model is told what the default assistant's is. `tools` null gives it every tool, also later ones.",
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
    caller: "admin",
    summary: "Change an assistant",
    description:
      "Changes what is given and leaves the rest. Answers that are being written go on as they began; the next ones are made with the change.",
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
    caller: "admin",
    summary: "Put the assistants in another order",
    description: "The first is shown first. Repeating it changes nothing.",
    body: assistantOrder,
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 200,
    response: empty,
    example: { body: { assistant_ids: ["$ASSISTANT_ID", "default"] } },
  },
  "assistants.remove": {
    method: "DELETE",
    path: "/v1/assistants/{assistant_id}",
    caller: "admin",
    summary: "Delete an assistant; the default one becomes again what it was at the start",
    description:
      "It can no longer be chosen. Threads that had chosen it go on with the default one, and say so; its answers keep its name. The default one itself becomes again what it was at the start.",
    params: assistantParams,
    kind: "json",
    status: 200,
    response: empty,
  },
  "assistants.restore": {
    method: "POST",
    path: "/v1/assistants/{assistant_id}/restore",
    caller: "admin",
    summary: "Bring a deleted assistant back",
    description: "As it was. Threads that had chosen it have it again.",
    params: assistantParams,
    kind: "json",
    status: 200,
    response: z.object({ assistant: assistant }),
    errors: ["too-many-assistants"],
  },
} as const satisfies Endpoints;
