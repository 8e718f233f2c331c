import type { Json, JsonObject } from "#contract/json.ts";
import { createStore, type Store } from "#web/lib/store.ts";
import type { Call } from "../call.ts";
import type { CallFailure } from "../call-error.ts";
import { callFailureOf } from "../failure.ts";
import { createRetryTimers, withRetries } from "../retry.ts";
import type { SafeStorage } from "../drafts/safe-storage.ts";

/** Whether a tool call is approved. `remember`: where later calls of this tool are allowed too. `args`: the arguments as the person changed them. `reason`: why it is denied. */
export type Decision = {
  approved: boolean;
  remember?: "chat" | "always";
  args?: JsonObject;
  reason?: string;
};

/** The user's answer to a tool call: an approval or denial, or the result of a tool without a function. */
export type ToolAnswer = Decision | { result: Json };

export type OutgoingToolAnswer = {
  runId: string;
  toolCallId: string;
  said: ToolAnswer;
  /** `kept`: all attempts failed, and it is retried later. `sent`: the server has it, and the run continues. */
  state: "sending" | "kept" | "sent" | "failed";
  failure?: CallFailure;
  createdAt: string;
};

/**
 * Answers to waiting tool calls. Each is kept on this device until the server accepts or refuses it: an answer given
 * offline is sent when the connection is back, and survives a reload.
 */
export type ToolAnswers = {
  all: Pick<Store<readonly OutgoingToolAnswer[]>, "get" | "subscribe">;
  give: (answer: Pick<OutgoingToolAnswer, "runId" | "toolCallId" | "said">) => void;
  /** Sends the kept answers. Call it when the connection is back. */
  onReconnect: () => void;
  /** Reads the storage again: another user is signed in, or answers were inherited. */
  reload: () => void;
};

const prefix = "parlance.answers.";
/** 30 days, as long as a sign-in lasts. */
const maxAgeMs = 30 * 24 * 3_600_000;

export function createToolAnswers(options: {
  call: Call;
  storage: SafeStorage;
  /** The server refused an answer: this browser's row of the run is outdated. */
  refused: (runId: string) => void;
  random?: () => number;
}): ToolAnswers {
  const { storage, random } = options;
  const all = createStore<readonly OutgoingToolAnswer[]>(read(storage));
  const delivering = new Set<string>();
  const retryTimers = createRetryTimers();

  const find = (key: string) => all.get().find((answer) => keyOf(answer) === key);

  function put(next: OutgoingToolAnswer): void {
    const key = keyOf(next);
    all.set([...all.get().filter((answer) => keyOf(answer) !== key), next]);
    if (next.state === "sending" || next.state === "kept") storage.set(key, JSON.stringify(next));
    else storage.remove(key);
  }

  async function deliver(key: string): Promise<void> {
    if (delivering.has(key)) return;
    delivering.add(key);
    retryTimers.cancel(key);
    try {
      const sent = await withRetries(async () => await send(key), { random });
      if (sent !== undefined && find(key) !== undefined) put({ ...withoutFailure(sent), state: "sent" });
    } catch (error) {
      fail(key, error);
    } finally {
      delivering.delete(key);
    }
  }

  /** Returns the answer that was sent; `undefined` if another user is signed in meanwhile. */
  async function send(key: string): Promise<OutgoingToolAnswer | undefined> {
    const answer = find(key);
    if (answer === undefined) return undefined;
    const { runId, toolCallId, said } = answer;
    const params = { run_id: runId };
    const body = { tool_call_id: toolCallId };
    if ("approved" in said) await options.call("runs.approve", { params, body: { ...body, ...said } });
    else await options.call("runs.giveResult", { params, body: { ...body, result: said.result } });
    return answer;
  }

  function fail(key: string, error: unknown): void {
    const answer = find(key);
    if (answer === undefined) return;
    const failure = callFailureOf(error);
    if (failure.retry) {
      put({ ...answer, state: "kept", failure });
      retryTimers.start(key, error, () => retryKept(key));
    } else {
      put({ ...answer, state: "failed", failure });
      options.refused(answer.runId);
    }
  }

  /** The answer stays marked as kept during the retries, so that the reason stays visible. */
  function retryKept(key: string): void {
    if (find(key)?.state === "kept") void deliver(key);
  }

  for (const answer of all.get()) void deliver(keyOf(answer));

  return {
    all,
    give(answer) {
      put({ ...answer, state: "sending", createdAt: new Date().toISOString() });
      void deliver(keyOf(answer));
    },
    onReconnect() {
      for (const answer of all.get()) {
        if (answer.state !== "kept") continue;
        put({ ...withoutFailure(answer), state: "sending" });
        void deliver(keyOf(answer));
      }
    },
    reload() {
      all.set(read(storage).map((answer) => find(keyOf(answer)) ?? answer));
      for (const answer of all.get()) if (answer.state === "sending") void deliver(keyOf(answer));
    },
  };
}

function keyOf({ runId, toolCallId }: Pick<OutgoingToolAnswer, "runId" | "toolCallId">): string {
  return `${prefix}${runId}.${toolCallId}`;
}

function withoutFailure({ failure: _, ...answer }: OutgoingToolAnswer): OutgoingToolAnswer {
  return answer;
}

/** The answers that were not sent when the page was closed. Deletes unreadable and outdated ones. */
function read(storage: SafeStorage): OutgoingToolAnswer[] {
  return storage.keys(prefix).flatMap((key): OutgoingToolAnswer[] => {
    try {
      const value: unknown = JSON.parse(storage.get(key) ?? "null");
      if (isOutgoingAnswer(value) && Date.now() - Date.parse(value.createdAt) < maxAgeMs)
        return [{ ...value, state: "sending" }];
    } catch {
      // The text is truncated or was written by another program.
    }
    storage.remove(key);
    return [];
  });
}

function isOutgoingAnswer(value: unknown): value is OutgoingToolAnswer {
  if (typeof value !== "object" || value === null) return false;
  const { runId, toolCallId, createdAt, said } = value as Partial<OutgoingToolAnswer>;
  return [runId, toolCallId, createdAt].every((text) => typeof text === "string") && typeof said === "object";
}
