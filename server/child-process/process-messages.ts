/** The messages between a process pool and its child processes. Both sides are always of the same version. */

/** `taken` acknowledges one message of the current task. */
export type ToChild<Task> = { kind: "task"; task: Task } | { kind: "taken" };

/**
 * `ready`: the process has loaded its code. `last`: the task is done; with `isSpent`, the process cannot be used
 * again.
 */
export type FromChild<Message> =
  | { kind: "ready" }
  | { kind: "message"; message: Message }
  | { kind: "last"; message: Message; isSpent: boolean };
