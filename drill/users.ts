import { setTimeout as sleep } from "node:timers/promises";
import { createParser } from "eventsource-parser";
import { newId } from "#contract/ids.ts";
import { isRunEnded, type RunEndState, type RunEvent, type RunState } from "#contract/run-events.ts";
import { apiKey, userMessage } from "#fixtures/people.ts";
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

type NewRequest = Pick<RunRequest, "runId" | "threadId" | "messageId" | "replyId" | "text" | "headers">;

const initialState = { acknowledged: false, end: undefined, isStopped: false, stoppedAs: undefined };

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

export type Users = {
  observed: Observations;
  /** How many acknowledged runs no reader has seen the end of. */
  pendingCount(): number;
  /** Asks no more questions and waits until every answer was read to its end, at most `maxMs`. */
  finish(maxMs: number): Promise<void>;
  /** Continues an unfinished answer and reads it to its end. */
  continueAnswer(request: RunRequest): Promise<RunRequest>;
  /** Reads a whole run again, as a later reader. */
  readAgain(request: RunRequest): Promise<SeenEvents>;
};

/** How long a user waits for an answer before asking in another thread. The answer's readers stay connected. */
const answerWaitMs = 3_000;
/** Unanswered questions per user. Without a limit they would pile up on a slow machine. */
const maxUnanswered = 4;
/** The share of answers that a second device of the same user reads, and of reconnects that come much later. */
const secondReaderShare = 0.1;
const lateReconnectShare = 0.2;
const continueShare = 0.3;
const stopShare = 0.1;

/** Simulates `count` users who ask, read, stop and continue answers until `finish` is called. */
export function startUsers(url: string, count: number, random: Random): Users {
  const observed: Observations = {
    requests: [],
    violations: [],
    outOfOrder: 0,
    eventsSeen: 0,
    connectionsLost: 0,
    refusedForFullDisk: 0,
  };
  const unfinished: RunRequest[] = [];
  const stopAsking = new AbortController();
  const stopping = new Promise<void>((resolve) =>
    stopAsking.signal.addEventListener("abort", () => resolve()),
  );

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

  /** Sends a new question; a continuation has already been sent. Starts the readers when the server has acknowledged it. */
  function track(newRequest: NewRequest, random: Random): RunRequest {
    const { promise, resolve } = Promise.withResolvers<void>();
    const request: RunRequest = { ...newRequest, ...initialState, readers: [], ended: promise };
    observed.requests.push(request);
    const follow = (): void => {
      const seen: SeenEvents = [];
      request.readers.push(seen);
      void readUntilEnd(request, seen, resolve, random.fork());
    };
    const { runId, messageId, replyId, threadId, text } = request;
    const sent =
      text === ""
        ? undefined
        : post(
            request,
            `/v1/threads/${threadId}/runs`,
            {
              id: runId,
              reply_id: replyId,
              message: { id: messageId, parent_id: null, content: userMessage(text) },
            },
            random,
          );
    void sent?.then(() => {
      if (!request.acknowledged) return resolve();
      follow();
      if (random.chance(secondReaderShare)) follow();
      if (random.chance(stopShare)) void stopRun(request, random.fork());
    });
    if (sent === undefined) follow();
    return request;
  }

  function sendQuestion(headers: RunRequest["headers"], random: Random): RunRequest {
    const ids = {
      runId: newId("run"),
      messageId: newId("message"),
      replyId: newId("message"),
      threadId: newId("thread"),
    };
    const think = random.chance(0.2) ? `think=${random.between(2, 8)} ` : "";
    const tool = random.chance(0.1) ? ` tool=calculate("6*7")` : "";
    const text = `Question ${ids.runId} ${think}tokens=${random.between(5, 40)} gap=${random.between(10, 60)}${tool}`;
    return track({ ...ids, text, headers }, random);
  }

  async function sendContinue(previous: RunRequest, random: Random): Promise<RunRequest | undefined> {
    const next: RunRequest = {
      ...previous,
      runId: newId("run"),
      text: "",
      ...initialState,
      readers: [],
      ended: Promise.resolve(),
    };
    await post(next, `/v1/runs/${previous.runId}/continue`, { id: next.runId }, random);
    if (!next.acknowledged) return undefined;
    const request = track(next, random);
    request.acknowledged = true;
    return request;
  }

  async function simulateUser(number: number, random: Random): Promise<void> {
    const headers = {
      Authorization: `Bearer ${apiKey}`,
      "Aui-User-Id": `user_${number}`,
      "Aui-Workspace-Id": `org_${number}`,
    };
    const unanswered = new Set<Promise<void>>();
    while (!stopAsking.signal.aborted) {
      if (unanswered.size >= maxUnanswered) await Promise.race([stopping, ...unanswered]);
      const interrupted = random.chance(continueShare) ? unfinished.pop() : undefined;
      const request =
        interrupted === undefined ? sendQuestion(headers, random) : await sendContinue(interrupted, random);
      if (request === undefined) continue;
      const { ended } = request;
      unanswered.add(ended);
      void ended.then(() => {
        unanswered.delete(ended);
        if (request.end !== undefined && request.end !== "completed") unfinished.push(request);
      });
      await Promise.race([ended, sleep(answerWaitMs, undefined, { ref: false })]);
    }
  }

  const users = Array.from({ length: count }, (_, number) => simulateUser(number, random.fork()));

  return {
    observed,
    pendingCount: () =>
      observed.requests.filter((each) => each.acknowledged && each.end === undefined).length,
    async finish(maxMs) {
      stopAsking.abort();
      const deadlineMs = performance.now() + maxMs;
      await Promise.all(users);
      while (observed.requests.some(isPending) && performance.now() < deadlineMs) await sleep(50);
    },
    async continueAnswer(previous) {
      const next = await sendContinue(previous, random);
      if (next === undefined) throw new Error("The server refused to continue the answer.");
      await next.ended;
      return next;
    },
    async readAgain(previous) {
      const seen: SeenEvents = [];
      for (let tries = 0; !hasEnded(seen) && tries < 10; tries++)
        await readOnce(previous, seen).catch(() => {});
      return seen;
    },
  };
}

function isPending(request: RunRequest): boolean {
  return request.readers.length === 0
    ? !request.acknowledged
    : request.readers.some((seen) => !hasEnded(seen));
}

function hasEnded(seen: SeenEvents): boolean {
  const last = seen.at(-1);
  if (last === undefined) return false;
  const event = JSON.parse(last) as RunEvent;
  return event.type === "run-end" && isRunEnded(event.state);
}
