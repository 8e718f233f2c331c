import { defaultAssistantId } from "#contract/ids.ts";
import type { AnsweredBy } from "#contract/endpoints/messages.ts";
import type { VisibleMessage } from "./visible-branch.ts";

/** The assistant and model of an answer. `changed`: what differs from the previous answer, to show it above this one. */
export type AnswerAuthor = AnsweredBy & { changed?: "assistant" | "model" };

/** The author according to the row and, during the run, its events. */
export function authorOf({ row, live }: VisibleMessage): AnsweredBy | undefined {
  if (row.made_by === null) return undefined;
  if (live === undefined) return row.made_by;
  return {
    ...row.made_by,
    model: live.model ?? row.made_by.model,
    notes: [...(live.reply.notes ?? row.made_by.notes)],
  };
}

/** Compares with the author of the previous answer. The first answer is compared with the default assistant. */
export function compareAuthors(author: AnsweredBy, previous: AnsweredBy | undefined): AnswerAuthor {
  const previousAssistant = previous === undefined ? defaultAssistantId : assistantOf(previous);
  const assistant = assistantOf(author);
  if (assistant !== null && assistant !== previousAssistant) return { ...author, changed: "assistant" };
  const previousModel = previous?.model ?? author.model;
  return author.model !== null && author.model !== previousModel ? { ...author, changed: "model" } : author;
}

/** Imported answers have only the name of an assistant, without an id. */
function assistantOf({ assistant_id: id, assistant_name: name }: AnsweredBy): string | null {
  return id ?? name;
}
