import type { RunEvent } from "#contract/run-events.ts";
import { isHighSurrogate } from "#contract/text.ts";

/** Events of one run that wait for the next commit. Consecutive deltas are joined. */
export type PendingEvents = {
  add(event: RunEvent): void;
  /** Removes and returns all events. Half a surrogate pair at the end stays until its other half is added. */
  take(): RunEvent[];
  /** The number of events that `take` would return. */
  readonly size: number;
  /** The text in the waiting events, in UTF-16 units. */
  readonly length: number;
};

export function createPendingEvents(): PendingEvents {
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

type Delta = Extract<RunEvent, { type: `${string}-delta` }>;

/** The text field of each delta. */
const textFields: { [E in Delta as E["type"]]: Exclude<keyof E, "type" | "part"> } = {
  "text-delta": "text",
  "reasoning-delta": "text",
  "tool-call-delta": "args_text",
};

function isDelta(event: RunEvent): event is Delta {
  return Object.hasOwn(textFields, event.type);
}

function canJoin(a: RunEvent, b: RunEvent): boolean {
  return isDelta(a) && isDelta(b) && a.type === b.type && a.part === b.part;
}

function textOf(event: RunEvent): string {
  return isDelta(event) ? ((event as Record<string, unknown>)[textFields[event.type]] as string) : "";
}

function withText(event: RunEvent, text: string): RunEvent {
  return isDelta(event) ? { ...event, [textFields[event.type]]: text } : event;
}
