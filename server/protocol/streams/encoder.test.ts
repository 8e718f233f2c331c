import { expect, test } from "vitest";
import type { RunEvent } from "#contract/run-events.ts";
import { dataStream, uiMessageStream } from "./encoder.ts";

const events: RunEvent[] = [
  { type: "text-start", part: 0 },
  { type: "text-delta", part: 0, text: "So" },
  { type: "text-end", part: 0 },
  // A run leaves out some parts, so indexes have gaps.
  { type: "tool-call-start", part: 2, tool_call_id: "c", tool_name: "add", at: 1 },
  { type: "tool-call-delta", part: 2, args_text: "[1" },
  { type: "tool-call-end", part: 2 },
  { type: "tool-call-ask", part: 2 },
  { type: "tool-call-result", part: 2, result: { error: "no" }, is_error: true, at: 2 },
  { type: "audio-add", part: 3, audio: { type: "audio", audio: { data: "AAAA", format: "wav" } } },
  {
    type: "source-add",
    part: 4,
    source: { type: "source", sourceType: "document", id: "d", title: "A paper", mediaType: "text/plain" },
  },
  { type: "data-add", part: 5, data: { type: "data", name: "chart", data: [1] } },
  // An event of the wrong kind for its part.
  { type: "text-delta", part: 5, text: "no" },
];

test("the data stream has the events that its format supports", () => {
  const { event } = dataStream();
  expect(events.map(event).filter((line) => line !== "")).toEqual([
    '0:"So"\n',
    'b:{"toolCallId":"c","toolName":"add"}\n',
    'c:{"toolCallId":"c","argsTextDelta":"[1"}\n',
    'c:{"toolCallId":"c","argsTextDelta":"","isFinal":true}\n',
    'a:{"toolCallId":"c","result":{"error":"no"},"isError":true}\n',
    'k:{"data":"AAAA","mimeType":"audio/wav"}\n',
  ]);
});

test("the UI message stream has the events that its format supports", () => {
  const { event } = uiMessageStream();
  const chunks = events.map(event).filter((chunk) => chunk !== "");
  expect(chunks.map((chunk): unknown => JSON.parse(chunk.slice("data: ".length)))).toEqual([
    { type: "text-start", id: "0" },
    { type: "text-delta", id: "0", delta: "So" },
    { type: "text-end", id: "0" },
    { type: "tool-input-start", toolCallId: "c", toolName: "add" },
    { type: "tool-input-delta", toolCallId: "c", inputTextDelta: "[1" },
    { type: "tool-input-available", toolCallId: "c", toolName: "add", input: "[1" },
    { type: "tool-output-error", toolCallId: "c", errorText: "no" },
    { type: "file", url: "data:audio/wav;base64,AAAA", mediaType: "audio/wav" },
    { type: "data-chart", data: [1] },
  ]);
});
