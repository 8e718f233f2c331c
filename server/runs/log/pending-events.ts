import type { RunEvent } from "#contract/run-events.ts";
import { isHighSurrogate } from "#contract/text.ts";

/** Events of one run that wait for the next commit. Deltas that follow each other become one. */
export type Pending = {
  add(event: RunEvent): void;
  /** All of them, but for half a surrogate pair at the end, which waits for its other half. */
  take(): RunEvent[];
  /** How many events `take` would give. */
  readonly size: number;
  /** UTF-16 units of text that wait. */
  readonly length: number;
};

export function createPending(): Pending {
  let events: RunEvent[] = [];
  let length = 0;
  const add = (event: RunEvent) => {
    length += textOf(event).length;
    const last = events.at(-1);
    if (last !== undefined && canJoin(last, event))
      events[events.length - 1] = withText(last, textOf(last) + textOf(event));
    else events.push(event);
  };
  return {
    add,
    take() {
      const taken = events;
      events = [];
      length = 0;
      const last = taken.at(-1);
      const text = last === undefined ? "" : textOf(last);
      if (last !== undefined && text !== "" && isHighSurrogate(text.charCodeAt(text.length - 1))) {
        taken.pop();
        if (text.length > 1) taken.push(withText(last, text.slice(0, -1)));
        add(withText(last, text.slice(-1)));
      }
      return taken;
    },
    get size() {
      const last = events.at(-1);
      const half =
        last !== undefined && textOf(last).length === 1 && isHighSurrogate(textOf(last).charCodeAt(0));
      return half ? events.length - 1 : events.length;
    },
    get length() {
      return length;
    },
  };
}

type Delta = Extract<RunEvent, { type: "text-delta" | "reasoning-delta" | "tool-call-delta" }>;

function isDelta(event: RunEvent): event is Delta {
  return event.type === "text-delta" || event.type === "reasoning-delta" || event.type === "tool-call-delta";
}

function canJoin(a: RunEvent, b: RunEvent): boolean {
  return isDelta(a) && isDelta(b) && a.type === b.type && a.part === b.part;
}

function textOf(event: RunEvent): string {
  if (!isDelta(event)) return "";
  return event.type === "tool-call-delta" ? event.args_text : event.text;
}

function withText(event: RunEvent, text: string): RunEvent {
  if (!isDelta(event)) return event;
  return event.type === "tool-call-delta" ? { ...event, args_text: text } : { ...event, text };
}
