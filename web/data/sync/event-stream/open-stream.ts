import { createParser } from "eventsource-parser";
import type { LiveMessage } from "#contract/changes.ts";
import { createLiveDecoder, type EncodedLiveMessage } from "#contract/live-encoding.ts";
import { limits } from "#contract/limits.ts";
import { requestLines } from "#contract/paths.ts";
import { attempt, type Fetch } from "#web/data/call.ts";
import { CallError, networkError } from "#web/data/call-error.ts";

/** Where the stream `id` resumes: after the feed's last received number (absent: from now on), and each run's. */
export type StreamPosition = {
  id: string;
  after: number | undefined;
  runs: { runId: string; after: number }[];
};

/**
 * One server-sent stream of the feed and the visible runs. Calls `onMessage` for each message, in order, and
 * `onActivity` for all data, heartbeat comments included. Returns when the server ends it; throws `CallError` when the
 * server refuses it, the connection breaks, or nothing arrives for `silenceMs`; throws the signal's reason when `signal`
 * aborts.
 */
export type OpenStream = (
  position: StreamPosition,
  headers: Record<string, string>,
  handlers: { onMessage: (message: LiveMessage) => void; onActivity: () => void },
  signal: AbortSignal,
) => Promise<void>;

/** 40 s: two missing heartbeats of 15 s, and a margin for a slow network. */
const silenceMs = 2 * limits.streamHeartbeatMs + 10_000;

export function createOpenStream(options: { baseUrl: string; fetch: Fetch }): OpenStream {
  return async (position, headers, handlers, signal) => {
    const own = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onActivity = () => {
      clearTimeout(timer);
      timer = setTimeout(() => own.abort(), silenceMs);
      handlers.onActivity();
    };
    try {
      onActivity();
      const outcome = await attempt(
        options,
        options.baseUrl + urlOf(position),
        { method: "GET", signal: AbortSignal.any([signal, own.signal]) },
        headers,
      );
      if (outcome instanceof CallError) throw outcome;
      await read(outcome, { onMessage: handlers.onMessage, onActivity });
    } catch (error) {
      if (signal.aborted || error instanceof CallError) throw error;
      throw networkError(error);
    } finally {
      clearTimeout(timer);
      // Close the connection if reading stopped before the response ended.
      own.abort();
    }
  };
}

async function read(response: Response, { onMessage, onActivity }: Parameters<OpenStream>[2]): Promise<void> {
  const message = createLiveDecoder();
  const parser = createParser({
    onEvent(event) {
      // The server sends this event when a stream fails; the reader resumes after its last number.
      if (event.event === "error") throw networkError(event.data);
      onMessage(message(JSON.parse(event.data) as EncodedLiveMessage));
    },
  });
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  for (;;) {
    const chunk = await reader?.read();
    if (chunk?.value === undefined) return;
    onActivity();
    parser.feed(decoder.decode(chunk.value, { stream: true }));
  }
}

function urlOf({ id, after, runs }: StreamPosition): string {
  const query = new URLSearchParams({ stream_id: id });
  if (after !== undefined) query.set("after", String(after));
  if (runs.length > 0) query.set("runs", runs.map((run) => `${run.runId}:${run.after}`).join(","));
  return `${requestLines["live.follow"].split(" ")[1]}?${query.toString()}`;
}
