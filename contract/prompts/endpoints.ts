import * as z from "zod/mini";
import { endpoints } from "../endpoints/endpoints.ts";
import { limits } from "../limits.ts";
import { described, namedObject, timestamp, writtenText } from "../endpoints/fields.ts";

const fields = {
  title: described(
    writtenText(limits.promptTitleCharacters),
    `The name, by which \`/\` finds it: at most ${limits.promptTitleCharacters} characters.`,
  ),
  text: described(
    writtenText(limits.promptCharacters),
    "The text for the message. `{{name}}` is a variable, whose value is asked for when it is used.",
  ),
};

export const prompt = namedObject("Prompt", "A text that is kept for use in messages.", {
  id: z.string(),
  ...fields,
  is_shared: described(z.boolean(), "Whether everybody can use it, or only the person who wrote it."),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Prompt = z.infer<typeof prompt>;

export const promptList = z.object({
  prompts: described(z.array(prompt), "The caller's own and the shared ones, by title."),
  may_share: described(
    z.boolean(),
    "Whether the caller may share prompts with everybody, and change shared ones.",
  ),
});
export type PromptList = z.infer<typeof promptList>;

const promptPut = z.object({
  ...fields,
  is_shared: described(
    z.optional(z.boolean()),
    "Default: as it is, and false for a new prompt. Only administrators share prompts.",
  ),
});
export type PromptPut = z.infer<typeof promptPut>;

const common = { caller: "visitor", errors: ["not-allowed"] } as const;

export const promptEndpoints = endpoints(common, {
  "prompts.list": {
    request: "GET /v1/prompts",
    summary: "List prompts",
    description:
      "Your own, which only you can read, and those that administrators share with everybody. Only for users of the web app and anonymous visitors.",
    response: promptList,
  },
  "prompts.put": {
    request: "PUT /v1/prompts/{prompt_id}",
    audit: {
      when: "for prompts that everybody gets",
      writes: ["prompt-shared", "shared-prompt-changed", "shared-prompt-removed"],
    },
    summary: "Create or change a prompt",
    description:
      "You create the id: prm_0 and 24 characters. Repeating the request changes nothing. A shared prompt that an administrator no longer shares becomes theirs. Only for users of the web app and anonymous visitors.",
    body: promptPut,
    bodyBytesMax: limits.formBodyBytes,
    response: z.object({ prompt }),
    errors: ["too-many-prompts"],
    example: {
      body: { title: "Summarize", text: "Summarize this in {{count}} sentences, for {{reader}}:\n\n" },
    },
  },
  "prompts.remove": {
    request: "DELETE /v1/prompts/{prompt_id}",
    audit: { when: "for prompts that everybody gets", writes: ["shared-prompt-removed"] },
    summary: "Delete a prompt",
    description: "Messages that were written with it stay as they are.",
  },
});
