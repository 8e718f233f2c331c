import * as z from "zod/mini";
import type { Endpoints } from "../endpoint.ts";
import { limits } from "../limits.ts";
import { anyId, emptyObject, timestamp, writtenText } from "./fields.ts";

const fields = {
  title: writtenText(limits.promptTitleCharacters).check(
    z.describe(`The name, by which \`/\` finds it: at most ${limits.promptTitleCharacters} characters.`),
  ),
  text: writtenText(limits.promptCharacters).check(
    z.describe(
      "The text for the message. `{{name}}` is a variable, whose value is asked for when it is used.",
    ),
  ),
};

export const prompt = z
  .object({
    id: z.string(),
    ...fields,
    is_shared: z
      .boolean()
      .check(z.describe("Whether everybody can use it, or only the person who wrote it.")),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .check(z.meta({ id: "Prompt", description: "A text that is kept for use in messages." }));
export type Prompt = z.infer<typeof prompt>;

export const promptList = z.object({
  prompts: z.array(prompt).check(z.describe("The caller's own and the shared ones, by title.")),
  may_share: z
    .boolean()
    .check(z.describe("Whether the caller may share prompts with everybody, and change shared ones.")),
});
export type PromptList = z.infer<typeof promptList>;

const promptPut = z.object({
  ...fields,
  is_shared: z
    .optional(z.boolean())
    .check(z.describe("Default: as it is, and false for a new prompt. Only administrators share prompts.")),
});
export type PromptPut = z.infer<typeof promptPut>;

const promptParams = z.object({ prompt_id: anyId });

export const promptEndpoints = {
  "prompts.list": {
    method: "GET",
    path: "/v1/prompts",
    caller: "visitor",
    summary: "List prompts",
    description:
      "Your own, which only you can read, and those that administrators share with everybody. Only for users of the web app and anonymous visitors.",
    kind: "json",
    status: 200,
    response: promptList,
    errors: ["not-allowed"],
  },
  "prompts.put": {
    method: "PUT",
    path: "/v1/prompts/{prompt_id}",
    caller: "visitor",
    audit: {
      when: "for prompts that everybody gets",
      writes: ["prompt-shared", "shared-prompt-changed", "shared-prompt-removed"],
    },
    summary: "Create or change a prompt",
    description:
      "You create the id: prm_0 and 24 characters. Repeating the request changes nothing. A shared prompt that an administrator no longer shares becomes theirs. Only for users of the web app and anonymous visitors.",
    params: promptParams,
    body: promptPut,
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 200,
    response: z.object({ prompt }),
    errors: ["not-allowed", "too-many-prompts"],
    example: {
      body: { title: "Summarize", text: "Summarize this in {{count}} sentences, for {{reader}}:\n\n" },
    },
  },
  "prompts.remove": {
    method: "DELETE",
    path: "/v1/prompts/{prompt_id}",
    caller: "visitor",
    audit: { when: "for prompts that everybody gets", writes: ["shared-prompt-removed"] },
    summary: "Delete a prompt",
    description: "Messages that were written with it stay as they are.",
    params: promptParams,
    kind: "json",
    status: 200,
    response: emptyObject,
    errors: ["not-allowed"],
  },
} as const satisfies Endpoints;
