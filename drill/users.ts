import { setTimeout as sleep } from "node:timers/promises";
import { newId } from "#contract/ids.ts";
import { apiKey, userMessage } from "#fixtures/people.ts";
import type { Random } from "#fixtures/random.ts";
import {
  createRunClient,
  hasEnded,
  type Observations,
  type RunRequest,
  type SeenEvents,
} from "./run-client.ts";

type NewRequest = Pick<RunRequest, "runId" | "threadId" | "messageId" | "replyId" | "text" | "headers">;

const initialState = { acknowledged: false, end: undefined, isStopped: false, stoppedAs: undefined };

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
/** The share of answers that a second device of the same user reads. */
const secondReaderShare = 0.1;
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
  const { post, stopRun, readUntilEnd, readOnce } = createRunClient(url, observed);
  const unfinished: RunRequest[] = [];
  const stopAsking = new AbortController();
  const stopping = new Promise<void>((resolve) =>
    stopAsking.signal.addEventListener("abort", () => resolve()),
  );

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
