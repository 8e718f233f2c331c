import type { JsonObject } from "#contract/json.ts";
import type { RunStarted } from "#contract/endpoints/runs.ts";
import { backoffMs, pause } from "#web/lib/backoff.ts";
import type { Call } from "../call.ts";
import { CallError } from "../call-error.ts";
import { failureOf } from "../failure.ts";
import { byTurn, createOutboxFile } from "./outbox-storage.ts";
import { outgoingAnew, requestOf, type Outgoing } from "./outgoing-message.ts";
import type { SafeStorage } from "../drafts/safe-storage.ts";
import { createStore, type Store } from "#web/lib/store.ts";

/**
 * What is on its way to the service. It is kept on this device until the service has stored it: a send that fails
 * stays, goes by itself when the line is back, and outlives a reload.
 */
export type Outbox = {
  all: Pick<Store<readonly Outgoing[]>, "get" | "subscribe">;
  /** Shows it at once and sends it. */
  add: (out: Outgoing) => void;
  sendAgain: (runId: string) => void;
  /** Gives a message that waits for its turn other words, whether it is under way, has failed or has just arrived. */
  reword: (runId: string, content: JsonObject) => void;
  /** Stops the run, or the sending of it once it is known. Throws `CallError`. */
  stop: (runId: string) => Promise<void>;
  change: (runId: string, change: Partial<Outgoing>) => void;
  /** Takes it out, in every tab of this browser. */
  drop: (runId: string) => void;
  /** What was dropped is on its way again, in its place. */
  putBack: (out: Outgoing) => void;
  /** The line is back: sends what failed for the lack of it. */
  lineIsBack: () => void;
  /** What lies on the device is somebody else's now, or has come to others: goes on with what is there. */
  reread: () => void;
};

function isOfChoice(code: string): boolean {
  return code === "assistant-not-found" || code === "model-not-found";
}

function isSame(one: Outgoing["message"], other: Outgoing["message"]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Three tries at once; after that it waits for the line, or for half a minute. */
const triesAtOnce = 3;
const laterMs = 30_000;
/** There is no room beside the answers that are being written. That may last, so it is said at once. */
const tooMany = "too-many-runs";

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
  const delivering = new Map<string, AbortController>();

  const find = (runId: string) => all.get().find((out) => out.runId === runId);

  function begin(out: Outgoing): void {
    all.set([...all.get(), out].toSorted(byTurn));
    file.write(out);
    void deliver(out.runId);
  }

  function put(next: Outgoing): void {
    all.set(all.get().map((out) => (out.runId === next.runId ? next : out)));
    file.write(next);
  }

  function change(runId: string, change: Partial<Outgoing>): void {
    const out = find(runId);
    if (out !== undefined) put({ ...out, ...change });
  }

  /** It is none of ours any more. */
  function forget(runId: string): void {
    const threadId = find(runId)?.threadId;
    breakOff(runId);
    all.set(all.get().filter((out) => out.runId !== runId));
    deliverBehind(threadId);
  }

  function breakOff(runId: string): void {
    delivering.get(runId)?.abort(new DOMException("It is not to be sent any more.", "AbortError"));
    delivering.delete(runId);
  }

  /** What waits for its turn goes after what was said before it in its thread, so that both stay in order. */
  function isBehind(runId: string): boolean {
    const out = find(runId);
    if (out?.queue !== true) return false;
    const before = all.get().slice(0, all.get().indexOf(out));
    return before.some((other) => {
      if (other.threadId !== out.threadId || other.state === "stored") return false;
      // One that can never go keeps nobody waiting but who is to stand below it.
      const canGo = other.state === "sending" || other.failure?.retry === true;
      return other.replyId === out.parentId || (other.queue === true && canGo);
    });
  }

  function deliverBehind(threadId: string | undefined): void {
    for (const out of all.get())
      if (out.threadId === threadId && out.state === "sending") void deliver(out.runId);
  }

  async function deliver(runId: string): Promise<void> {
    if (delivering.has(runId) || isBehind(runId)) return;
    const ending = new AbortController();
    delivering.set(runId, ending);
    try {
      const answer = await started(runId, ending.signal);
      if (ending.signal.aborted) return;
      if (answer !== undefined) await arrived(runId, answer);
      else deliverBehind(find(runId)?.threadId);
    } finally {
      if (delivering.get(runId) === ending) delivering.delete(runId);
    }
  }

  /** As all tabs have it: another one may have taken it out, or given it other words. */
  function agreed(runId: string): Outgoing | undefined {
    const filed = file.find(runId);
    if (filed === "removed") forget(runId);
    else if (filed !== undefined) take(filed);
    return find(runId);
  }

  function take({ runId, message, changed }: Outgoing): void {
    const out = find(runId);
    if (out === undefined || isSame(out.message, message)) return;
    const next = { ...out, ...(message && { message }), ...(changed === true && { changed }) };
    all.set(all.get().map((other) => (other === out ? next : other)));
  }

  /** The service's answer, or `undefined` once it has failed and says so, or is not to be sent any more. */
  async function started(runId: string, signal: AbortSignal): Promise<RunStarted | undefined> {
    for (let tries = 1; ; tries++) {
      const out = signal.aborted ? undefined : agreed(runId);
      if (out === undefined) return undefined;
      try {
        const answer = await options.call(
          "runs.start",
          { params: { thread_id: out.threadId }, body: requestOf(out) },
          signal,
        );
        return await withLastWords(out, answer, signal);
      } catch (error) {
        if (signal.aborted) return undefined;
        const failure = failureOf(error);
        if (isOfChoice(failure.code) && (out.assistantId ?? out.model) != null) {
          // Whom it was for went meanwhile: no reason for words to stay behind.
          const { assistantId: _, model: __, ...anyone } = find(runId) ?? out;
          put(anyone);
          continue;
        }
        if (failure.code === "conflict" && out.changed === true) return await reworded(out, signal);
        const askedMs = error instanceof CallError ? error.retryAfterMs : undefined;
        const isFull = failure.code === tooMany;
        if (!failure.retry || tries >= triesAtOnce || isFull) {
          change(runId, { state: "failed", failure });
          if (isFull) void quietlyAgain(runId, askedMs ?? laterMs);
          else if (failure.retry) void later(runId);
          return undefined;
        }
        await pause(askedMs ?? backoffMs(tries - 1, options.random), signal);
      }
    }
  }

  /** The service has what was sent; where it was given other words meanwhile, those are to follow. */
  async function withLastWords(
    sent: Outgoing,
    answer: RunStarted,
    signal?: AbortSignal,
  ): Promise<RunStarted | undefined> {
    const out = signal?.aborted === true ? undefined : agreed(sent.runId);
    if (out === undefined || isSame(out.message, sent.message)) return out && answer;
    return await reworded(out, signal);
  }

  /** Its first words have arrived: there it waits, and is given the others. */
  async function reworded(out: Outgoing, signal?: AbortSignal): Promise<RunStarted | undefined> {
    const { runId, replyId, threadId, message } = out;
    if (message === undefined) return undefined;
    const answer = { run_id: runId, message_id: message.id, reply_id: replyId };
    try {
      await options.call("queue.update", {
        params: { thread_id: threadId, queued_id: message.id },
        body: { content: message.content },
      });
    } catch (error) {
      const failure = failureOf(error);
      const last = signal?.aborted === true ? undefined : agreed(runId);
      if (last === undefined) return undefined;
      if (failure.code === "queued-not-found") {
        // The first ones were said meanwhile; the others are not lost, but said next.
        begin({ ...outgoingAnew(last), parentId: replyId });
        return answer;
      }
      change(runId, { state: "failed", failure });
      if (failure.retry) void later(runId);
      return undefined;
    }
    return await withLastWords(out, answer, signal);
  }

  /** Until there is room: it says all the while why it has not gone. */
  async function quietlyAgain(runId: string, ms: number): Promise<void> {
    await pause(ms);
    if (find(runId)?.state === "failed") void deliver(runId);
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
    deliverBehind(out?.threadId);
    if (toStop.delete(runId)) await stop(runId).catch(() => {});
    if (out === undefined) forget(runId);
    else await letGo(out);
  }

  /** Another tab's sending has arrived. */
  async function arrivedElsewhere(out: Outgoing): Promise<void> {
    if (out.state === "stored") return;
    const { failure: _, ...rest } = out;
    all.set(all.get().map((other) => (other === out ? { ...rest, state: "stored" } : other)));
    breakOff(out.runId);
    await letGo(out);
  }

  /** Once its rows are read; words that it is given until then go first. */
  async function letGo(out: Outgoing): Promise<void> {
    await options.stored(out);
    const last = find(out.runId);
    if (last === undefined || isSame(last.message, out.message)) return forget(out.runId);
    const answer = await reworded(last);
    if (answer !== undefined) await arrived(out.runId, answer);
  }

  async function stop(runId: string): Promise<void> {
    await options.call("runs.stop", { params: { run_id: runId } });
  }

  file.heardElsewhere((runId, filed) => {
    const out = find(runId);
    if (out === undefined) return;
    if (filed === "removed") forget(runId);
    else if (filed === undefined) void arrivedElsewhere(out);
    else take(filed);
  });
  for (const out of all.get()) void deliver(out.runId);

  return {
    all,
    change,
    drop(runId) {
      file.takeOut(runId);
      forget(runId);
    },
    reread() {
      const filed = file.read();
      for (const { runId } of all.get()) if (!filed.some((out) => out.runId === runId)) breakOff(runId);
      all.set(filed.map((out) => find(out.runId) ?? out));
      for (const out of all.get()) if (out.state === "sending") void deliver(out.runId);
    },
    sendAgain: again,
    reword(runId, content) {
      const out = find(runId);
      if (out?.message === undefined) return;
      change(runId, { message: { ...out.message, content }, changed: true });
      again(runId);
    },
    putBack: (dropped) => begin(outgoingAnew(dropped)),
    add: (wanted) => begin({ ...wanted, order: (all.get().at(-1)?.order ?? 0) + 1 }),
    async stop(runId) {
      if (find(runId)?.state === "sending") toStop.add(runId);
      else await stop(runId);
    },
    lineIsBack() {
      for (const out of all.get()) if (out.failure?.retry === true) again(out.runId);
    },
  };
}
