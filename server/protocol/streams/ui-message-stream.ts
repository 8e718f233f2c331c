import type { JsonObject } from "#contract/json.ts";
import { type Encoder, partEncoder, tokensOf } from "./encoder.ts";

/** The protocol's UI message stream: server-sent events with one JSON chunk each, ended by `[DONE]`. */
export function uiMessageStream(): Encoder {
  const encodePart = partEncoder("uiMessageStream");
  const chunk = (value: JsonObject) => `data: ${JSON.stringify(value)}\n\n`;
  return {
    contentType: "text/event-stream; charset=utf-8",
    headers: { "x-vercel-ai-ui-message-stream": "v1" },
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
