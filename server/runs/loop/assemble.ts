import { addEvent, type Part, type WholePart } from "#contract/parts/kinds.ts";
import type { RunEvent } from "#contract/run-events.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { ModelEvent } from "#server/models/model.ts";

/** A complete tool call that has no result yet. */
export type PendingCall = { part: number; toolCallId: string; toolName: string; argsText: string };

export type Assembler = ReturnType<typeof createAssembler>;

/**
 * Turns a model's events into run events. Consecutive text is one part, anything else in between starts another, and
 * every part gets its index. One assembler serves all steps of one run. `before` is the reply when the run began, and
 * `stepEnd` the number of its parts that belong to complete steps.
 */
export function createAssembler(options: { clock: Clock; before: readonly Part[]; stepEnd?: number }) {
  const { clock, before, stepEnd = 0 } = options;
  let nextPart = before.length;
  let open: { kind: "text" | "reasoning"; part: number; sinceMs: number } | undefined;
  // An interrupted text continues in its own part.
  if (before.length > stepEnd && before.at(-1)?.type === "text")
    open = { kind: "text", part: before.length - 1, sinceMs: clock.now() };
  const seenIds = new Set(before.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : [])));
  /** Incomplete calls of this step by the model's own id, which may occur again in a later step. */
  const openCalls = new Map<string, PendingCall>();
  let calls: PendingCall[] = [];
  let isNewParagraph = false;

  function close(): RunEvent[] {
    if (open === undefined) return [];
    const { kind, part, sinceMs } = open;
    open = undefined;
    return [
      kind === "text"
        ? { type: "text-end", part }
        : { type: "reasoning-end", part, duration_ms: Math.max(0, clock.now() - sinceMs) },
    ];
  }

  function add(part: WholePart): RunEvent[] {
    return [...close(), addEvent(nextPart++, part)];
  }

  function appendText(kind: "text" | "reasoning", text: string): RunEvent[] {
    if (text === "") return [];
    const events: RunEvent[] = [];
    if (open?.kind !== kind) {
      events.push(...close());
      open = { kind, part: nextPart++, sinceMs: clock.now() };
      events.push({ type: `${kind}-start`, part: open.part });
    } else if (kind === "reasoning" && isNewParagraph) text = `\n\n${text}`;
    isNewParagraph = false;
    events.push({ type: `${kind}-delta`, part: open.part, text });
    return events;
  }

  function startCall(modelId: string, toolName: string): { call: PendingCall; events: RunEvent[] } {
    const call: PendingCall = { part: nextPart++, toolCallId: unusedId(modelId), toolName, argsText: "" };
    seenIds.add(call.toolCallId);
    openCalls.set(modelId, call);
    const start: RunEvent = {
      type: "tool-call-start",
      part: call.part,
      tool_call_id: call.toolCallId,
      tool_name: toolName,
      at: clock.now(),
    };
    return { call, events: [...close(), start] };
  }

  function unusedId(modelId: string): string {
    let id = modelId;
    for (let n = 2; seenIds.has(id); n++) id = `${modelId}_${n}`;
    return id;
  }

  function appendArgs(call: PendingCall, text: string): RunEvent[] {
    if (text === "") return [];
    call.argsText += text;
    return [{ type: "tool-call-delta", part: call.part, args_text: text }];
  }

  return {
    /** Ends the open part, when a step ended or was interrupted. */
    close,
    /** The run events that add a complete part. */
    add,
    /** The run events of one model event. `finish` ends the open part. */
    take(event: ModelEvent): RunEvent[] {
      switch (event.type) {
        case "left-out":
          return [{ type: "run-note", note: { kind: "setting-left-out", name: event.setting } }];
        case "text":
        case "reasoning":
          return appendText(event.type, event.text);
        case "tool-call-start":
          return startCall(event.toolCallId, event.toolName).events;
        case "tool-call-delta": {
          const call = openCalls.get(event.toolCallId);
          return call === undefined ? [] : appendArgs(call, event.argsText);
        }
        case "tool-call": {
          const known = openCalls.get(event.toolCallId);
          const { call, events } =
            known === undefined ? startCall(event.toolCallId, event.toolName) : { call: known, events: [] };
          const rest = event.argsText.startsWith(call.argsText)
            ? event.argsText.slice(call.argsText.length)
            : "";
          events.push(...appendArgs(call, rest), { type: "tool-call-end", part: call.part });
          openCalls.delete(event.toolCallId);
          calls.push(call);
          return events;
        }
        case "prefilled":
          return [];
        case "provider-data":
          // Summaries of reasoning come in blocks, which are paragraphs of one part.
          isNewParagraph = event.of === "reasoning";
          return [];
        case "part":
          return add(event.part);
        case "finish":
          return [...close(), { type: "step-end", usage: event.usage }];
      }
    },
    /** The calls that were completed since the last call of this function. */
    takeCalls(): PendingCall[] {
      const taken = calls;
      calls = [];
      openCalls.clear();
      return taken;
    },
  };
}
