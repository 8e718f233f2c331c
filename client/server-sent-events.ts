import { EventSourceParserStream } from "eventsource-parser/stream";

/** The data of the server-sent events in a response, until it ends or `signal` aborts. */
export async function* eventData(response: Response, signal: AbortSignal): AsyncGenerator<string> {
  const reader = response.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  if (reader === undefined) return;
  const cancel = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value.data;
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}
