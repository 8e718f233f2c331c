import { isDeepStrictEqual } from "node:util";
import type { Part } from "#contract/parts/kinds.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { idsOf } from "#storage/database/portable-sql.ts";
import type { ModelAssistantPart, ModelMessage } from "#server/models/model.ts";
import { modelMessages } from "#server/parts/to-model.ts";
import { resultOf } from "#server/parts/tool-call.ts";
import type { Erased } from "#server/threads/erase.ts";

/**
 * A step of an answer whose parts have data of their provider, as its model made it. `firstCall` is the index of its first
 * tool call in the parts of the reply. Only this file reads and writes the table of these steps.
 */
export type StoredStep = { firstCall: number; parts: ModelAssistantPart[] };

/**
 * The steps of an answer as its model made them: calls of two steps must not look like parallel calls. What tools wrote
 * below a step is left out, as in the requests before: the calls have it. `stepEnds` is the number of parts at the end of
 * each step, and `storedSteps` those steps whose parts have data of their provider.
 */
export function stepMessages(
  parts: readonly Part[],
  { stepEnds = [], storedSteps = [] }: { stepEnds?: readonly number[]; storedSteps?: readonly StoredStep[] },
): ModelMessage[] {
  const stored = storedSteps.filter((step) => isUnchanged(step, parts));
  const lastCalls = stored.map(({ firstCall, parts: made }) => firstCall + callIds(made).length);
  const ends = [...new Set([...stepEnds, ...lastCalls])].toSorted((a, b) => a - b);
  return [0, ...ends].flatMap((start, index) => {
    const step = parts.slice(start, ends[index]);
    // A step of the model without calls would have ended the answer.
    if (index < ends.length && step.every(({ type }) => type !== "tool-call")) return [];
    const found = stored.find(({ firstCall }) => firstCall >= start && firstCall < start + step.length);
    if (found === undefined) return modelMessages("assistant", step);
    const results = step.flatMap((part) => (part.type === "tool-call" ? [resultOf(part)] : []));
    return [
      { role: "assistant", parts: found.parts },
      { role: "tool", results },
    ];
  });
}

/**
 * Whether the reply still has the calls and the words of this step. A person may have changed the reply, or left calls
 * unanswered.
 */
function isUnchanged({ firstCall, parts: made }: StoredStep, parts: readonly Part[]): boolean {
  let nextCall = firstCall;
  return made.every((part) => {
    if (part.type !== "tool-call") return textsOf(parts, part.type).includes(part.text);
    const shown = parts[nextCall++];
    return (
      shown?.type === "tool-call" &&
      shown.toolCallId === part.toolCallId &&
      isDeepStrictEqual(shown.args ?? {}, part.args)
    );
  });
}

function textsOf(parts: readonly Part[], type: "text" | "reasoning"): string {
  return parts.map((part) => (part.type === type ? part.text : "")).join("\n");
}

function callIds(parts: readonly ModelAssistantPart[]): string[] {
  return parts.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []));
}

/** The steps of these messages, by the message's id. */
export async function listReplySteps(
  db: Pick<Database, "read" | "engine">,
  messageIds: readonly string[],
): Promise<Map<string, StoredStep[]>> {
  const steps = new Map<string, StoredStep[]>();
  if (messageIds.length === 0) return steps;
  const found = await db.read
    .selectFrom("reply_steps")
    .select(["message_id", "first_call", "parts"])
    .where("message_id", "in", idsOf(db, messageIds))
    .orderBy("message_id")
    .orderBy("first_call")
    .execute();
  for (const { message_id: id, first_call: firstCall, parts } of found) {
    const step = { firstCall, parts: JSON.parse(parts) as StoredStep["parts"] };
    steps.set(id, [...(steps.get(id) ?? []), step]);
  }
  return steps;
}

/** Returns a function that stores a step of this message in place of an earlier one, unless the message was deleted. */
export function replyStepWriter(
  db: Database,
  messageId: string,
  retried: (work: () => Promise<void>) => Promise<void>,
): (step: StoredStep) => Promise<void> {
  return async (step) =>
    await retried(async () => await db.write(async (tx) => await putReplyStep(tx, messageId, step)));
}

async function putReplyStep(tx: Tx, messageId: string, { firstCall, parts }: StoredStep): Promise<void> {
  const message = await tx.q
    .selectFrom("messages")
    .select("id")
    .where("id", "=", messageId)
    .executeTakeFirst();
  if (message === undefined) return;
  await tx.q
    .insertInto("reply_steps")
    .values({ message_id: messageId, first_call: firstCall, parts: JSON.stringify(parts) })
    .onConflict((row) =>
      row.columns(["message_id", "first_call"]).doUpdateSet({ parts: JSON.stringify(parts) }),
    )
    .execute();
}

/** In the transaction of an erasure, before messages are emptied: deletes the steps of the answers to this person. */
export async function eraseReplySteps(tx: Tx, { appId, userId }: Erased): Promise<void> {
  const messages = tx.q
    .selectFrom("messages")
    .innerJoin("threads", "threads.id", "messages.thread_id")
    .select("messages.id")
    .where("threads.app_id", "=", appId)
    .where("messages.created_by", "=", userId);
  await tx.q.deleteFrom("reply_steps").where("message_id", "in", messages).execute();
}
