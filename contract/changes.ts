import type { NumberedRunEvent, RunState } from "./run-events.ts";
import type { Thread } from "./endpoints/threads.ts";
import type { FactsOf } from "./facts/nouns.ts";

/**
 * A change in a workspace, which the change feed sends to other tabs and devices. Changes are numbered per workspace and
 * stored in the transaction that makes them.
 */
export type Change =
  /** A thread was created, or a visible field changed (title, archive, pin, trash, newest message, active run). */
  | { type: "thread-put"; thread: Thread }
  /** A thread was permanently deleted. */
  | { type: "thread-gone"; thread_id: string }
  /** A message was stored or updated, or got a new parent because its parent was deleted. */
  | { type: "message-put"; thread_id: string; message_id: string; parent_id: string | null }
  /** Messages were deleted. `message-put` changes of their remaining children come before this. */
  | { type: "messages-gone"; thread_id: string; message_ids: string[] }
  /** The visible branch of `user_id` in this thread now ends in `message_id`. */
  | { type: "head-put"; thread_id: string; user_id: string; message_id: string }
  /** `user_id` rated a message or removed the rating. */
  | { type: "feedback-put"; thread_id: string; user_id: string; message_id: string }
  /** The queue of the thread changed: a message was added, changed, removed or sent. */
  | { type: "queue-put"; thread_id: string }
  /** A summary of the thread was written, changed or removed. */
  | { type: "summary-put"; thread_id: string }
  /**
   * The state of a run changed, starting with `running`. `stream_id` is the live stream that was named when the run was
   * started: that stream has all events of the run.
   */
  | {
      type: "run-put";
      thread_id: string;
      run_id: string;
      reply_id: string;
      state: RunState;
      stream_id?: string;
    }
  /** `user_id` is typing in a shared thread, until then at least (milliseconds since 1970). */
  | { type: "typing-put"; thread_id: string; user_id: string; name: string | null; until: number }
  /** The files of `user_id` changed, or a message now links to one. */
  | { type: "files-put"; user_id: string }
  /** Someone in this workspace changed a list, which is read again. */
  | { type: ListChange };

/** A list has the name of its noun and of its endpoints: `prompts-put` is about `prompts.list`. */
export type ListChange = "assistants-put" | FactsOf<"changes">[number];

export type NumberedChange = { seq: number; change: Change };

/**
 * A message of a browser's event stream: changes of the workspace, and events of the runs that its tabs show. `hello` is first
 * and has the newest change number. `reset` means that the changes after the requested number are no longer stored: the client
 * reloads everything and continues from `seq`. `access` is a digest of what the person may use (models, assistants, tools,
 * permissions): when it changes, the client reloads what depends on it. `live-encoding.ts` defines the encoding.
 */
export type LiveMessage =
  /** Without `access` for users of apps, who may use everything. */
  | { type: "hello"; seq: number; access?: string }
  | { type: "access"; access: string }
  | { type: "reset"; seq: number }
  | ({ type: "change" } & NumberedChange)
  | ({ type: "run"; run_id: string } & NumberedRunEvent)
  | { type: "run-reset"; run_id: string };
