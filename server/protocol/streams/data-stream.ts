import type { Json } from "#contract/json.ts";
import { type Encoder, partEncoder, tokensOf } from "./encoder.ts";

/** The protocol's data stream. Each line is a code, a colon and JSON; the last one ends with a line feed too. */
export function dataStream(): Encoder {
  const encodePart = partEncoder("dataStream");
  const line = (code: string, value: Json) => `${code}:${JSON.stringify(value)}\n`;
  return {
    contentType: "text/plain; charset=utf-8",
    headers: { "x-vercel-ai-data-stream": "v1" },
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
