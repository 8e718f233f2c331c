import type {
  ChatModelAdapter,
  ThreadAssistantMessagePart,
  ThreadUserMessagePart,
} from "@assistant-ui/react";

/** 1 by 1, red. */
const pixel =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/** An answer with every part kind that the runtime supports, on request. */
const everyKind: ThreadAssistantMessagePart[] = [
  { type: "reasoning", text: "I weighed it." },
  {
    type: "tool-call",
    toolCallId: "call_1",
    toolName: "weather",
    args: { city: "Oslo" },
    argsText: '{"city":"Oslo"}',
    result: { degrees: 3 },
  },
  { type: "text", text: "Here is **everything**." },
  { type: "source", sourceType: "url", id: "s1", url: "https://example.org/a", title: "A source" },
  { type: "file", data: "aGVsbG8=", mimeType: "text/plain", filename: "hello.txt" },
  { type: "image", image: pixel, filename: "pixel.png" },
  { type: "data", name: "chart", data: { bars: [1, 2] } },
];

/** This model reads only text, so files are sent as addresses. */
function wordsOf(part: ThreadUserMessagePart | ThreadAssistantMessagePart): string {
  if (part.type === "text") return part.text;
  if (part.type === "image") return part.image;
  return part.type === "file" ? part.data : "";
}

/** The app's own route streams plain text. */
export const localModel: ChatModelAdapter = {
  async *run({ messages, abortSignal }) {
    const last = messages.at(-1);
    const attached = (last?.attachments ?? []).flatMap(({ content }) => content);
    const question = [...(last?.content ?? []), ...attached].map(wordsOf).join("\n");
    if (question?.includes("every kind")) {
      yield { content: everyKind };
      return;
    }
    const response = await fetch("/api/words", {
      method: "POST",
      body: JSON.stringify({ question }),
      signal: abortSignal,
    });
    if (!response.ok || response.body === null) throw new Error(await response.text());
    let text = "";
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      text += piece;
      yield { content: [{ type: "text", text }] };
    }
  },
};
