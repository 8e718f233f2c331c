import type { ErrorCode } from "./errors.ts";
import type { AnyPartEvent, Part } from "./parts/kinds.ts";

/** `running` runs hold a lease; `requires-action` waits for a person; the others are final. */
export type RunState = "running" | "requires-action" | "completed" | "cancelled" | "failed" | "interrupted";

/** The final states. */
export type RunEndState = Exclude<RunState, "running" | "requires-action">;

export type FinishReason = "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other";

/** Why a run failed. `retry_at` is when the model provider accepts requests again, in milliseconds since 1970. */
export type RunError = { code: ErrorCode; message: string; retry_at?: number };

/** Tokens as counted by the provider; absent if it does not report them. */
export type Usage = { input?: number; output?: number; reasoning?: number; cached?: number };

/**
 * The events of a run's log, numbered from 1 without gaps. The first is `run-start`, the last `run-end`. `run-start` has the
 * content of the reply before the run, which is empty unless the run continues an earlier one. `run-end` has the usage of all
 * steps.
 */
export type RunEvent =
  | { type: "run-start"; reply_id: string; model: string | null; content: Part[] }
  /** A deviation from the selection, or that the answer was continued. `model` is the one that answers from now on. */
  | { type: "run-note"; note: RunNote; model?: string }
  | AnyPartEvent
  | { type: "step-end"; usage: Usage }
  /** The tool calls in these parts wait for a person. Until all are answered, no process holds the run's lease. */
  | { type: "run-wait"; parts: number[] }
  /**
   * The run continues: the last waiting call was answered, or another process has taken over the run of one that shut
   * down. `at` is in milliseconds since 1970.
   */
  | { type: "run-resume"; at: number }
  | {
      type: "run-end";
      state: RunEndState;
      finish_reason: FinishReason;
      usage: Usage;
      error?: RunError;
    };

/**
 * How an answer deviates from the selection: the assistant or the model no longer exists and another one answers, a
 * setting was left out because the model does not support it, the chosen model failed and the fallback model answers,
 * the server restarted and asked the model to continue its text, or the oldest tool results, files or messages were
 * left out because the model has no room for them, the person may not use some tools of the assistant, the tools of a source cannot be used now, or some tools
 * would send something out of a network that nothing may leave.
 * `name` names the assistant (if known), model, setting, tools or sources.
 */
export type RunNote = { kind: (typeof runNoteKinds)[number]; name: string };
export const runNoteKinds = [
  "assistant-gone",
  "model-gone",
  "model-failed",
  "setting-left-out",
  "continued",
  "results-left-out",
  "messages-left-out",
  "tools-not-allowed",
  "tools-unavailable",
  "tools-not-local",
] as const;

/** An event with its number in the log of its run. */
export type NumberedRunEvent = { seq: number; event: RunEvent };

/** The sum of both. Counts that both lack stay absent. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: Usage = { ...a };
  for (const kind of ["input", "output", "reasoning", "cached"] as const) {
    const count = b[kind];
    if (count !== undefined) sum[kind] = (sum[kind] ?? 0) + count;
  }
  return sum;
}

export function isRunEnded(state: RunState): state is RunEndState {
  return state !== "running" && state !== "requires-action";
}
