import type { FeedbackType } from "#contract/endpoints/scores.ts";
import type { QueryClient } from "@tanstack/react-query";
import { branchKey, withFeedback, type BranchRows } from "./branch-rows.ts";
import type { Call } from "../call.ts";

/** Puts this person's thumb on a message, or takes it back. Throws `CallError`. */
export type Rate = (messageId: string, feedback: FeedbackType | null) => Promise<void>;

/** A thumb is shown at once. Of quick presses each waits for the one before, so that the last one stands. */
export function createThumbs(
  { call, queries }: { call: Call; queries: QueryClient },
  threadId: string,
): Rate {
  const queryKey = branchKey(threadId);
  let before: Promise<unknown> = Promise.resolve();

  async function tell(messageId: string, feedback: FeedbackType | null): Promise<void> {
    const params = { thread_id: threadId, message_id: messageId };
    if (feedback === null) await call("messages.withdrawFeedback", { params });
    else await call("messages.feedback", { params, body: { type: feedback } });
  }

  return async function rate(messageId, feedback) {
    // What is being read now knows nothing of this thumb yet.
    await queries.cancelQueries({ queryKey });
    queries.setQueryData<BranchRows>(queryKey, (rows) => withFeedback(rows, messageId, feedback));
    const told = before.then(async () => await tell(messageId, feedback));
    before = told.catch(() => {});
    try {
      await told;
    } finally {
      // The rows say how it ended, whether it was stored or not.
      await queries.invalidateQueries({ queryKey });
    }
  };
}
