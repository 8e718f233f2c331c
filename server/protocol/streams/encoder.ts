import type { Json, JsonObject } from "#contract/json.ts";
import { foldPart, type Part } from "#contract/parts/kinds.ts";
import type { FinishReason, RunEvent, Usage } from "#contract/run-events.ts";
import type { DataStreamLine } from "#server/parts/kind.ts";
import type { TextStream } from "#server/lib/route.ts";
import { partHandlers } from "#server/parts/kinds.ts";

/** Encodes an answer's run events in a stream format of the protocol. */
export type Encoder = {
  contentType: string;
  headers: Record<string, string>;
  /** What decoders ignore between two chunks. */
  heartbeat: string;
  /** `messageId` is the id of the run if the client has not begun to store the message. */
  begin(messageId: string): string;
  /** Returns "" for an event that the format does not have. */
  event(event: RunEvent): string;
  end(end: { finishReason: FinishReason; usage: Usage }): string;
  /** Ends the stream with an error message for the person. */
  fail(message: string): string;
};

/** How the response describes the encoder's format. */
export function formatOf({ contentType, headers, heartbeat }: Encoder): Omit<TextStream, "chunks"> {
  return { contentType, headers, heartbeat };
}

/** Each line is a code, a colon and JSON. */
export function dataStream(): Encoder {
  const encodePart = partEncoder("dataStream");
  const line = (code: string, value: Json) => `${code}:${JSON.stringify(value)}\n`;
  return {
    contentType: "text/plain; charset=utf-8",
    headers: { "x-vercel-ai-data-stream": "v1" },
    // Not blank lines, which assistant-stream refuses before 0.3.30.
    heartbeat: line("2", []),
    begin: (messageId) => line("f", { messageId }),
    event(event) {
      if (event.type === "step-end")
        return line("e", { finishReason: "unknown", usage: tokensOf(event.usage), isContinued: false });
      const encoded = encodePart(event);
      return encoded === undefined ? "" : line(...encoded);
    },
    end: ({ finishReason, usage }) => line("d", { finishReason, usage: tokensOf(usage) }),
    fail: (message) => line("3", message),
  };
}

/** Server-sent events with one JSON chunk each, ended by `[DONE]`. */
export function uiMessageStream(): Encoder {
  const encodePart = partEncoder("uiMessageStream");
  const chunk = (value: JsonObject) => `data: ${JSON.stringify(value)}\n\n`;
  return {
    contentType: "text/event-stream; charset=utf-8",
    headers: { "x-vercel-ai-ui-message-stream": "v1" },
    heartbeat: ":\n\n",
    begin: (messageId) => chunk({ type: "start", messageId }) + chunk({ type: "start-step" }),
    event(event) {
      if (event.type === "step-end") return chunk({ type: "finish-step", usage: tokensOf(event.usage) });
      const encoded = encodePart(event);
      return encoded === undefined ? "" : chunk(encoded);
    },
    end: ({ finishReason, usage }) =>
      chunk({ type: "finish", finishReason, usage: tokensOf(usage) }) + "data: [DONE]\n\n",
    fail: (message) => chunk({ type: "error", errorText: message }) + "data: [DONE]\n\n",
  };
}

type EncodedPart = { dataStream: DataStreamLine; uiMessageStream: JsonObject };

/** Encodes the events of one answer's parts. Returns `undefined` for events that the format does not have. */
function partEncoder<Stream extends keyof EncodedPart>(
  stream: Stream,
): (event: RunEvent) => EncodedPart[Stream] | undefined {
  const parts = new Map<number, Part>();
  return (event) => {
    if (!("part" in event)) return undefined;
    const part = foldPart(parts.get(event.part), event);
    if (part === undefined) return undefined;
    parts.set(event.part, part);
    // Each kind handles only its own events, but TypeScript cannot infer that through the lookup.
    type Handlers = Record<string, (event: RunEvent, part: Part) => EncodedPart[Stream] | undefined>;
    return (partHandlers[part.type][stream] as unknown as Handlers)[event.type]?.(event, part);
  };
}

/** Token counts as in both formats. */
function tokensOf(usage: Usage) {
  return { inputTokens: usage.input ?? 0, outputTokens: usage.output ?? 0 };
}
