import type { QueryClient } from "@tanstack/react-query";
import { branchKey, withFeedback, type BranchRows, type OwnFeedback } from "./branch-rows.ts";
import type { Call } from "../call.ts";

/** Sets or removes the user's feedback for a message. Throws `CallError`. */
export type Rate = (messageId: string, feedback: OwnFeedback | null) => Promise<void>;

/** Shows feedback as an optimistic update. Requests are sent one after the other, so that the last click wins. */
export function createRate({ call, queries }: { call: Call; queries: QueryClient }, threadId: string): Rate {
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
