import type { ErrorCode } from "./errors.ts";
import type { AnyPartEvent, Part } from "./parts/kinds.ts";

/** A run's states. `queued` and `running` hold a lease; `requires-action` waits for a person; the rest are ends. */
export type RunState =
  | "queued"
  | "running"
  | "requires-action"
  | "completed"
  | "cancelled"
  | "failed"
  | "interrupted";

/** How a run ends. */
export type RunEndState = Exclude<RunState, "queued" | "running" | "requires-action">;

export type FinishReason = "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other";

/** Tokens, as the provider counts them; absent where it does not say. */
export type Usage = { input?: number; output?: number; reasoning?: number; cached?: number };

/**
 * The events of a run's log, numbered 1, 2, 3 … without a gap. The first is always `run-start`, the last `run-end`;
 * between them the parts' own events. `run-start` carries what the reply held before the run, which is nothing unless
 * the run continues an earlier one. `run-end` carries the usage of all its steps.
 */
export type RunEvent =
  | { type: "run-start"; reply_id: string; model: string; content: Part[] }
  /** Something that the reader should know of how this answer is made. */
  | { type: "run-note"; note: RunNote }
  | AnyPartEvent
  | { type: "step-end"; usage: Usage }
  /** The tool calls at these parts wait for a person. Until each is answered nobody carries the run. */
  | { type: "run-wait"; parts: number[] }
  /** The last of them was answered, `at` milliseconds since 1970: the run goes on. */
  | { type: "run-resume"; at: number }
  | {
      type: "run-end";
      state: RunEndState;
      finish_reason: FinishReason;
      usage: Usage;
      error?: { code: ErrorCode; message: string };
    };

/**
 * How an answer is made otherwise than was chosen: the assistant (by its name, where that is known) or the model is gone
 * and another one answers, or the model does not take a setting, which was left out.
 */
export type RunNote = { kind: (typeof runNoteKinds)[number]; name: string };
export const runNoteKinds = ["assistant-gone", "model-gone", "setting-left-out"] as const;

export type RunEventType = RunEvent["type"];

/** An event with its number in the log of its run. */
export type NumberedRunEvent = { seq: number; event: RunEvent };

/** Both together; what neither says stays unsaid. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: Usage = { ...a };
  for (const kind of ["input", "output", "reasoning", "cached"] as const) {
    const count = b[kind];
    if (count !== undefined) sum[kind] = (sum[kind] ?? 0) + count;
  }
  return sum;
}

export function isRunEnded(state: RunState): state is RunEndState {
  return state !== "queued" && state !== "running" && state !== "requires-action";
}
