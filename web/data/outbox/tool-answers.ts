import type { Json } from "#contract/json.ts";
import { backoffMs, pause } from "#web/lib/backoff.ts";
import type { Call } from "../call.ts";
import { CallError } from "../call-error.ts";
import { failureOf, type Failure } from "../failure.ts";
import type { SafeStorage } from "../drafts/safe-storage.ts";
import { createStore, type Store } from "#web/lib/store.ts";

/** Whether a call may be carried out: from now on without asking in its thread (`always`), or why not. */
export type Decision = { approved: boolean; always?: boolean; reason?: string };

/** What a person says to a tool call that waits for them. */
export type Said = Decision | { result: Json };

/** It on its way to the service. */
export type OutgoingAnswer = {
  runId: string;
  toolCallId: string;
  said: Said;
  /** `kept`: the line is down, it goes when that is back. `sent`: the service has it, and its run tells it soon. */
  state: "sending" | "kept" | "sent" | "failed";
  failure?: Failure;
  createdAt: string;
};

/**
 * Answers to waiting tool calls. Each is kept on this device until the service has it or says no: what is answered
 * offline goes by itself when the line is back, and outlives a reload.
 */
export type Answers = {
  all: Pick<Store<readonly OutgoingAnswer[]>, "get" | "subscribe">;
  give: (answer: { runId: string; toolCallId: string; said: Said }) => void;
  /** The line is back: sends what was kept. */
  lineIsBack: () => void;
  /** What lies on the device is somebody else's now, or has come to others: goes on with what is there. */
  reread: () => void;
};

const prefix = "parlance.answers.";
/** 30 days, as long as a sign-in lasts. */
const keptMs = 30 * 24 * 3_600_000;
/** Three tries at once; after that it waits for the line, or for half a minute. */
const triesAtOnce = 3;
const laterMs = 30_000;
/** There is no room beside the answers that are being written. That may last, so it is said at once. */
const tooMany = "too-many-runs";

export function createAnswers(options: {
  call: Call;
  storage: SafeStorage;
  /** The service knows more of this run than we do: read it anew. */
  refused: (runId: string) => void;
  random?: () => number;
}): Answers {
  const { storage } = options;
  const all = createStore<readonly OutgoingAnswer[]>(read(storage));
  const delivering = new Set<string>();

  const find = (key: string) => all.get().find((out) => keyOf(out) === key);

  function put(next: OutgoingAnswer): void {
    const key = keyOf(next);
    all.set([...all.get().filter((out) => keyOf(out) !== key), next]);
    if (next.state === "sending" || next.state === "kept") storage.set(key, JSON.stringify(next));
    else storage.remove(key);
  }

  async function deliver(key: string): Promise<void> {
    if (delivering.has(key)) return;
    delivering.add(key);
    for (let tries = 1; ; tries++) {
      const out = find(key);
      // Another person's by now.
      if (out === undefined) break;
      try {
        await send(out);
        if (find(key) === undefined) break;
        const { failure: _, ...rest } = out;
        put({ ...rest, state: "sent" });
        break;
      } catch (error) {
        if (find(key) === undefined) break;
        const failure = failureOf(error);
        if (!failure.retry) {
          put({ ...out, state: "failed", failure });
          options.refused(out.runId);
          break;
        }
        const askedMs = error instanceof CallError ? error.retryAfterMs : undefined;
        if (tries >= triesAtOnce || failure.code === tooMany) {
          put({ ...out, state: "kept", failure });
          void pause(askedMs ?? laterMs).then(() => quietlyAgain(key));
          break;
        }
        await pause(askedMs ?? backoffMs(tries - 1, options.random));
      }
    }
    delivering.delete(key);
  }

  async function send({ runId, toolCallId, said }: OutgoingAnswer): Promise<void> {
    const params = { run_id: runId };
    if ("approved" in said)
      await options.call("runs.approve", {
        params,
        body: { tool_call_id: toolCallId, ...said },
      });
    else
      await options.call("runs.giveResult", {
        params,
        body: { tool_call_id: toolCallId, result: said.result },
      });
  }

  /** It says all the while why it has not gone. */
  function quietlyAgain(key: string): void {
    if (find(key)?.state === "kept") void deliver(key);
  }

  function again(key: string): void {
    const out = find(key);
    if (out?.state !== "kept") return;
    const { failure: _, ...rest } = out;
    put({ ...rest, state: "sending" });
    void deliver(key);
  }

  for (const out of all.get()) void deliver(keyOf(out));

  return {
    all,
    give(answer) {
      put({ ...answer, state: "sending", createdAt: new Date().toISOString() });
      void deliver(keyOf(answer));
    },
    lineIsBack() {
      for (const out of all.get()) again(keyOf(out));
    },
    reread() {
      all.set(read(storage).map((out) => find(keyOf(out)) ?? out));
      for (const out of all.get()) if (out.state === "sending") void deliver(keyOf(out));
    },
  };
}

function keyOf({ runId, toolCallId }: Pick<OutgoingAnswer, "runId" | "toolCallId">): string {
  return `${prefix}${runId}.${toolCallId}`;
}

/** What was on its way when the page was closed. */
function read(storage: SafeStorage): OutgoingAnswer[] {
  return storage.keys(prefix).flatMap((key): OutgoingAnswer[] => {
    try {
      const out: unknown = JSON.parse(storage.get(key) ?? "null");
      if (isOutgoing(out) && Date.now() - Date.parse(out.createdAt) < keptMs)
        return [{ ...out, state: "sending" }];
    } catch {
      // Not ours, or cut off: it can never be sent.
    }
    storage.remove(key);
    return [];
  });
}

function isOutgoing(out: unknown): out is OutgoingAnswer {
  if (typeof out !== "object" || out === null) return false;
  const { runId, toolCallId, createdAt, said } = out as Partial<OutgoingAnswer>;
  return [runId, toolCallId, createdAt].every((text) => typeof text === "string") && typeof said === "object";
}
