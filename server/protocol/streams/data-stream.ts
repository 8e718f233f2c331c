import type { Json } from "#contract/json.ts";
import type { RunEvent, Usage } from "#contract/run-events.ts";
import { mediaTypeOfDataUrl } from "#server/parts/data-url.ts";
import type { Encoder } from "./encoder.ts";

/** The protocol's data stream: lines of a code, a colon and JSON, the last one ended too. */
export function dataStream(): Encoder {
  const callIds = new Map<number, string>();
  const line = (code: string, value: Json) => `${code}:${JSON.stringify(value)}\n`;
  const tokens = (usage: Usage) => ({ inputTokens: usage.input ?? 0, outputTokens: usage.output ?? 0 });

  return {
    contentType: "text/plain; charset=utf-8",
    headers: { "x-vercel-ai-data-stream": "v1" },
    begin: (messageId) => line("f", { messageId }),
    event(event: RunEvent) {
      switch (event.type) {
        case "text-delta":
          return line("0", event.text);
        case "reasoning-delta":
          return line("g", event.text);
        case "tool-call-start":
          callIds.set(event.part, event.tool_call_id);
          return line("b", { toolCallId: event.tool_call_id, toolName: event.tool_name });
        case "tool-call-delta":
          return line("c", { toolCallId: callIds.get(event.part)!, argsTextDelta: event.args_text });
        case "tool-call-end":
          return line("c", { toolCallId: callIds.get(event.part)!, argsTextDelta: "", isFinal: true });
        case "tool-call-result":
          return line("a", {
            toolCallId: callIds.get(event.part)!,
            result: event.result,
            ...(event.is_error === true ? { isError: true } : {}),
          });
        case "source-add":
          if (event.source.sourceType !== "url") return "";
          return line("h", {
            sourceType: "url",
            id: event.source.id,
            url: event.source.url,
            ...(event.source.title === undefined ? {} : { title: event.source.title }),
          });
        case "image-add":
          return line("k", {
            data: event.image.image,
            mimeType: mediaTypeOfDataUrl(event.image.image) ?? "image/*",
          });
        case "file-add":
          return line("k", { data: event.file.data, mimeType: event.file.mimeType });
        case "step-end":
          return line("e", { finishReason: "unknown", usage: tokens(event.usage), isContinued: false });
        default:
          return "";
      }
    },
    end: ({ finishReason, usage }) => line("d", { finishReason, usage: tokens(usage) }),
    fail: (message) => line("3", message),
  };
}
