import { newId } from "#contract/ids.ts";
import type { JsonObject } from "#contract/json.ts";
import type { FeedbackType } from "#contract/endpoints/scores.ts";
import type { QueryClient } from "@tanstack/react-query";
import { branchKey, lowerEndOnly, type BranchRows } from "./branch-rows.ts";
import type { Call } from "../call.ts";
import { CallError } from "../call-error.ts";
import type { Outbox } from "../outbox/outbox.ts";
import { regenerationEntry, messageEntry, type AssistantChoice } from "../outbox/outbox-entry.ts";
import { createThumbs } from "./feedback.ts";
import type { VisibleQueuedMessage } from "../outbox/queued-messages.ts";

/** What a person does in a thread. What goes to the service is shown at once. */
export type BranchDeeds = {
  send: (wanted: {
    parentId: string | null;
    content: JsonObject;
    choice: AssistantChoice;
    newThread: boolean;
    /** It waits for its turn behind the answer that is being written. */
    queue?: boolean;
  }) => void;
  answerAgain: (wanted: { parentId: string; choice: AssistantChoice }) => void;
  /** Stops the run that writes this reply. What was said stays. Throws `CallError`. */
  stop: (runId: string) => Promise<void>;
  /** Goes on with the answer that this run broke off. Throws `CallError`. */
  goOn: (runId: string) => Promise<void>;
  /** Sends again what failed: the message, or the wish for another answer, with this id. */
  sendAgain: (messageId: string) => void;
  /** What can be done with what waits for its turn, here or at the service. Each throws `CallError`. */
  waiting: {
    reword: (entry: VisibleQueuedMessage, content: JsonObject) => Promise<void>;
    remove: (entry: VisibleQueuedMessage) => Promise<void>;
    /** What was removed waits again where it did. */
    putBack: (entry: VisibleQueuedMessage) => Promise<void>;
    sendNow: (entry: VisibleQueuedMessage) => Promise<void>;
  };
  /** Puts this person's thumb on a message, or takes it back. Throws `CallError`. */
  rate: (messageId: string, feedback: FeedbackType | null) => Promise<void>;
  /** Shows the branch that goes through this message. Throws `CallError`. */
  show: (messageId: string) => Promise<void>;
};

export function createBranchDeeds(
  services: { call: Call; queries: QueryClient; outbox: Outbox },
  threadId: string,
): BranchDeeds {
  const { call, queries, outbox } = services;
  const failed = () => outbox.all.get().filter((out) => out.threadId === threadId && out.state === "failed");
  const owns = (messageId: string) => (out: { replyId: string; message?: { id: string } }) =>
    out.message?.id === messageId || (out.message === undefined && out.replyId === messageId);

  const paramsOf = ({ id }: VisibleQueuedMessage) => ({ thread_id: threadId, queued_id: id });
  const read = async () => await queries.invalidateQueries({ queryKey: branchKey(threadId) });

  return {
    waiting: {
      async reword(entry, content) {
        if (entry.out === undefined) {
          await call("queue.update", { params: paramsOf(entry), body: { content } });
          await read();
        } else outbox.edit(entry.out.runId, content);
      },
      async remove(entry) {
        if (entry.out !== undefined) outbox.remove(entry.out.runId);
        try {
          // One that is not known to have arrived may have.
          await call("queue.remove", { params: paramsOf(entry) });
        } catch (error) {
          const isGone = error instanceof CallError && error.status === 404;
          if (entry.out === undefined && !isGone) throw error;
        }
        await read();
      },
      async putBack(entry) {
        if (entry.out === undefined) {
          const body = { content: entry.content, restore: true };
          await call("queue.update", { params: paramsOf(entry), body });
          await read();
        } else outbox.restore(entry.out);
      },
      async sendNow(entry) {
        if (entry.out === undefined) {
          await call("queue.send", { params: paramsOf(entry) });
          await read();
        } else outbox.retry(entry.out.runId);
      },
    },
    send(wanted) {
      queries.setQueryData<BranchRows>(branchKey(threadId), lowerEndOnly);
      outbox.add(messageEntry({ threadId, ...wanted }));
    },
    answerAgain(wanted) {
      // The same wish, where it failed before, is not kept beside the new one.
      for (const out of failed())
        if (out.message === undefined && out.parentId === wanted.parentId) outbox.remove(out.runId);
      outbox.add(regenerationEntry({ threadId, ...wanted }));
    },
    async goOn(runId) {
      // Its own id, so that a repeated call goes on once.
      await call("runs.continue", { params: { run_id: runId }, body: { id: newId("run") } });
      await queries.invalidateQueries({ queryKey: branchKey(threadId) });
    },
    rate: createThumbs({ call, queries }, threadId),
    stop: async (runId) => await outbox.stop(runId),
    sendAgain(messageId) {
      const out = failed().find(owns(messageId));
      if (out !== undefined) outbox.retry(out.runId);
    },
    async show(messageId) {
      // What failed to go is a branch of this browser alone.
      const own = failed().find(owns(messageId));
      for (const out of failed()) outbox.update(out.runId, { aside: out !== own });
      if (own !== undefined) return;
      await call("messages.setHead", { params: { thread_id: threadId }, body: { message_id: messageId } });
      await queries.invalidateQueries({ queryKey: branchKey(threadId) });
    },
  };
}
