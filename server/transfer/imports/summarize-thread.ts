import { isId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { cleanText } from "#contract/text.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import type { MessageImport, ExistingMessages } from "#server/messages/import-messages.ts";
import { derivedId } from "./derived-id.ts";
import type { IncomingMessage, IncomingThread, ThreadSource } from "./thread-source.ts";

/** The result of the first pass over a thread. */
export type ThreadSummary = {
  thread: IncomingThread;
  /** In the order of the export. */
  messages: { id: string; externalId: string | null; createdAtMs: number }[];
  /** The approximate size of the messages. */
  characters: number;
};

/**
 * Validates a thread without keeping its contents in memory. Parents must come before their messages, which excludes
 * cycles, and ids must be unique. Throws `bad-request`, `too-large` and what reading throws.
 */
export async function summarize(source: ThreadSource): Promise<ThreadSummary> {
  const messages: ThreadSummary["messages"] = [];
  const seen = new Set<string>();
  const named = new Set<string>();
  let characters = 0;
  const reading = source.read();
  let next = await reading.next();
  for (; next.done !== true; next = await reading.next()) {
    const message = next.value;
    const at = `messages.${messages.length}`;
    if (messages.length === limits.importMessagesMax)
      throw badRequest("messages", `must be at most ${limits.importMessagesMax}`);
    if (seen.has(message.id))
      throw badRequest(`${at}.id`, "must be another than that of a message before it");
    if (message.parent_id !== null && !seen.has(message.parent_id))
      throw badRequest(`${at}.parent_id`, "must be null, or the id of a message that stands before it");
    // As it is stored, because two ids may differ only in characters that databases cannot store.
    const externalId = message.external_id == null ? null : cleanText(message.external_id);
    if (externalId !== null && named.has(externalId))
      throw badRequest(`${at}.external_id`, "must be another than that of a message before it");
    const size = JSON.stringify(message.content).length;
    if (size > limits.messageContentBytes)
      throw new AppError("too-large", {
        details: [{ path: `${at}.content`, message: "must be at most 8 MiB" }],
      });
    seen.add(message.id);
    if (externalId !== null) named.add(externalId);
    characters += size;
    messages.push({ id: message.id, externalId, createdAtMs: bornAtMs(message) });
  }
  const thread = next.value;
  for (const [index, { message_id: id }] of thread.scores.entries())
    if (id !== null && !seen.has(id))
      throw badRequest(`scores.${index}.message_id`, "must be null, or the id of one of the messages");
  return { thread, messages, characters };
}

/** Maps the ids of the export to ids here. `isStored`: the thread already has the message. */
export type IdMap = Map<string, { id: string; isStored: boolean }>;

const batchSize = 1_000;

/**
 * Chooses the ids of the messages in `threadId`: their own if they are valid and free, otherwise derived ones, which are
 * the same each time. A message whose external id is in the thread is the same message.
 */
export async function mapIds(
  { messages }: ThreadSummary,
  threadId: string,
  existing: ExistingMessages,
  imports: Pick<MessageImport, "findTakenIds">,
): Promise<IdMap> {
  const names: IdMap = new Map();
  for (let from = 0; from < messages.length; from += batchSize) {
    const batch = messages.slice(from, from + batchSize);
    const unknown = batch.map(({ id }) => id).filter((id) => isId("message", id) && !existing.ids.has(id));
    const taken = await imports.findTakenIds(unknown);
    for (const { id, externalId, createdAtMs } of batch) {
      const derived = derivedId("message", id, threadId, createdAtMs);
      const namesake = externalId === null ? undefined : existing.byExternalId.get(externalId);
      const here = [id, derived].find((each) => existing.ids.has(each)) ?? namesake;
      const own = isId("message", id) && !taken.has(id) ? id : derived;
      names.set(id, { id: here ?? own, isStored: here !== undefined });
    }
  }
  return names;
}

function bornAtMs(message: IncomingMessage): number {
  return message.created_at === undefined ? 0 : Math.max(0, Date.parse(message.created_at));
}
