import type { ServerResponse } from "node:http";
import type { EventBatch, EventFrame } from "../lib/route.ts";

export const eventsType = "text/event-stream; charset=utf-8";

/** A comment of server-sent events, which readers ignore. */
const heartbeatComment = ":\n\n";

/**
 * Writes server-sent events batch by batch, with backpressure. If nothing was sent for `heartbeatMs`, a comment line is
 * sent: proxies then keep the connection open, and both ends notice when it is dead. If the source fails, the reader
 * gets an `error` event with `errorData(error)`.
 */
export async function writeEvents(
  outgoing: ServerResponse,
  batches: AsyncIterable<EventBatch>,
  options: {
    headers: Record<string, string>;
    heartbeatMs: number;
    /** A client that reads nothing for this long is disconnected. It can resume after its last event. */
    stalledMs: number;
    signal: AbortSignal;
    errorData: (error: unknown) => unknown;
  },
): Promise<void> {
  outgoing.writeHead(200, {
    ...options.headers,
    ...streamHeaders,
    "Content-Type": eventsType,
  });
  outgoing.flushHeaders();
  const heartbeat = startHeartbeat(outgoing, heartbeatComment, options.heartbeatMs);
  try {
    for await (const batch of batches) {
      heartbeat.refresh();
      if (!(await writeChunk(outgoing, encode(batch), options))) return;
    }
  } catch (error) {
    if (!options.signal.aborted)
      await writeChunk(
        outgoing,
        `event: error\ndata: ${JSON.stringify(options.errorData(error))}\n\n`,
        options,
      );
  } finally {
    clearTimeout(heartbeat);
    outgoing.end();
  }
}

/**
 * Writes text chunk by chunk, and `heartbeat` whenever nothing was sent for `heartbeatMs`. If the source fails, the
 * connection is closed, so that no reader mistakes the part for a complete text.
 */
export async function writeText(
  outgoing: ServerResponse,
  chunks: AsyncIterable<string>,
  options: {
    headers: Record<string, string>;
    contentType: string;
    /** What readers of this format ignore; `undefined` if the format has nothing like that. */
    heartbeat: string | undefined;
    heartbeatMs: number;
    stalledMs: number;
    signal: AbortSignal;
  },
): Promise<void> {
  outgoing.writeHead(200, { ...options.headers, ...streamHeaders, "Content-Type": options.contentType });
  outgoing.flushHeaders();
  const heartbeat =
    options.heartbeat === undefined
      ? undefined
      : startHeartbeat(outgoing, options.heartbeat, options.heartbeatMs);
  try {
    for await (const chunk of chunks) {
      heartbeat?.refresh();
      if (!(await writeChunk(outgoing, chunk, options))) return void outgoing.destroy();
    }
    outgoing.end();
  } catch (error) {
    outgoing.destroy();
    throw error;
  } finally {
    clearTimeout(heartbeat);
  }
}

/** Each refresh restarts the timer. Unlike timestamps, it is not affected when the wall clock changes. */
function startHeartbeat(outgoing: ServerResponse, text: string, everyMs: number): NodeJS.Timeout {
  const heartbeat = setTimeout(() => {
    if (!outgoing.writableNeedDrain) outgoing.write(text);
    heartbeat.refresh();
  }, everyMs);
  return heartbeat.unref();
}

/** Proxies must neither buffer nor change a stream; `X-Accel-Buffering` is for nginx. */
export const streamHeaders = {
  "Cache-Control": "private, no-store, no-transform",
  "X-Accel-Buffering": "no",
};

function eventText(frame: EventFrame): string {
  return `${frame.id === undefined ? "" : `id: ${frame.id}\n`}data: ${frame.json}\n\n`;
}

/** Longer text is written as bytes, because Node reserves three bytes for each character of a queued string. */
const stringCharactersMax = 4096;

/** Batches that are written to several readers, such as those of a live view, are encoded once. */
const encodedBatches = new WeakMap<EventBatch, string | Buffer>();

function encode(batch: EventBatch): string | Buffer {
  const known = encodedBatches.get(batch);
  if (known !== undefined) return known;
  const text = batch.map(eventText).join("");
  const encoded = text.length > stringCharactersMax ? Buffer.from(text) : text;
  encodedBatches.set(batch, encoded);
  return encoded;
}

/** Writes `text` and waits until the reader is ready for more. Returns whether the reader is still connected. */
function writeChunk(
  outgoing: ServerResponse,
  text: string | Buffer,
  { signal, stalledMs }: { signal: AbortSignal; stalledMs: number },
): boolean | Promise<boolean> {
  if (signal.aborted || outgoing.destroyed) return false;
  if (
    outgoing.write(typeof text === "string" && text.length > stringCharactersMax ? Buffer.from(text) : text)
  )
    return true;
  return isDrained(outgoing, stalledMs);
}

/** Waits until the write buffer is empty. Returns `false` if the connection closes first. */
async function isDrained(outgoing: ServerResponse, stalledMs: number): Promise<boolean> {
  return await new Promise<boolean>((resolve) => {
    const settle = (drained: boolean) => {
      clearTimeout(timer);
      outgoing.off("drain", onDrain).off("close", onClose);
      resolve(drained);
    };
    const onDrain = () => settle(true);
    const onClose = () => settle(false);
    const timer = setTimeout(() => outgoing.destroy(), stalledMs);
    outgoing.on("drain", onDrain).on("close", onClose);
  });
}
