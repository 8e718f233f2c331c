import { isJsonObject, type Json } from "#contract/json.ts";
import type { RunEvent, Usage } from "#contract/run-events.ts";
import { mediaTypeOfDataUrl } from "#server/parts/data-url.ts";
import type { Encoder } from "./encoder.ts";

/** The protocol's UI message stream: server-sent events of one JSON chunk each, ended by `[DONE]`. */
export function uiMessageStream(): Encoder {
  const calls = new Map<number, { id: string; name: string; argsText: string }>();
  const tokens = (usage: Usage) => ({ inputTokens: usage.input ?? 0, outputTokens: usage.output ?? 0 });
  const chunk = (value: { [key: string]: Json }) => `data: ${JSON.stringify(value)}\n\n`;

  return {
    contentType: "text/event-stream; charset=utf-8",
    headers: { "x-vercel-ai-ui-message-stream": "v1" },
    begin: (messageId) => chunk({ type: "start", messageId }) + chunk({ type: "start-step" }),
    event(event: RunEvent) {
      switch (event.type) {
        case "text-start":
        case "text-end":
        case "reasoning-start":
        case "reasoning-end":
          return chunk({ type: event.type, id: String(event.part) });
        case "text-delta":
        case "reasoning-delta":
          return chunk({ type: event.type, id: String(event.part), delta: event.text });
        case "tool-call-start":
          calls.set(event.part, { id: event.tool_call_id, name: event.tool_name, argsText: "" });
          return chunk({
            type: "tool-input-start",
            toolCallId: event.tool_call_id,
            toolName: event.tool_name,
          });
        case "tool-call-delta": {
          const call = calls.get(event.part)!;
          call.argsText += event.args_text;
          return chunk({ type: "tool-input-delta", toolCallId: call.id, inputTextDelta: event.args_text });
        }
        case "tool-call-end": {
          const call = calls.get(event.part)!;
          return chunk({
            type: "tool-input-available",
            toolCallId: call.id,
            toolName: call.name,
            input: parsed(call.argsText),
          });
        }
        case "tool-call-result": {
          const { id: toolCallId } = calls.get(event.part)!;
          if (event.is_error === true)
            return chunk({ type: "tool-output-error", toolCallId, errorText: errorText(event.result) });
          return chunk({ type: "tool-output-available", toolCallId, output: event.result });
        }
        case "source-add":
          if (event.source.sourceType !== "url") return "";
          return chunk({
            type: "source-url",
            sourceId: event.source.id,
            url: event.source.url,
            ...(event.source.title === undefined ? {} : { title: event.source.title }),
          });
        case "image-add":
          return chunk({
            type: "file",
            url: event.image.image,
            mediaType: mediaTypeOfDataUrl(event.image.image) ?? "image/*",
          });
        case "file-add":
          return chunk({ type: "file", url: event.file.data, mediaType: event.file.mimeType });
        case "data-add":
          return chunk({ type: `data-${event.data.name}`, data: event.data.data });
        case "step-end":
          return chunk({ type: "finish-step", usage: tokens(event.usage) });
        default:
          return "";
      }
    },
    end: ({ finishReason, usage }) =>
      chunk({ type: "finish", finishReason, usage: tokens(usage) }) + "data: [DONE]\n\n",
    fail: (message) => chunk({ type: "error", errorText: message }) + "data: [DONE]\n\n",
  };
}

function parsed(text: string): Json {
  try {
    return text === "" ? {} : (JSON.parse(text) as Json);
  } catch {
    return text;
  }
}

function errorText(result: Json): string {
  const said = isJsonObject(result) ? result.error : undefined;
  return typeof said === "string" ? said : JSON.stringify(result);
}
