import type { ServerResponse } from "node:http";
import type { EventBatch, EventFrame } from "../lib/route.ts";

export const eventsType = "text/event-stream; charset=utf-8";

/**
 * Writes server-sent events batch by batch. A slow reader slows the source, so nothing piles up. When nothing was sent
 * for `heartbeatMs`, a comment line is sent: proxies keep the connection open, and both ends notice when it is dead.
 */
export async function writeEvents(
  outgoing: ServerResponse,
  batches: AsyncIterable<EventBatch>,
  options: {
    headers: Record<string, string>;
    heartbeatMs: number;
    /** A reader that takes nothing for this long is cut off: it goes on from its last number, when it reads again. */
    stalledReaderMs: number;
    signal: AbortSignal;
    failure: (error: unknown) => unknown;
  },
): Promise<void> {
  outgoing.writeHead(200, {
    ...options.headers,
    ...streamHeaders,
    "Content-Type": eventsType,
  });
  outgoing.flushHeaders();
  // Restarted by each batch. A timer, because it keeps its pace when the wall clock is set.
  const heartbeat = setTimeout(() => {
    if (!outgoing.writableNeedDrain) outgoing.write(":\n\n");
    heartbeat.refresh();
  }, options.heartbeatMs);
  heartbeat.unref();
  try {
    for await (const batch of batches) {
      heartbeat.refresh();
      if (!(await writeChunk(outgoing, batch.map(eventText).join(""), options))) return;
    }
  } catch (error) {
    if (!options.signal.aborted)
      await writeChunk(
        outgoing,
        `event: error\ndata: ${JSON.stringify(options.failure(error))}\n\n`,
        options,
      );
  } finally {
    clearTimeout(heartbeat);
    outgoing.end();
  }
}

/** Writes text as it is made. A failure in the middle cuts the connection, so that no one takes a part for the whole. */
export async function writeText(
  outgoing: ServerResponse,
  chunks: AsyncIterable<string>,
  options: {
    headers: Record<string, string>;
    contentType: string;
    stalledReaderMs: number;
    signal: AbortSignal;
  },
): Promise<void> {
  outgoing.writeHead(200, { ...options.headers, ...streamHeaders, "Content-Type": options.contentType });
  outgoing.flushHeaders();
  try {
    for await (const chunk of chunks)
      if (!(await writeChunk(outgoing, chunk, options))) return void outgoing.destroy();
    outgoing.end();
  } catch (error) {
    outgoing.destroy();
    throw error;
  }
}

/** Proxies must neither keep nor rewrite a stream; `X-Accel-Buffering` is nginx's word for it. */
export const streamHeaders = {
  "Cache-Control": "private, no-store, no-transform",
  "X-Accel-Buffering": "no",
};

function eventText(frame: EventFrame): string {
  return `${frame.id === undefined ? "" : `id: ${frame.id}\n`}data: ${frame.json}\n\n`;
}

/** Longer text is handed over as bytes, because Node sets three bytes aside for each character of a waiting string. */
const stringCharactersMax = 4096;

/** Whether the reader is still there once `text` was handed over, which nothing here holds while it waits. */
function writeChunk(
  outgoing: ServerResponse,
  text: string,
  { signal, stalledReaderMs }: { signal: AbortSignal; stalledReaderMs: number },
): boolean | Promise<boolean> {
  if (signal.aborted || outgoing.destroyed) return false;
  if (outgoing.write(text.length > stringCharactersMax ? Buffer.from(text) : text)) return true;
  return taken(outgoing, stalledReaderMs);
}

/** Whether the reader took what was handed over, and is there for more. */
async function taken(outgoing: ServerResponse, stalledReaderMs: number): Promise<boolean> {
  return await new Promise<boolean>((resolve) => {
    const settle = (alive: boolean) => {
      clearTimeout(timer);
      outgoing.off("drain", drained).off("close", gone);
      resolve(alive);
    };
    const drained = () => settle(true);
    const gone = () => settle(false);
    const timer = setTimeout(() => outgoing.destroy(), stalledReaderMs);
    outgoing.on("drain", drained).on("close", gone);
  });
}
