import { setTimeout as sleep } from "node:timers/promises";
import { createParser } from "eventsource-parser";
import { newId } from "#contract/ids.ts";
import { isRunEnded, type RunEndState, type RunEvent, type RunState } from "#contract/run-events.ts";
import { apiKey, userMessage } from "#fixtures/people.ts";
import type { Chance } from "#fixtures/chance.ts";

/** The events of a run that a reader saw: their exact bodies, number 1 first. */
export type Seen = string[];

/** One requested answer, and everything that readers received of it. */
export type Ask = {
  runId: string;
  threadId: string;
  messageId: string;
  replyId: string;
  /** The message; empty if an earlier answer is continued. */
  words: string;
  headers: Record<string, string>;
  /** Whether the server acknowledged it. */
  acknowledged: boolean;
  readers: Seen[];
  end: RunEndState | undefined;
  /** Whether it was stopped, and its state in the response to that. */
  isStopped: boolean;
  stoppedAs: RunEndState | undefined;
  /** Resolves when a reader has seen the end. */
  ended: Promise<void>;
};

type Asked = Pick<Ask, "runId" | "threadId" | "messageId" | "replyId" | "words" | "headers">;

/** The initial state of an answer. */
const untold = { acknowledged: false, end: undefined, isStopped: false, stoppedAs: undefined };

/** What went on, for the check afterwards. */
export type Story = {
  asks: Ask[];
  /** Descriptions of what must never happen. */
  mistakes: string[];
  /** Events that came with another number than the next. */
  outOfOrder: number;
  eventsSeen: number;
  connectionsLost: number;
  /** Requests that were refused because the disk was full. */
  refusedForRoom: number;
};

export type Crowd = {
  story: Story;
  /** Answers that people are waiting for now. */
  underWay(): number;
  /** No new questions; resolves when every answer was read to its end, or rejects after `patienceMs`. */
  quiet(patienceMs: number): Promise<void>;
  /** Goes on with a broken answer and reads that to its end. */
  continueAnswer(ask: Ask): Promise<Ask>;
  /** Reads a whole run again, as a later reader. */
  readAgain(ask: Ask): Promise<Seen>;
};

/** How long a person waits for an answer before changing the thread. Its readers stay. */
const patienceMs = 3_000;
/** The most unanswered questions of one person. On a slow machine their number would grow without a limit. */
const unansweredMost = 4;
/** One in ten readers is another device of the same person. One in five who lose the connection reconnects much later. */
const secondReaderShare = 0.1;
const lateShare = 0.2;
const goOnShare = 0.3;
const stopShare = 0.1;

/** `count` people who ask, read and continue until they are stopped. */
export function gather(url: string, count: number, chance: Chance): Crowd {
  const story: Story = {
    asks: [],
    mistakes: [],
    outOfOrder: 0,
    eventsSeen: 0,
    connectionsLost: 0,
    refusedForRoom: 0,
  };
  const reading = new Set<Promise<void>>();
  const broken: Ask[] = [];
  const over = new AbortController();
  const isOver = new Promise<void>((resolve) => over.signal.addEventListener("abort", () => resolve()));

  /** Asks again and again, with the same ids, until it is answered: as the page's outbox does. */
  async function post(ask: Ask, path: string, body: unknown, luck: Chance): Promise<void> {
    for (;;) {
      try {
        const response = await fetch(url + path, {
          method: "POST",
          headers: { ...ask.headers, "Content-Type": "application/json" },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(40_000),
        });
        const text = await response.text();
        if (response.status === 201) {
          const { run_id: runId, reply_id: replyId } = JSON.parse(text) as {
            run_id: string;
            reply_id: string;
          };
          if (runId !== ask.runId || replyId !== ask.replyId)
            story.mistakes.push(`${path} answered other ids than it was given`);
          ask.acknowledged = true;
          return;
        }
        if (text.includes('"storage-full"')) story.refusedForRoom += 1;
        if (response.status < 500 && response.status !== 429) {
          story.mistakes.push(`POST ${path}: ${response.status} ${text}`);
          return;
        }
      } catch {
        story.connectionsLost += 1;
      }
      await sleep(luck.between(50, 400));
    }
  }

  /** Once, as a person who has read enough. The answer may have ended just before. */
  async function stop(ask: Ask, luck: Chance): Promise<void> {
    await sleep(luck.between(0, 1_500));
    ask.isStopped = true;
    try {
      const response = await fetch(`${url}/v1/runs/${ask.runId}/stop`, {
        method: "POST",
        headers: ask.headers,
        signal: AbortSignal.timeout(40_000),
      });
      const text = await response.text();
      if (response.ok) {
        const { state } = (JSON.parse(text) as { run: { state: RunState } }).run;
        if (isRunEnded(state)) ask.stoppedAs = state;
      } else if (response.status < 500 && response.status !== 429)
        story.mistakes.push(`POST stop: ${response.status} ${text}`);
    } catch {
      story.connectionsLost += 1;
    }
  }

  async function read(ask: Ask, seen: Seen, settle: () => void, luck: Chance): Promise<void> {
    while (ask.end === undefined || !isWhole(seen)) {
      try {
        await readOn(ask, seen);
      } catch {
        story.connectionsLost += 1;
      }
      if (isWhole(seen)) break;
      await sleep(luck.is(lateShare) ? luck.between(1_000, 6_000) : luck.between(20, 300));
    }
    settle();
  }

  /** From the last number on, to the end or until the connection breaks. */
  async function readOn(ask: Ask, seen: Seen): Promise<void> {
    const response = await fetch(`${url}/v1/runs/${ask.runId}/events?after=${seen.length}`, {
      headers: ask.headers,
    });
    if (!response.ok || response.body === null) {
      const text = await response.text();
      if (response.status < 500 && response.status !== 429)
        story.mistakes.push(`GET events after ${seen.length}: ${response.status} ${text}`);
      return;
    }
    const parser = createParser({
      onEvent({ event, id, data }) {
        if (event === "error") return;
        if (id === undefined) return void story.mistakes.push(`A reader was told ${data}`);
        if (Number(id) !== seen.length + 1) story.outOfOrder += 1;
        seen[Number(id) - 1] = data;
        story.eventsSeen += 1;
        const { type, state } = JSON.parse(data) as RunEvent & { state?: RunEndState };
        if (type === "run-end") ask.end = state;
      },
    });
    const decoder = new TextDecoder("utf-8", { fatal: true });
    for await (const chunk of response.body)
      parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
  }

  function begin(ask: Asked, luck: Chance): Ask {
    const { promise, resolve } = Promise.withResolvers<void>();
    const begun: Ask = { ...ask, ...untold, readers: [], ended: promise };
    story.asks.push(begun);
    const follow = (): void => {
      const seen: Seen = [];
      begun.readers.push(seen);
      const done = read(begun, seen, resolve, luck.fork()).finally(() => reading.delete(done));
      reading.add(done);
    };
    const { runId, messageId, replyId, threadId, words } = begun;
    const sent =
      words === ""
        ? undefined
        : post(
            begun,
            `/v1/threads/${threadId}/runs`,
            {
              id: runId,
              reply_id: replyId,
              message: { id: messageId, parent_id: null, content: userMessage(words) },
            },
            luck,
          );
    void sent?.then(() => {
      if (!begun.acknowledged) return resolve();
      follow();
      if (luck.is(secondReaderShare)) follow();
      if (luck.is(stopShare)) void stop(begun, luck.fork());
    });
    if (sent === undefined) follow();
    return begun;
  }

  function ask(headers: Ask["headers"], luck: Chance): Ask {
    const ids = {
      runId: newId("run"),
      messageId: newId("message"),
      replyId: newId("message"),
      threadId: newId("thread"),
    };
    const think = luck.is(0.2) ? `think=${luck.between(2, 8)} ` : "";
    const tool = luck.is(0.1) ? ` tool=calculate("6*7")` : "";
    const words = `Question ${ids.runId} ${think}tokens=${luck.between(5, 40)} gap=${luck.between(10, 60)}${tool}`;
    return begin({ ...ids, words, headers }, luck);
  }

  async function continueAnswer(before: Ask, luck: Chance): Promise<Ask | undefined> {
    const next: Ask = {
      ...before,
      runId: newId("run"),
      words: "",
      ...untold,
      readers: [],
      ended: Promise.resolve(),
    };
    await post(next, `/v1/runs/${before.runId}/continue`, { id: next.runId }, luck);
    if (!next.acknowledged) return undefined;
    const begun = begin(next, luck);
    begun.acknowledged = true;
    return begun;
  }

  async function live(number: number, luck: Chance): Promise<void> {
    const headers = {
      Authorization: `Bearer ${apiKey}`,
      "Aui-User-Id": `user_${number}`,
      "Aui-Workspace-Id": `org_${number}`,
    };
    const unanswered = new Set<Promise<void>>();
    while (!over.signal.aborted) {
      if (unanswered.size >= unansweredMost) await Promise.race([isOver, ...unanswered]);
      const old = luck.is(goOnShare) ? broken.pop() : undefined;
      const asked = old === undefined ? ask(headers, luck) : await continueAnswer(old, luck);
      if (asked === undefined) continue;
      const { ended } = asked;
      unanswered.add(ended);
      void ended.then(() => {
        unanswered.delete(ended);
        if (asked.end !== undefined && asked.end !== "completed") broken.push(asked);
      });
      await Promise.race([ended, sleep(patienceMs, undefined, { ref: false })]);
    }
  }

  const living = Array.from({ length: count }, (_, number) => live(number, chance.fork()));

  return {
    story,
    underWay: () => story.asks.filter((each) => each.acknowledged && each.end === undefined).length,
    async quiet(maxMs) {
      over.abort();
      const deadlineMs = performance.now() + maxMs;
      await Promise.all(living);
      while (story.asks.some(isOpen) && performance.now() < deadlineMs) await sleep(50);
    },
    async continueAnswer(before) {
      const next = await continueAnswer(before, chance);
      if (next === undefined) throw new Error("It could not be gone on with.");
      await next.ended;
      return next;
    },
    async readAgain(before) {
      const seen: Seen = [];
      for (let tries = 0; !isWhole(seen) && tries < 10; tries++) await readOn(before, seen).catch(() => {});
      return seen;
    },
  };
}

function isOpen(ask: Ask): boolean {
  return ask.readers.length === 0 ? !ask.acknowledged : ask.readers.some((seen) => !isWhole(seen));
}

function isWhole(seen: Seen): boolean {
  const last = seen.at(-1);
  if (last === undefined) return false;
  const event = JSON.parse(last) as RunEvent;
  return event.type === "run-end" && isRunEnded(event.state);
}
