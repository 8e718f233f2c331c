import type { RunEvent } from "#contract/run-events.ts";
import { continueUrl, openUrlAt, withoutFileSecrets } from "../lib/file-urls/file-urls.ts";

type Entry = { seq: number; event: RunEvent };

/**
 * Returns a function that removes the secrets of file URLs from a run's entries, which begin with the first one, as
 * `withoutFileSecrets` does for stored messages. A URL can be split over several events: text that may be an unfinished
 * URL is held back until the next event. The result does not depend on how entries are batched.
 */
export function createSecretFilter(): (entries: readonly Entry[]) => Entry[] {
  let waiting: Entry[] = [];
  /** The text that each part has held back, and its last event, which gets the text if the part ends with it. */
  const open = new Map<number, { rest: string; event: RunEvent }>();
  /** Where the text of a part broke off, in what may be an address. An interrupted answer continues there. */
  const tails = new Map<number, string>();

  function settle(part: number | undefined): void {
    for (const [each, { rest, event }] of open) {
      if (part !== undefined && part !== each) continue;
      const field = textField(event)!;
      tails.set(each, rest);
      Object.assign(event, { [field]: textOf(event, field) + withoutFileSecrets(rest) });
      open.delete(each);
    }
  }

  function clean(event: RunEvent): RunEvent {
    const part = "part" in event ? event.part : undefined;
    const field = textField(event);
    if (part === undefined || field === undefined) {
      settle(part);
      if (event.type === "run-start") for (const [at, tail] of tailsIn(event)) tails.set(at, tail);
      return JSON.parse(withoutFileSecrets(JSON.stringify(event))) as RunEvent;
    }
    const text = (open.get(part)?.rest ?? "") + continued(part, textOf(event, field));
    const end = openUrlAt(text);
    const cleaned = { ...event, [field]: withoutFileSecrets(text.slice(0, end)) };
    if (end < text.length) open.set(part, { rest: text.slice(end), event: cleaned });
    else open.delete(part);
    return cleaned;
  }

  function continued(part: number, more: string): string {
    const before = tails.get(part);
    if (before === undefined) return more;
    const { text, tail } = continueUrl(before, more);
    if (tail === undefined) tails.delete(part);
    else tails.set(part, tail);
    return text;
  }

  return (entries) => {
    for (const { seq, event } of entries) waiting.push({ seq, event: clean(event) });
    const undecided = new Set([...open.values()].map(({ event }) => event));
    const first = waiting.findIndex(({ event }) => undecided.has(event));
    const ready = first === -1 ? waiting : waiting.slice(0, first);
    waiting = waiting.slice(ready.length);
    return ready;
  };
}

/** Where the texts end with which a continued answer begins, by part. */
function tailsIn({ content }: Extract<RunEvent, { type: "run-start" }>): [number, string][] {
  return content.flatMap((part, at): [number, string][] => {
    const text = "text" in part ? part.text : undefined;
    if (typeof text !== "string") return [];
    const tail = text.slice(openUrlAt(text));
    return tail === "" ? [] : [[at, tail]];
  });
}

function textField({ type }: RunEvent): "text" | "args_text" | undefined {
  if (type === "text-delta" || type === "reasoning-delta") return "text";
  return type === "tool-call-delta" ? "args_text" : undefined;
}

function textOf(event: RunEvent, field: "text" | "args_text"): string {
  return (event as unknown as Record<typeof field, string>)[field];
}
