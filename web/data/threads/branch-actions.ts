import type { QueryClient } from "@tanstack/react-query";
import { newId } from "#contract/ids.ts";
import type { JsonObject } from "#contract/json.ts";
import { branchKey, latestPageOnly, type BranchRows, type OwnFeedback, withFeedback } from "./branch-rows.ts";
import type { Call } from "../call.ts";
import { CallError } from "../call-error.ts";
import type { Outbox } from "../outbox/outbox.ts";
import {
  regenerationEntry,
  messageEntry,
  type AssistantChoice,
  type ComparedModels,
} from "../outbox/outbox-entry.ts";
import { isTemporaryTopic } from "../drafts/temporary-storage.ts";
import { cachedThread } from "./thread-cache.ts";
import { serviceNowMs } from "../session/service-clock.ts";
import { commitRemovals, deferRemoval, type DeferredRemoval, type Removal } from "./removals.ts";
import type { VisibleQueuedMessage } from "../outbox/queued-messages.ts";

/** What a person does in a thread. Sent messages are shown at once. */
export type BranchActions = {
  send: (request: {
    parentId: string | null;
    content: JsonObject;
    choice: AssistantChoice;
    newThread: boolean;
    /** Adds the message to the queue, behind the running answer. */
    queue?: boolean;
    /** These models answer it side by side. */
    compared?: ComparedModels;
  }) => void;
  regenerate: (request: { parentId: string; choice: AssistantChoice }) => void;
  /** Stops the run; its output so far stays. Throws `CallError`. */
  stop: (runId: string) => Promise<void>;
  /** Continues the interrupted answer of this run. Throws `CallError`. */
  continueRun: (runId: string) => Promise<void>;
  /** Sends a failed message or regeneration again. */
  retrySend: (messageId: string) => void;
  /** Actions on queued messages, on the server or in the outbox. Each throws `CallError`. */
  queue: {
    edit: (entry: VisibleQueuedMessage, content: JsonObject) => Promise<void>;
    remove: (entry: VisibleQueuedMessage) => Promise<void>;
    /** Puts a removed message back at its position in the queue. */
    restore: (entry: VisibleQueuedMessage) => Promise<void>;
    sendNow: (entry: VisibleQueuedMessage) => Promise<void>;
  };
  /** Sets or removes the user's feedback for a message. Throws `CallError`. */
  rate: (messageId: string, feedback: OwnFeedback | null) => Promise<void>;
  /** Pins or unpins a message. Throws `CallError`. */
  pin: (messageId: string, isPinned: boolean) => Promise<void>;
  /** Hides a message, alone or with everything below it, until it is deleted or restored. */
  remove: (removal: Omit<Removal, "threadId">) => DeferredRemoval;
  /**
   * Copies the branch down to this message into a new thread with the title that `titleOf` makes of this one's. Returns
   * its id. Throws `CallError`.
   */
  copyBranch: (messageId: string, titleOf: (title: string) => string) => Promise<string>;
  /** Switches to the branch that contains this message. Throws `CallError`. */
  showMessage: (messageId: string) => Promise<void>;
  /** The summary that models read in place of the messages up to this one. Each throws `CallError`. */
  summaries: {
    /** Summarizes all but the last messages. */
    create: () => Promise<void>;
    edit: (messageId: string, text: string) => Promise<void>;
    remove: (messageId: string) => Promise<void>;
  };
};

export function createBranchActions(
  services: { call: Call; queries: QueryClient; outbox: Outbox },
  threadId: string,
): BranchActions {
  const { call, queries, outbox } = services;
  const failed = () =>
    outbox.all.get().filter((entry) => entry.threadId === threadId && entry.state === "failed");
  const owns = (messageId: string) => (entry: { replyId: string; message?: { id: string } }) =>
    entry.message?.id === messageId || (entry.message === undefined && entry.replyId === messageId);

  /** Only this tab keeps what was not sent in a temporary thread, also before the page has read the thread. */
  const withTemporary = (choice: AssistantChoice): AssistantChoice => {
    const until = cachedThread(queries, threadId)?.temporary_until;
    const isTemporary =
      until === undefined
        ? isTemporaryTopic(threadId) ||
          outbox.all.get().some((entry) => entry.threadId === threadId && entry.temporary === true)
        : until !== null;
    return isTemporary ? { ...choice, temporary: true } : choice;
  };

  const paramsOf = ({ id }: VisibleQueuedMessage) => ({ thread_id: threadId, queued_id: id });
  const refresh = async () => await queries.invalidateQueries({ queryKey: branchKey(threadId) });

  return {
    queue: {
      async edit(entry, content) {
        if (entry.outboxEntry === undefined) {
          await call("queue.update", { params: paramsOf(entry), body: { content } });
          await refresh();
        } else outbox.edit(entry.outboxEntry.runId, content);
      },
      async remove(entry) {
        if (entry.outboxEntry !== undefined) outbox.remove(entry.outboxEntry.runId);
        try {
          // The server may have an unconfirmed message too.
          await call("queue.remove", { params: paramsOf(entry) });
        } catch (error) {
          const isGone = error instanceof CallError && error.status === 404;
          if (entry.outboxEntry === undefined && !isGone) throw error;
        }
        await refresh();
      },
      async restore(entry) {
        if (entry.outboxEntry === undefined) {
          const body = { content: entry.content, restore: true };
          await call("queue.update", { params: paramsOf(entry), body });
          await refresh();
        } else outbox.restore(entry.outboxEntry);
      },
      async sendNow(entry) {
        if (entry.outboxEntry === undefined) {
          await call("queue.send", { params: paramsOf(entry) });
          await refresh();
        } else outbox.retry(entry.outboxEntry.runId);
      },
    },
    send(request) {
      queries.setQueryData<BranchRows>(branchKey(threadId), latestPageOnly);
      outbox.add(messageEntry({ threadId, ...request, choice: withTemporary(request.choice) }));
    },
    regenerate(request) {
      // A failed regeneration of the same message is replaced.
      for (const entry of failed())
        if (entry.message === undefined && entry.parentId === request.parentId) outbox.remove(entry.runId);
      outbox.add(regenerationEntry({ threadId, ...request, choice: withTemporary(request.choice) }));
    },
    async continueRun(runId) {
      await commitRemovals(threadId);
      // With an id of its own a repeated call continues the run only once.
      await call("runs.continue", { params: { run_id: runId }, body: { id: newId("run") } });
      await queries.invalidateQueries({ queryKey: branchKey(threadId) });
    },
    async pin(messageId, isPinned) {
      const params = { thread_id: threadId, message_id: messageId };
      await call("messages.pin", { params, body: { is_pinned: isPinned } });
      await refresh();
    },
    remove(removal) {
      // What somebody else writes below in the meantime is not deleted.
      const until = new Date(serviceNowMs()).toISOString();
      return deferRemoval({ ...removal, threadId }, async () => {
        await call("messages.remove", {
          params: { thread_id: threadId },
          query: removal.withDescendants ? { descendants: "true", until } : {},
          body: { message_ids: [removal.messageId] },
        });
        await refresh();
      });
    },
    async copyBranch(messageId, titleOf) {
      await commitRemovals(threadId);
      const params = { thread_id: threadId, message_id: messageId };
      const title = cachedThread(queries, threadId)?.title ?? null;
      const body = title === null ? {} : { title: titleOf(title).slice(0, 255) };
      return (await call("messages.copyBranch", { params, body })).thread_id;
    },
    rate: createRate({ call, queries }, threadId),
    summaries: {
      async create() {
        await call("summaries.create", { params: { thread_id: threadId }, body: {} });
        await refresh();
      },
      async edit(messageId, text) {
        const params = { thread_id: threadId, summary_id: messageId };
        await call("summaries.update", { params, body: { text } });
        await refresh();
      },
      async remove(messageId) {
        await call("summaries.remove", { params: { thread_id: threadId, summary_id: messageId } });
        await refresh();
      },
    },
    stop: async (runId) => await outbox.stop(runId),
    retrySend(messageId) {
      const entry = failed().find(owns(messageId));
      if (entry !== undefined) outbox.retry(entry.runId);
    },
    async showMessage(messageId) {
      // A failed message is a branch that exists only in this browser.
      const own = failed().find(owns(messageId));
      for (const entry of failed()) outbox.update(entry.runId, { isHidden: entry !== own });
      if (own !== undefined) return;
      await call("messages.setHead", { params: { thread_id: threadId }, body: { message_id: messageId } });
      await queries.invalidateQueries({ queryKey: branchKey(threadId) });
    },
  };
}

/** Sets or removes the user's feedback for a message. Throws `CallError`. */
type Rate = (messageId: string, feedback: OwnFeedback | null) => Promise<void>;

/** Shows feedback as an optimistic update. Requests are sent one after the other, so that the last click wins. */
function createRate({ call, queries }: { call: Call; queries: QueryClient }, threadId: string): Rate {
  const queryKey = branchKey(threadId);
  let previous: Promise<unknown> = Promise.resolve();

  async function send(messageId: string, feedback: OwnFeedback | null): Promise<void> {
    const params = { thread_id: threadId, message_id: messageId };
    if (feedback === null) await call("messages.withdrawFeedback", { params });
    else await call("messages.feedback", { params, body: feedback });
  }

  return async function rate(messageId, feedback) {
    // A read in flight does not contain this feedback yet.
    await queries.cancelQueries({ queryKey });
    queries.setQueryData<BranchRows>(queryKey, (rows) => withFeedback(rows, messageId, feedback));
    const sent = previous.then(async () => await send(messageId, feedback));
    previous = sent.catch(() => {});
    try {
      await sent;
    } finally {
      // Read the stored value, whether the request succeeded or failed.
      await queries.invalidateQueries({ queryKey });
    }
  };
}
