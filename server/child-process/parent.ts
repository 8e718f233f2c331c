import type { FromChild, ToChild } from "./process-messages.ts";

/** A child process's connection to the process pool that started it. */
export type Parent<Message> = {
  /** Reports that the process can take tasks. */
  ready(): Promise<void>;
  /** Sends a message of the current task, and waits first while too many are not acknowledged. */
  send(message: Message): Promise<void>;
  /** Sends the last message of the current task. With `isSpent`, the pool kills the process. */
  finish(message: Message, isSpent?: boolean): Promise<void>;
};

const watchMs = 50;
/** More messages would pile up in the server's memory. */
const unacknowledgedMax = 4;

/**
 * Connects a child process to its pool. The process kills itself when it exceeds the pool's memory limit, and exits
 * when the server does.
 */
export function connectToParent<Task, Message>(onTask: (task: Task) => void): Parent<Message> {
  const memoryBytesMax = Number(process.argv[2]);
  let unacknowledged = 0;
  let resume = () => {};

  function checkMemory(): void {
    if (process.memoryUsage.rss() > memoryBytesMax) process.kill(process.pid, "SIGKILL");
  }

  setInterval(checkMemory, watchMs);
  process.on("disconnect", () => process.exit());
  process.on("message", (received: ToChild<Task>) => {
    if (received.kind === "task") return onTask(received.task);
    unacknowledged--;
    resume();
  });

  async function post(sent: FromChild<Message>): Promise<void> {
    // A task can end between two checks.
    checkMemory();
    await new Promise<void>((resolve) => process.send?.(sent, () => resolve()));
  }

  return {
    ready: async () => await post({ kind: "ready" }),
    async send(message) {
      while (unacknowledged >= unacknowledgedMax) await new Promise<void>((resolve) => (resume = resolve));
      unacknowledged++;
      await post({ kind: "message", message });
    },
    finish: async (message, isSpent = false) => await post({ kind: "last", message, isSpent }),
  };
}
