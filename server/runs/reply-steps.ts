import { isDeepStrictEqual } from "node:util";
import type { Part } from "#contract/parts/kinds.ts";
import type { ModelAssistantPart, ModelMessage } from "#server/models/model.ts";
import { modelMessages } from "#server/parts/to-model.ts";
import { resultOf } from "#server/parts/tool-call.ts";
import type { StoredStep } from "./loop/answer-state.ts";

/**
 * The steps of an answer as its model made them: calls of two steps must not look like parallel calls. What tools wrote
 * below a step is left out, as in the requests before: the calls have it. `stepEnds` is the number of parts at the end of
 * each step, and `storedSteps` those steps whose parts have data of their provider.
 */
export function stepMessages(
  parts: readonly Part[],
  { stepEnds = [], storedSteps = [] }: { stepEnds?: readonly number[]; storedSteps?: readonly StoredStep[] },
): ModelMessage[] {
  const stored = storedSteps.filter((step) => isUnchanged(step, parts));
  const lastCalls = stored.map(({ firstCall, parts: made }) => firstCall + callIds(made).length);
  const ends = [...new Set([...stepEnds, ...lastCalls])].toSorted((a, b) => a - b);
  return [0, ...ends].flatMap((start, index) => {
    const step = parts.slice(start, ends[index]);
    // A step of the model without calls would have ended the answer.
    if (index < ends.length && step.every(({ type }) => type !== "tool-call")) return [];
    const found = stored.find(({ firstCall }) => firstCall >= start && firstCall < start + step.length);
    if (found === undefined) return modelMessages("assistant", step);
    const results = step.flatMap((part) => (part.type === "tool-call" ? [resultOf(part)] : []));
    return [
      { role: "assistant", parts: found.parts },
      { role: "tool", results },
    ];
  });
}

/**
 * Whether the reply still has the calls and the words of this step. A person may have changed the reply, or left calls
 * unanswered.
 */
function isUnchanged({ firstCall, parts: made }: StoredStep, parts: readonly Part[]): boolean {
  let nextCall = firstCall;
  return made.every((part) => {
    if (part.type !== "tool-call") return textsOf(parts, part.type).includes(part.text);
    const shown = parts[nextCall++];
    return (
      shown?.type === "tool-call" &&
      shown.toolCallId === part.toolCallId &&
      isDeepStrictEqual(shown.args ?? {}, part.args)
    );
  });
}

function textsOf(parts: readonly Part[], type: "text" | "reasoning"): string {
  return parts.map((part) => (part.type === type ? part.text : "")).join("\n");
}

function callIds(parts: readonly ModelAssistantPart[]): string[] {
  return parts.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []));
}
