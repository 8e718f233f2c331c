import type { NumberedRunEvent, RunState } from "./run-events.ts";
import type { Thread } from "./endpoints/threads.ts";

/**
 * The changes of a workspace: what the feed tells other tabs and devices, numbered per workspace, each announced in
 * the transaction that made it.
 */
export type Change =
  /** A thread was made, or anything shown of it changed (title, archive, pin, trash, newest message, running answer). */
  | { type: "thread-put"; thread: Thread }
  /** A thread is gone for good. */
  | { type: "thread-gone"; thread_id: string }
  /** A message was stored or replaced, or has another parent because the one it had was deleted. */
  | { type: "message-put"; thread_id: string; message_id: string; parent_id: string | null }
  /** Messages were deleted. `message-put` announces their children that stayed, before this. */
  | { type: "messages-gone"; thread_id: string; message_ids: string[] }
  /** The branch that is shown to `user_id` in this thread now ends in `message_id`. */
  | { type: "head-put"; thread_id: string; user_id: string; message_id: string }
  /** `user_id` put their thumb up or down on a message, or took it back. */
  | { type: "feedback-put"; thread_id: string; user_id: string; message_id: string }
  /** What waits to be said in this thread is another than before: put there, changed, taken out or sent. */
  | { type: "queue-put"; thread_id: string }
  /** A run's state: from `queued` on to its end. */
  | { type: "run-put"; thread_id: string; run_id: string; reply_id: string; state: RunState }
  /** `user_id` has other files than before, or a message began to speak of one. */
  | { type: "files-put"; user_id: string }
  /** Someone of this workspace changed what assistants there are. */
  | { type: "assistants-put" };

export type NumberedChange = { seq: number; change: Change };

/**
 * What one browser's line carries: the feed, and the events of the runs that some tab of it shows. `hello` comes
 * first and names the feed's newest number. `reset` says that what lies after the asked number is no longer kept:
 * load the rows afresh and go on from `seq`. How it is written on the line: `line.ts`.
 */
export type LiveMessage =
  | { type: "hello"; seq: number }
  | { type: "reset"; seq: number }
  | ({ type: "change" } & NumberedChange)
  | ({ type: "run"; run_id: string } & NumberedRunEvent)
  | { type: "run-reset"; run_id: string };
