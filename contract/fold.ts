import { kinds, partKindOfEvent, type Part, type PartKind } from "./parts/kinds.ts";
import type { Kind } from "./parts/kind.ts";
import type { FinishReason, RunEndState, RunEvent, Usage } from "./run-events.ts";
import type { ErrorCode } from "./errors.ts";

/** What a run's events add up to: the reply's parts and, once it ended, how. */
export type Reply = {
  parts: readonly Part[];
  end?: {
    state: RunEndState;
    finishReason: FinishReason;
    usage: Usage;
    error?: { code: ErrorCode; message: string };
  };
};

export const emptyReply: Reply = { parts: [] };

/** The reply after `events`, from nothing. The server, every tab and the tests use this one function. */
export function fold(events: Iterable<RunEvent>): Reply {
  let reply = emptyReply;
  for (const event of events) reply = foldOne(reply, event);
  return reply;
}

/**
 * The reply after one more event. Pure: parts that the event does not touch keep their identity, so that a view may
 * skip them. An event out of place (a delta for a part that never began, anything after the end) changes nothing.
 */
export function foldOne(reply: Reply, event: RunEvent): Reply {
  if (reply.end !== undefined) return reply;
  if (event.type === "run-start") return { parts: event.content };
  if (event.type === "step-end") return reply;
  if (event.type === "run-end") {
    const { state, finish_reason: finishReason, usage, error } = event;
    return { ...reply, end: { state, finishReason, usage, ...(error === undefined ? {} : { error }) } };
  }
  const kind = partKindOfEvent(event.type);
  if (kind === undefined || event.part < 0 || event.part > reply.parts.length) return reply;
  const before = reply.parts[event.part];
  if (before !== undefined && before.type !== kind) return reply;
  const after = foldPart(kind, before, event);
  if (after === undefined || after === before) return reply;
  const parts = reply.parts.slice();
  parts[event.part] = after;
  return { ...reply, parts };
}

function foldPart(kind: PartKind, part: Part | undefined, event: RunEvent): Part | undefined {
  // The table pairs each kind with its own part and events; TypeScript cannot follow the pair through the lookup.
  return (kinds[kind] as unknown as Kind<Part, RunEvent>).fold(part, event);
}
