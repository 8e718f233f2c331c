import type { Tx } from "#storage/database/database.ts";
import type { Estimate } from "#server/people/budgets/budgets.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import type { Live } from "#server/live/live.ts";
import type { Messages } from "#server/messages/messages.ts";
import type { ThreadContext } from "#server/messages/write-messages.ts";
import type { MessageRow } from "#server/messages/rows.ts";
import type { Threads } from "#server/threads/threads.ts";
import { newRun } from "./new-run.ts";
import * as rows from "../rows.ts";

/** The thread and the person of a run. */
export type RunContext = ThreadContext & { appId: string };

/** With the thread locked: a stored message of a person, which no run answers now. Throws `parent-not-in-thread`, `thread-busy`. */
export async function findMessageToAnswer(
  tx: Tx,
  messages: Pick<Messages, "find">,
  threadId: string,
  messageId: string,
): Promise<MessageRow> {
  const message = await messages.find(tx, threadId, messageId, "parent-not-in-thread");
  if (message.role !== "user") throw badRequest("body.parent_id", "must be a message of the role user");
  if ((await rows.findActive(tx, message.id)) !== undefined) throw new AppError("thread-busy");
  return message;
}

/** With the thread locked: stores an empty reply to `message` and the run that writes it, and announces both. */
export async function storeRun(
  tx: Tx,
  modules: { messages: Messages; threads: Threads; live: Live },
  from: {
    context: RunContext;
    message: MessageRow;
    runId: string;
    replyId: string | undefined;
    assistantId: string;
    model: string;
    effort: string | null;
    hash: string;
    timeZone: string | null;
    leaseOwner: string;
    /** Of the person's budgets; `undefined` without one. */
    reserved: Estimate | undefined;
    /** The server sends a queued message: a person who looks at another branch stays there. */
    isAutomatic?: boolean;
    /** The event stream that follows the run from its first event. */
    streamId?: string | undefined;
    /** The run belongs to this comparison. */
    comparison?: { id: string; isBlind: boolean };
  },
): Promise<rows.RunRow> {
  const { context, message, runId } = from;
  const { workspaceId, threadId, nowMs } = context;
  const reply = await modules.messages.createReply(tx, context, {
    id: from.replyId,
    parent: message,
    runId,
    isAutomatic: from.isAutomatic ?? false,
  });
  const { comparison, leaseOwner } = from;
  const run = newRun(context, {
    id: runId,
    origin: "own",
    thread_id: threadId,
    message_id: message.id,
    reply_id: reply.id,
    assistant_id: from.assistantId,
    model: from.model,
    reasoning_effort: from.effort,
    request_hash: from.hash,
    time_zone: from.timeZone,
    comparison_id: comparison?.id ?? null,
    is_blind: comparison?.isBlind === true ? 1 : 0,
    leaseOwner,
    reserved: from.reserved,
    nowMs,
  });
  await rows.insertRun(tx, run);
  await modules.live.announce(tx, workspaceId, [
    {
      type: "run-put",
      thread_id: threadId,
      run_id: runId,
      reply_id: reply.id,
      state: run.state,
      ...(from.streamId === undefined ? {} : { stream_id: from.streamId }),
    },
  ]);
  await modules.threads.touch(tx, context, threadId, nowMs);
  return run;
}
