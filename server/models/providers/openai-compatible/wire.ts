import { isJsonObject } from "#contract/json.ts";
import type { Line } from "./line.ts";

/** More than this without a line's end is no event of a chat; it would only fill the memory. */
const lineBytesMax = 16 * 1024 * 1024;
/** An answer that is not streamed is read whole, up to this. */
const wholeBytesMax = 8 * 1024 * 1024;

/**
 * `fetch` as a provider's request uses it: follows no redirect (the key and the conversation go to the configured host
 * and nowhere else), tells the line of every byte, bounds what a line may hold, and turns an answer that was not
 * streamed into a stream of one chunk.
 */
export function guardedFetch(base: typeof fetch, lineOf: () => Line): typeof fetch {
  return async (input, init) => {
    const line = lineOf();
    const response = await base(input, { ...init, redirect: "manual" });
    line.heard();
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw new Error(`the provider redirects elsewhere, status ${response.status}: check the base URL`);
    }
    if (!response.ok || response.body === null) return response;
    const type = response.headers.get("content-type") ?? "";
    if (type.includes("text/html")) {
      await response.body.cancel();
      return sse(response, Promise.reject(new Error("the provider answered with a page of HTML")));
    }
    if (type.includes("application/json")) return sse(response, asChunk(response.body, line));
    return new Response(overheard(response.body, line), response);
  };
}

/** A plain source over the reader: a transform would cost twice as much for each token. */
function overheard(body: ReadableStream<Uint8Array>, line: Line): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let lineBytes = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        line.heard();
        const end = value.lastIndexOf(10);
        lineBytes = end === -1 ? lineBytes + value.length : value.length - end;
        if (lineBytes > lineBytesMax) throw new Error(`a line of more than ${lineBytesMax} bytes`);
        controller.enqueue(value);
      },
      cancel: async (reason) => await reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

function sse(response: Response, content: Promise<string>): Response {
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      try {
        controller.enqueue(new TextEncoder().encode(await content));
        controller.close();
      } catch (error) {
        controller.error(error);
      }
    },
  });
  return new Response(body, { status: response.status, headers: { "content-type": "text/event-stream" } });
}

/** Some servers know no streaming and answer with the whole completion, some with an error under status 200. */
async function asChunk(body: ReadableStream<Uint8Array>, line: Line): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of body) {
    line.heard();
    text += decoder.decode(bytes, { stream: true });
    if (text.length > wholeBytesMax) throw new Error("an answer too large to read whole");
  }
  const answer: unknown = JSON.parse(text);
  if (!isJsonObject(answer)) throw new Error("an answer that is no JSON object");
  if (!Array.isArray(answer.choices)) return `data: ${JSON.stringify(answer)}\n\n`;
  const choices = answer.choices.map((choice) =>
    isJsonObject(choice) && choice.delta === undefined
      ? { ...choice, delta: choice.message ?? null }
      : choice,
  );
  return `data: ${JSON.stringify({ ...answer, choices })}\n\n`;
}
