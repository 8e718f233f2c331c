import type { JsonObject } from "#contract/json.ts";
import { foldPart, type Part } from "#contract/parts/kinds.ts";
import type { FinishReason, RunEvent, Usage } from "#contract/run-events.ts";
import type { DataStreamLine } from "#server/parts/kind.ts";
import { partHandlers } from "#server/parts/kinds.ts";

/** Writes an answer's run events in a stream format of the protocol. */
export type Encoder = {
  contentType: string;
  headers: Record<string, string>;
  begin(messageId: string): string;
  /** "" for an event that the format does not have. */
  event(event: RunEvent): string;
  end(end: { finishReason: FinishReason; usage: Usage }): string;
  /** Ends the stream with a sentence for the person. */
  fail(message: string): string;
};

type Written = { dataStream: DataStreamLine; uiMessageStream: JsonObject };

/** Writes the events of one answer's parts for a stream; gives `undefined` for events that it does not have. */
export function partEncoder<Stream extends keyof Written>(
  stream: Stream,
): (event: RunEvent) => Written[Stream] | undefined {
  const parts = new Map<number, Part>();
  return (event) => {
    if (!("part" in event)) return undefined;
    const part = foldPart(parts.get(event.part), event);
    if (part === undefined) return undefined;
    parts.set(event.part, part);
    // The list pairs each kind with its own events; TypeScript cannot follow the pair through the lookup.
    type Handlers = Record<string, (event: RunEvent, part: Part) => Written[Stream] | undefined>;
    return (partHandlers[part.type][stream] as unknown as Handlers)[event.type]?.(event, part);
  };
}

/** Token counts as both formats have them. */
export function tokensOf(usage: Usage) {
  return { inputTokens: usage.input ?? 0, outputTokens: usage.output ?? 0 };
}
