import { EventSourceParserStream } from "eventsource-parser/stream";
import type { Send } from "./connection.ts";

/**
 * The server sends a heartbeat every 15 seconds. A connection that is silent for this long is dead, which the browser
 * does not notice.
 */
const silenceMs = 45_000;

export type EventStream = {
  response: Response;
  /** The data of the events, until the stream ends or `signal` aborts. Throws if the connection breaks or is silent. */
  data(signal: AbortSignal): AsyncGenerator<string>;
};

/** Sends a request for server-sent events. Throws what `send` throws, and if the response does not begin in time. */
export async function openEvents(
  send: Send,
  path: string,
  init: Parameters<Send>[1] & { signal?: AbortSignal },
): Promise<EventStream> {
  const connection = new AbortController();
  const abort = () => connection.abort(init.signal?.reason);
  const watch = createSilenceWatch(() => connection.abort(new Error("The connection is silent.")));
  if (init.signal?.aborted === true) abort();
  init.signal?.addEventListener("abort", abort, { once: true });
  try {
    const response = await send(path, { ...init, signal: connection.signal });
    return {
      response,
      async *data(signal) {
        try {
          yield* eventData(response, watch.heard, signal);
        } finally {
          watch.end();
        }
      },
    };
  } catch (error) {
    watch.end();
    throw error;
  } finally {
    init.signal?.removeEventListener("abort", abort);
  }
}

function createSilenceWatch(onSilence: () => void) {
  let timer = setTimeout(onSilence, silenceMs);
  return {
    heard() {
      clearTimeout(timer);
      timer = setTimeout(onSilence, silenceMs);
    },
    end: () => clearTimeout(timer),
  };
}

async function* eventData(
  response: Response,
  onBytes: () => void,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const heard = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(bytes, controller) {
      onBytes();
      controller.enqueue(bytes);
    },
  });
  const reader = response.body
    ?.pipeThrough(heard)
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  if (reader === undefined) return;
  const cancel = () => void reader.cancel().catch(() => {});
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value.data;
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}
