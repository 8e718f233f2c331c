import type { IncomingMessage } from "node:http";
import { createParser } from "eventsource-parser";
import { isJsonObject } from "#contract/json.ts";
import { webPageCode } from "./failure.ts";
import type { Watchdog } from "./watchdog.ts";

/** No event of a chat has a longer line. A misbehaving provider could otherwise fill the memory with one. */
const lineBytesMax = 16 * 1024 * 1024;
/** The longest response that is not streamed. */
const bodyLengthMax = 8 * 1024 * 1024;
/** No error that says something is longer. */
const errorLengthMax = 64 * 1024;
/** How much the queue may hold, in UTF-16 units, before the server stops reading from the provider. */
const queueLengthMax = 256 * 1024;

/** The data of the event that ends a stream of chat completions. */
export const doneEvent = "[DONE]";

/** Reads the events of one response. */
export type EventReader = {
  /**
   * The data of the events that arrived since the last call. Waits if there are none; `undefined` at the end. Throws the
   * error that ended the response, after all events before it.
   */
  next(): Promise<string[] | undefined>;
};

/**
 * Reads an accepted response with backpressure and limits. A JSON response is read as a stream of one event. An HTML
 * response is an error.
 */
export function createEventReader(response: IncomingMessage, watchdog: Watchdog): EventReader {
  const type = response.headers["content-type"] ?? "";
  if (type.includes("text/html")) {
    response.destroy();
    return { next: () => Promise.reject(notEvents()) };
  }
  if (type.includes("application/json")) {
    let isRead = false;
    return {
      async next() {
        if (isRead) return undefined;
        isRead = true;
        return toEvents(await readBody(response, watchdog));
      },
    };
  }
  return readEventStream(response, watchdog, !type.includes("text/event-stream"));
}

/** `mayBeOther`: it is not said to be an event stream, so without any event it is something else. */
function readEventStream(response: IncomingMessage, watchdog: Watchdog, mayBeOther: boolean): EventReader {
  const decoder = new TextDecoder();
  const parser = createParser({
    onEvent({ data }) {
      hasEvents = true;
      queue.push(data);
      queueLength += data.length;
    },
  });
  let hasEvents = false;
  let queue: string[] = [];
  let queueLength = 0;
  let lineBytes = 0;
  let ended: { error?: unknown } | undefined;
  let wake = () => {};

  function end(result: { error?: unknown }): void {
    ended ??= result;
    wake();
  }

  response.on("data", (bytes: Buffer) => {
    watchdog.onBytes();
    const lineEnd = bytes.lastIndexOf(10);
    lineBytes = lineEnd === -1 ? lineBytes + bytes.length : bytes.length - lineEnd;
    if (lineBytes > lineBytesMax) {
      response.destroy(new Error(`a line of more than ${lineBytesMax} bytes`));
      return;
    }
    parser.feed(decoder.decode(bytes, { stream: true }));
    if (queueLength > queueLengthMax) response.pause();
    if (queue.length > 0) wake();
  });
  response.once("end", () => end(mayBeOther && !hasEvents ? { error: notEvents() } : {}));
  response.on("error", (error) => end({ error }));
  // The only event after this server has aborted the request.
  response.once("close", () => end({ error: new Error("the connection was closed") }));

  return {
    async next() {
      if (queue.length === 0 && ended === undefined) {
        await new Promise<void>((resolve) => (wake = resolve));
      }
      if (queue.length > 0) {
        const events = queue;
        queue = [];
        queueLength = 0;
        if (response.isPaused()) response.resume();
        return events;
      }
      if (ended !== undefined && "error" in ended) throw ended.error;
      return undefined;
    },
  };
}

function notEvents(): Error {
  const error = new Error("the provider answered with a page, not with events or JSON");
  return Object.assign(error, { code: webPageCode });
}

/** Reads a response that is not streamed. */
export async function readBody(response: IncomingMessage, watchdog: Watchdog): Promise<string> {
  const text = await readStart(response, watchdog, bodyLengthMax);
  if (text.length > bodyLengthMax) throw new Error("the response is too large");
  return text;
}

/** Reads the body of an error. Of a longer one, the beginning is enough. */
export async function readErrorBody(response: IncomingMessage, watchdog: Watchdog): Promise<string> {
  return await readStart(response, watchdog, errorLengthMax);
}

/** Reads until the text has more than `lengthMax` characters, and then closes the connection. */
async function readStart(response: IncomingMessage, watchdog: Watchdog, lengthMax: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of response) {
    watchdog.onBytes();
    text += decoder.decode(bytes as Buffer, { stream: true });
    if (text.length > lengthMax) break;
  }
  return text;
}

/** Some servers do not stream and send the whole completion. Others send an error with status 200. */
function toEvents(text: string): string[] {
  const body: unknown = JSON.parse(text);
  if (!isJsonObject(body)) throw new Error("the response is not a JSON object");
  if (!Array.isArray(body.choices)) return [JSON.stringify(body)];
  const choices = body.choices.map((choice) =>
    isJsonObject(choice) && choice.delta === undefined
      ? { ...choice, delta: choice.message ?? null }
      : choice,
  );
  return [JSON.stringify({ ...body, choices }), doneEvent];
}
