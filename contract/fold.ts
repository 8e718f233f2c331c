import { foldPart, type Part } from "./parts/kinds.ts";
import type { ToolCallPart } from "./parts/tool-call.ts";
import {
  addUsage,
  type FinishReason,
  type RunEndState,
  type RunError,
  type RunEvent,
  type RunNote,
  type Usage,
} from "./run-events.ts";

/** The result of a run's events: the reply's parts and, once the run ended, how it ended. */
export type Reply = {
  parts: readonly Part[];
  /** The usage of the steps so far, and the number of parts at the end of each. */
  usage?: Usage;
  stepEnds?: readonly number[];
  /** While the run waits for a person: the indexes of the parts with waiting tool calls. */
  pendingParts?: readonly number[];
  /** Where the answer deviates from the selection. */
  notes?: readonly RunNote[];
  end?: {
    state: RunEndState;
    finishReason: FinishReason;
    usage: Usage;
    error?: RunError;
  };
};

export const emptyReply: Reply = { parts: [] };

/** The reply after `events`. The server, every tab and the tests use this one function. */
export function fold(events: Iterable<RunEvent>): Reply {
  let reply = emptyReply;
  let copied: Part[] | undefined;
  // Callers do not see the intermediate replies, so the list of parts is copied only once.
  const withPart = (parts: readonly Part[], index: number, part: Part): readonly Part[] => {
    if (copied === undefined || copied !== parts) copied = parts.slice();
    copied[index] = part;
    return copied;
  };
  for (const event of events) reply = next(reply, event, withPart);
  return reply;
}

/**
 * The reply after one more event. Pure: parts that the event does not change stay the same objects, so views can skip
 * them. An event out of place (a delta of a part that never began, any event after the end) changes nothing.
 */
export function foldOne(reply: Reply, event: RunEvent): Reply {
  return next(reply, event, replacePart);
}

type WithPart = (parts: readonly Part[], index: number, part: Part) => readonly Part[];

function replacePart(parts: readonly Part[], index: number, part: Part): readonly Part[] {
  const others = parts.slice();
  others[index] = part;
  return others;
}

function next(reply: Reply, event: RunEvent, withPart: WithPart): Reply {
  if (reply.end !== undefined) return reply;
  if (event.type === "run-start") return { parts: event.content };
  if (event.type === "run-note") return withNote(reply, event.note);
  if (event.type === "step-end") return withStep(reply, event.usage);
  if (event.type === "run-wait") return { ...reply, pendingParts: event.parts };
  if (event.type === "run-resume") return withoutWait(reply);
  if (event.type === "run-end") {
    const { state, finish_reason: finishReason, usage, error } = event;
    return {
      ...withoutWait(reply),
      end: { state, finishReason, usage, ...(error === undefined ? {} : { error }) },
    };
  }
  if (!(event.part >= 0 && event.part <= reply.parts.length)) return reply;
  const before = reply.parts[event.part];
  const after = foldPart(before, event);
  if (after === undefined || after === before) return reply;
  return { ...reply, parts: withPart(reply.parts, event.part, after) };
}

/** A tool call that waits for a person: for their approval, or for its result. */
export type WaitingCall = { part: number; call: ToolCallPart; needs: "approval" | "result" };

/** The calls that still wait for a person; none if the run does not wait. */
export function waitingCalls(reply: Reply): WaitingCall[] {
  return (reply.pendingParts ?? []).flatMap((part): WaitingCall[] => {
    const call = reply.parts[part];
    if (call?.type !== "tool-call" || call.result !== undefined || call.approval?.approved !== undefined)
      return [];
    return [{ part, call, needs: call.approval === undefined ? "result" : "approval" }];
  });
}

function withNote(reply: Reply, note: RunNote): Reply {
  const notes = reply.notes ?? [];
  const isKnown = notes.some(({ kind, name }) => kind === note.kind && name === note.name);
  return isKnown ? reply : { ...reply, notes: [...notes, note] };
}

function withStep(reply: Reply, usage: Usage): Reply {
  return {
    ...reply,
    usage: addUsage(reply.usage ?? {}, usage),
    stepEnds: [...(reply.stepEnds ?? []), reply.parts.length],
  };
}

function withoutWait(reply: Reply): Reply {
  if (reply.pendingParts === undefined) return reply;
  const { pendingParts: _, ...rest } = reply;
  return rest;
}
