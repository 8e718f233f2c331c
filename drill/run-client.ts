import { setTimeout as sleep } from "node:timers/promises";
import { createParser } from "eventsource-parser";
import { isRunEnded, type RunEndState, type RunEvent, type RunState } from "#contract/run-events.ts";
import type { Random } from "#fixtures/random.ts";

/** The exact bodies of the events that a reader received of a run, number 1 first. */
export type SeenEvents = string[];

/** A requested run, and everything that readers received of it. */
export type RunRequest = {
  runId: string;
  threadId: string;
  messageId: string;
  replyId: string;
  /** The message; empty if an earlier answer is continued. */
  text: string;
  headers: Record<string, string>;
  /** Whether the server acknowledged it. */
  acknowledged: boolean;
  readers: SeenEvents[];
  end: RunEndState | undefined;
  isStopped: boolean;
  /** The run's state in the response to the stop. */
  stoppedAs: RunEndState | undefined;
  /** Resolves when a reader has seen the end. */
  ended: Promise<void>;
};

/** What the users sent and received. */
export type Observations = {
  requests: RunRequest[];
  /** Descriptions of what must never happen. */
  violations: string[];
  /** Events whose number was not the next one. */
  outOfOrder: number;
  eventsSeen: number;
  connectionsLost: number;
  /** Requests that were refused because the disk was full. */
  refusedForFullDisk: number;
};

/** The share of reconnects that come much later. */
const lateReconnectShare = 0.2;

/** The requests of the simulated users. Adds to `observed` what their responses say. */
export function createRunClient(url: string, observed: Observations) {
  /** Retries with the same ids until the server accepts or refuses the request, as the web app's outbox does. */
  async function post(request: RunRequest, path: string, body: unknown, random: Random): Promise<void> {
    for (;;) {
      try {
        const response = await fetch(url + path, {
          method: "POST",
          headers: { ...request.headers, "Content-Type": "application/json" },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(40_000),
        });
        const text = await response.text();
        if (response.status === 201) {
          const { run_id: runId, reply_id: replyId } = JSON.parse(text) as {
            run_id: string;
            reply_id: string;
          };
          if (runId !== request.runId || replyId !== request.replyId)
            observed.violations.push(`${path} returned other ids than the request had`);
          request.acknowledged = true;
          return;
        }
        if (text.includes('"storage-full"')) observed.refusedForFullDisk += 1;
        if (response.status < 500 && response.status !== 429) {
          observed.violations.push(`POST ${path}: ${response.status} ${text}`);
          return;
        }
      } catch {
        observed.connectionsLost += 1;
      }
      await sleep(random.between(50, 400));
    }
  }

  /** Stops the run after a random delay. It may have ended already. */
  async function stopRun(request: RunRequest, random: Random): Promise<void> {
    await sleep(random.between(0, 1_500));
    request.isStopped = true;
    try {
      const response = await fetch(`${url}/v1/runs/${request.runId}/stop`, {
        method: "POST",
        headers: request.headers,
        signal: AbortSignal.timeout(40_000),
      });
      const text = await response.text();
      if (response.ok) {
        const { state } = (JSON.parse(text) as { run: { state: RunState } }).run;
        if (isRunEnded(state)) request.stoppedAs = state;
      } else if (response.status < 500 && response.status !== 429)
        observed.violations.push(`POST stop: ${response.status} ${text}`);
    } catch {
      observed.connectionsLost += 1;
    }
  }

  async function readUntilEnd(
    request: RunRequest,
    seen: SeenEvents,
    onEnd: () => void,
    random: Random,
  ): Promise<void> {
    while (request.end === undefined || !hasEnded(seen)) {
      try {
        await readOnce(request, seen);
      } catch {
        observed.connectionsLost += 1;
      }
      if (hasEnded(seen)) break;
      await sleep(random.chance(lateReconnectShare) ? random.between(1_000, 6_000) : random.between(20, 300));
    }
    onEnd();
  }

  /** Reads from the last number on until the run ends or the connection breaks. */
  async function readOnce(request: RunRequest, seen: SeenEvents): Promise<void> {
    const response = await fetch(`${url}/v1/runs/${request.runId}/events?after=${seen.length}`, {
      headers: request.headers,
    });
    if (!response.ok || response.body === null) {
      const text = await response.text();
      if (response.status < 500 && response.status !== 429)
        observed.violations.push(`GET events after ${seen.length}: ${response.status} ${text}`);
      return;
    }
    const parser = createParser({
      onEvent({ event, id, data }) {
        if (event === "error") return;
        if (id === undefined)
          return void observed.violations.push(`A reader received an event without a number: ${data}`);
        if (Number(id) !== seen.length + 1) observed.outOfOrder += 1;
        seen[Number(id) - 1] = data;
        observed.eventsSeen += 1;
        const { type, state } = JSON.parse(data) as RunEvent & { state?: RunEndState };
        if (type === "run-end") request.end = state;
      },
    });
    const decoder = new TextDecoder("utf-8", { fatal: true });
    for await (const chunk of response.body)
      parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
  }

  return { post, stopRun, readUntilEnd, readOnce };
}

/** Whether the reader has seen the end of the run. */
export function hasEnded(seen: SeenEvents): boolean {
  const last = seen.at(-1);
  if (last === undefined) return false;
  const event = JSON.parse(last) as RunEvent;
  return event.type === "run-end" && isRunEnded(event.state);
}
