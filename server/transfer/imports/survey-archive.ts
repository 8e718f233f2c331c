import { isId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { cleanText } from "#contract/text.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import type { MessageImport, ExistingMessages } from "#server/messages/import-messages.ts";
import { derivedId } from "./derived-id.ts";
import type { IncomingMessage, IncomingThread, ThreadSource } from "./thread-source.ts";

/** What a first reading finds: that the thread can be taken, and what its messages are called. */
export type Survey = {
  thread: IncomingThread;
  /** In the order of the file. */
  messages: { id: string; externalId: string | null; createdAtMs: number }[];
  /** About how much there is to be stored, in characters. */
  characters: number;
};

/**
 * Reads a thread to its end without keeping what is said in it. Throws what makes it be refused: a message without its
 * parent before it (so that none hangs in a circle), an id that comes twice, and whatever reading it throws.
 */
export async function survey(source: ThreadSource): Promise<Survey> {
  const messages: Survey["messages"] = [];
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
    // As it is kept: two that differ only in what no engine stores are one.
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

/** What a message of the file is called here, and whether it is here already. */
export type Naming = Map<string, { id: string; isHere: boolean }>;

/** How many ids are looked up at once. */
const lookUp = 1_000;

/**
 * The ids that the messages will have in `threadId`: their own where these are ours in form and free, else ones that are
 * the same each time. A message whose external id is in the thread is that message.
 */
export async function naming(
  { messages }: Survey,
  threadId: string,
  standing: ExistingMessages,
  brought: Pick<MessageImport, "findTakenIds">,
): Promise<Naming> {
  const names: Naming = new Map();
  for (let from = 0; from < messages.length; from += lookUp) {
    const batch = messages.slice(from, from + lookUp);
    const unknown = batch.map(({ id }) => id).filter((id) => isId("message", id) && !standing.ids.has(id));
    const taken = await brought.findTakenIds(unknown);
    for (const { id, externalId, createdAtMs } of batch) {
      const derived = derivedId("message", id, threadId, createdAtMs);
      const namesake = externalId === null ? undefined : standing.byExternalId.get(externalId);
      const here = [id, derived].find((each) => standing.ids.has(each)) ?? namesake;
      const own = isId("message", id) && !taken.has(id) ? id : derived;
      names.set(id, { id: here ?? own, isHere: here !== undefined });
    }
  }
  return names;
}

function bornAtMs(message: IncomingMessage): number {
  return message.created_at === undefined ? 0 : Math.max(0, Date.parse(message.created_at));
}
