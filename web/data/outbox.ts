import type { RunStarted } from "#contract/runs.ts";
import { backoffMs, pause } from "./backoff.ts";
import type { Call } from "./call.ts";
import { CallError, failureOf } from "./failure.ts";
import { createOutboxFile } from "./outbox-file.ts";
import { requestOf, type Outgoing } from "./outgoing.ts";
import type { SafeStorage } from "./safe-storage.ts";
import { createStore, type Store } from "./store.ts";

/**
 * What is on its way to the service. It is kept on this device until the service has stored it: a send that fails
 * stays, goes by itself when the line is back, and outlives a reload.
 */
export type Outbox = {
  all: Pick<Store<readonly Outgoing[]>, "get" | "subscribe">;
  /** Shows it at once and sends it. */
  add: (out: Outgoing) => void;
  sendAgain: (runId: string) => void;
  /** Stops the run, or the sending of it once it is known. Throws `CallError`. */
  stop: (runId: string) => Promise<void>;
  change: (runId: string, change: Partial<Outgoing>) => void;
  drop: (runId: string) => void;
  /** The line is back: sends what failed for the lack of it. */
  lineIsBack: () => void;
};

/** Three tries at once; after that it waits for the line, or for half a minute. */
const triesAtOnce = 3;
const laterMs = 30_000;

export function createOutbox(options: {
  call: Call;
  storage: SafeStorage;
  /** The service has it: the rows are to be read anew, after which the entry is let go. */
  stored: (out: Outgoing) => Promise<void>;
  random?: () => number;
}): Outbox {
  const file = createOutboxFile(options.storage);
  const all = createStore<readonly Outgoing[]>(file.read());
  const toStop = new Set<string>();
  const delivering = new Set<string>();

  const find = (runId: string) => all.get().find((out) => out.runId === runId);

  function put(next: Outgoing): void {
    all.set(all.get().map((out) => (out.runId === next.runId ? next : out)));
    file.write(next);
  }

  function change(runId: string, change: Partial<Outgoing>): void {
    const out = find(runId);
    if (out !== undefined) put({ ...out, ...change });
  }

  function drop(runId: string): void {
    all.set(all.get().filter((out) => out.runId !== runId));
    file.remove(runId);
  }

  async function deliver(runId: string): Promise<void> {
    if (delivering.has(runId)) return;
    delivering.add(runId);
    try {
      const answer = await started(runId);
      if (answer !== undefined) await arrived(runId, answer);
    } finally {
      delivering.delete(runId);
    }
  }

  /** The service's answer, or `undefined` once it has failed and says so. */
  async function started(runId: string): Promise<RunStarted | undefined> {
    for (let tries = 1; ; tries++) {
      const out = find(runId);
      if (out === undefined) return undefined;
      try {
        return await options.call("runs.start", {
          params: { thread_id: out.threadId },
          body: requestOf(out),
        });
      } catch (error) {
        const failure = failureOf(error);
        if (!failure.retry || tries >= triesAtOnce) {
          change(runId, { state: "failed", failure });
          if (failure.retry) void later(runId);
          return undefined;
        }
        await pause(
          (error instanceof CallError ? error.retryAfterMs : undefined) ??
            backoffMs(tries - 1, options.random),
        );
      }
    }
  }

  async function later(runId: string): Promise<void> {
    await pause(laterMs);
    again(runId);
  }

  function again(runId: string): void {
    const out = find(runId);
    if (out?.state !== "failed") return;
    const { failure: _, ...rest } = out;
    put({ ...rest, state: "sending" });
    void deliver(runId);
  }

  async function arrived(runId: string, answer: RunStarted): Promise<void> {
    change(runId, { state: "stored", replyId: answer.reply_id });
    const out = find(runId);
    file.remove(runId);
    if (toStop.delete(runId)) await stop(runId).catch(() => {});
    if (out !== undefined) await options.stored(out);
    drop(runId);
  }

  async function stop(runId: string): Promise<void> {
    await options.call("runs.stop", { params: { run_id: runId } });
  }

  for (const out of all.get()) void deliver(out.runId);

  return {
    all,
    change,
    drop,
    sendAgain: again,
    add(out) {
      all.set([...all.get(), out]);
      file.write(out);
      void deliver(out.runId);
    },
    async stop(runId) {
      if (find(runId)?.state === "sending") toStop.add(runId);
      else await stop(runId);
    },
    lineIsBack() {
      for (const out of all.get()) if (out.failure?.retry === true) again(out.runId);
    },
  };
}
