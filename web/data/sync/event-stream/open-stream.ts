import { createParser } from "eventsource-parser";
import type { LiveMessage } from "#contract/changes.ts";
import { createLineReader, type LineMessage } from "#contract/line.ts";
import { limits } from "#contract/limits.ts";
import { paths } from "#contract/paths.ts";
import { attempt, type Fetch } from "#web/data/call.ts";
import { CallError, networkError } from "#web/data/call-error.ts";
import { linkedSignal } from "#web/lib/linked-signal.ts";

/** From where a line goes on: the feed's last seen number (absent: from now), and each run's. */
export type LinePosition = { after: number | undefined; runs: { runId: string; after: number }[] };

/**
 * One server-sent stream of the feed and the runs in view. Calls `heard` for each message, in order, and `alive` for
 * every sign of life, a comment included. Returns when the service ends it; throws `CallError` when it is refused,
 * breaks, or says nothing for `silenceMs`; throws the signal's reason when `signal` aborts.
 */
export type OpenLine = (
  position: LinePosition,
  headers: Record<string, string>,
  on: { heard: (message: LiveMessage) => void; alive: () => void },
  signal: AbortSignal,
) => Promise<void>;

/** 40 s: two heartbeats of 15 s that never came, and a slow network. */
const silenceMs = 2 * limits.streamHeartbeatMs + 10_000;

export function createOpenLine(options: { baseUrl: string; fetch: Fetch }): OpenLine {
  return async (position, headers, on, signal) => {
    const own = linkedSignal(signal);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const alive = () => {
      clearTimeout(timer);
      timer = setTimeout(() => own.abort(), silenceMs);
      on.alive();
    };
    try {
      alive();
      const outcome = await attempt(
        options,
        options.baseUrl + addressOf(position),
        { method: "GET", signal: own.signal },
        headers,
      );
      if (outcome instanceof CallError) throw outcome;
      await read(outcome, on.heard, alive);
    } catch (error) {
      if (signal.aborted || error instanceof CallError) throw error;
      throw networkError(error);
    } finally {
      clearTimeout(timer);
      own.release();
      // Closes the connection where reading stopped for another reason than its end.
      own.abort();
    }
  };
}

async function read(
  response: Response,
  heard: (message: LiveMessage) => void,
  alive: () => void,
): Promise<void> {
  const message = createLineReader();
  const parser = createParser({
    onEvent(event) {
      // The service's word for a stream that failed in the middle; the reader goes on from its last number.
      if (event.event === "error") throw networkError(event.data);
      heard(message(JSON.parse(event.data) as LineMessage));
    },
  });
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  for (;;) {
    const chunk = await reader?.read();
    if (chunk?.value === undefined) return;
    alive();
    parser.feed(decoder.decode(chunk.value, { stream: true }));
  }
}

function addressOf({ after, runs }: LinePosition): string {
  const query = new URLSearchParams();
  if (after !== undefined) query.set("after", String(after));
  if (runs.length > 0) query.set("runs", runs.map((run) => `${run.runId}:${run.after}`).join(","));
  return `${paths["live.follow"].path}?${query.toString()}`;
}
