import type { RunStarted } from "#contract/endpoints/runs.ts";
import type { Call } from "../call.ts";
import { failureOf } from "../failure.ts";
import { comparisonRequestOf, copyWithNewIds, requestOf, type OutboxEntry } from "./outbox-entry.ts";
import { hasSameMessage } from "./outbox-list.ts";

/** The server's answer. `runIds`: all runs of a comparison. */
export type Started = RunStarted & { runIds?: string[] };

/**
 * Sends entries to the server, with the edits that are made while they are sent. Both functions return the server's
 * answer, or `undefined` if the entry was removed or its edit failed, which `fail` records.
 */
export type EntrySender = {
  /** Throws `CallError` if the server did not store the entry. */
  start: (runId: string, signal: AbortSignal) => Promise<Started | undefined>;
  /** Changes the content of a message that is in the server's queue. */
  edit: (entry: OutboxEntry, signal?: AbortSignal) => Promise<Started | undefined>;
};

export function createEntrySender(options: {
  call: Call;
  streamId?: () => string | undefined;
  /** The entry as all tabs have it now; `undefined` if it was removed. */
  sync: (runId: string) => OutboxEntry | undefined;
  replace: (entry: OutboxEntry) => void;
  /** Sends another entry. */
  add: (entry: OutboxEntry) => void;
  fail: (runId: string, error: unknown) => void;
}): EntrySender {
  const { call, add, fail } = options;

  function sync(runId: string, signal: AbortSignal | undefined): OutboxEntry | undefined {
    return signal?.aborted === true ? undefined : options.sync(runId);
  }

  async function send(entry: OutboxEntry, signal: AbortSignal): Promise<Started> {
    const { threadId, runId, comparison: compared } = entry;
    const params = { thread_id: threadId };
    if (compared === undefined)
      return await call("runs.start", { params, body: requestOf(entry, options.streamId?.()) }, signal);
    const body = comparisonRequestOf(entry, compared);
    const { comparison } = await call("comparisons.start", { params, body }, signal);
    const { message_id, answers } = comparison;
    // The thread shows the last one until a choice.
    const reply_id = answers.at(-1)!.reply_id;
    return { run_id: runId, message_id, reply_id, runIds: answers.map((answer) => answer.run_id) };
  }

  async function start(runId: string, signal: AbortSignal): Promise<Started | undefined> {
    const entry = sync(runId, signal);
    if (entry === undefined) return undefined;
    let answer: Started;
    try {
      answer = await send(entry, signal);
    } catch (error) {
      const { code } = failureOf(error);
      if (signal.aborted) return undefined;
      if (isMissingChoice(code) && (entry.assistantId ?? entry.model ?? entry.comparison) != null) {
        // The chosen assistant or a chosen model is no longer available: send the message to the thread's default.
        const latest = sync(runId, signal);
        if (latest === undefined) return undefined;
        const { assistantId: _, model: __, ...withoutChoice } = latest;
        if (code.startsWith("model-")) delete withoutChoice.comparison;
        options.replace(withoutChoice);
        return await start(runId, signal);
      }
      // The server has stored the first version of this message.
      if (code === "conflict" && entry.changed === true) return await edit(entry, signal);
      throw error;
    }
    return await sendLaterEdit(entry, answer, signal);
  }

  async function edit(entry: OutboxEntry, signal?: AbortSignal): Promise<Started | undefined> {
    const { runId, replyId, threadId, message } = entry;
    if (message === undefined) return undefined;
    const answer = { run_id: runId, message_id: message.id, reply_id: replyId };
    try {
      await call("queue.update", {
        params: { thread_id: threadId, queued_id: message.id },
        body: { content: message.content },
      });
    } catch (error) {
      const latest = sync(runId, signal);
      if (latest === undefined) return undefined;
      if (failureOf(error).code === "queued-not-found") {
        // The first version left the queue meanwhile: send the edit as the next message.
        add({ ...copyWithNewIds(latest), parentId: replyId });
        return answer;
      }
      fail(runId, error);
      return undefined;
    }
    return await sendLaterEdit(entry, answer, signal);
  }

  /** The server has stored `sent`. If the message was edited meanwhile, sends the edit. */
  async function sendLaterEdit(
    sent: OutboxEntry,
    answer: Started,
    signal: AbortSignal | undefined,
  ): Promise<Started | undefined> {
    const entry = sync(sent.runId, signal);
    if (entry === undefined || hasSameMessage(entry, sent)) return entry && answer;
    return await edit(entry, signal);
  }

  return { start, edit };
}

function isMissingChoice(code: string): boolean {
  return /^(assistant|model)-not-(found|allowed)$/.test(code);
}
