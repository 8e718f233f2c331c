import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { newId } from "#contract/ids.ts";
import type { SharedMessage, ShareMessageRenderer } from "#contract/parts/share-page.ts";
import { call, startParlance, type Parlance, type User } from "../support/parlance.ts";
import { startProcess } from "../support/process.ts";
import { median, percentile, type Bench, type Figure } from "../support/report.ts";
import type { ReadPages, ShareReaders } from "../support/share-readers.ts";
import { ordinaryText, signInAsOwner } from "./shared-page.ts";

const readerCount = 10;
const maxMs = 50;
const idleMs = 5_000;
const attackMs = 30_000;
const probeEveryMs = 10;
const rounds = 5;
const ordinaryMessages = 200;

const times = (count: number, text: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => text(n)).join("");
const paragraphs = (n: number) => times(1_800, (i) => `Paragraph ${i} of message ${n}, with some words.\n\n`);
/** 90 KB in a message. */
const long = Array.from({ length: 150 }, (_, n) => paragraphs(n));
/** Each takes the parser or the page long. */
const short: Record<string, string> = {
  "10,000 short paragraphs": times(10_000, (n) => `a${n}\n\n`),
  "10,000 list items": times(10_000, (n) => `- a${n}\n`),
  "10,000 reference definitions": times(10_000, (n) => `[a${n}]: b\n`),
  "5,000 code blocks": times(5_000, () => "```js\nconst a = 1;\n```\n\n"),
};

/** Whether the server still answers others while hostile readers read shared threads that take long to render. */
export const hostileReaders: Bench = {
  about: `/healthz and an ordinary shared page while ${readerCount} readers open shared threads that take long to render`,
  async run() {
    // Each reader comes from an address of their own.
    const server = await startParlance({ TRUST_PROXY: "1" });
    const bare = await startProcess(["bench/support/bare-server.ts"]);
    try {
      const person = await signInAsOwner(server);
      const ordinary = Array.from({ length: ordinaryMessages }, (_, n) => `${ordinaryText}\n\nMessage ${n}.`);
      const paths = [await shareThread(person, long), await shareThread(person, Object.values(short))];
      const calm = await shareThread(person, ordinary);
      const busy = await shareThread(person, ordinary);
      const idle = await probe(server.url, sleep(idleMs));
      const figures = await readOrdinary(server, calm, ordinary);
      return [...figures, ...(await attack(server, bare.url, { paths, busy, idle }))];
    } finally {
      await server.stop();
      await bare.stop();
    }
  },
};

async function attack(
  server: Parlance,
  bareUrl: string,
  { paths, busy, idle }: { paths: string[]; busy: string; idle: number[] },
): Promise<Figure[]> {
  const before = server.residentMiB();
  const readers = new Worker(new URL("../support/share-readers.ts", import.meta.url), {
    workerData: { url: server.url, paths, count: readerCount } satisfies ShareReaders,
  });
  const end = sleep(attackMs);
  const [ours, bare, page] = await Promise.all([
    probe(server.url, end),
    probe(bareUrl, end),
    sleep(1_000).then(async () => await readPage(server.url + busy, 1)),
  ]);
  const pages = await new Promise<ReadPages>((resolve) => {
    readers.once("message", resolve);
    readers.postMessage("pages");
  });
  await readers.terminate();
  const health = (what: string, percent: number): Figure => ({
    what: `/healthz with ${readerCount} hostile readers, ${what}`,
    unit: "ms",
    ours: percentile(ours, percent),
    baseline: percentile(bare, percent),
    against: "a bare server beside it",
  });
  const p99 = percentile(ours, 99);
  return [
    { what: "/healthz without them, p99", unit: "ms", ours: percentile(idle, 99) },
    health("median", 50),
    { ...health("p99", 99), aim: `at most ${maxMs} ms`, met: p99 <= maxMs },
    health("worst", 100),
    { what: "an ordinary page that nobody has opened, meanwhile", unit: "ms", ours: page },
    { what: "pages that the hostile readers got", unit: "pages", ours: pages[200] ?? 0 },
    { what: "pages that they were refused", unit: "pages", ours: pages[429] ?? 0 },
    { what: "most memory that the server grew by", unit: "MiB", ours: server.residentMiB() - before },
  ];
}

/** An ordinary page, compared with its rendering in one thread without a server. */
async function readOrdinary(server: Parlance, path: string, texts: string[]): Promise<Figure[]> {
  // The first reader of all starts the thread.
  await readPage(`${server.url}/s/none`, 0);
  const first = await readPage(server.url + path, 0);
  const later: number[] = [];
  for (let round = 0; round < rounds; round++) later.push(await readPage(server.url + path, 0));
  const alone = await renderAlone(texts);
  const against = "rendering its messages without a server";
  return [
    { what: "an ordinary page, first reader", unit: "ms", ours: first, baseline: alone, against },
    { what: "an ordinary page, others, median", unit: "ms", ours: median(later), baseline: alone, against },
  ];
}

async function renderAlone(texts: string[]): Promise<number> {
  const program = pathToFileURL(join(import.meta.dirname, "../../dist/share/messages.js")).href;
  const { createMessageRenderer } = (await import(program)) as {
    createMessageRenderer: () => Promise<ShareMessageRenderer>;
  };
  const renderer = await createMessageRenderer();
  const startedAt = performance.now();
  for (const [n, text] of texts.entries()) {
    const message: SharedMessage = {
      id: `msg_${n}`,
      role: n % 2 === 0 ? "user" : "assistant",
      parts: [{ type: "text", text }],
      author: null,
      isRunning: false,
      isEdited: false,
      branches: undefined,
      isCut: false,
    };
    renderer.renderMessage(message, { language: "en", path: "/s/none", isPlain: false });
  }
  return performance.now() - startedAt;
}

async function readPage(url: string, reader: number): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(url, { headers: { "X-Forwarded-For": `198.19.0.${reader}` } });
  await response.text();
  return performance.now() - startedAt;
}

/** Requests `/healthz` again and again until `end`. Returns the times of the answers. */
async function probe(url: string, end: Promise<unknown>): Promise<number[]> {
  let isRunning = true;
  void end.then(() => (isRunning = false));
  const answers: number[] = [];
  while (isRunning) {
    const startedAt = performance.now();
    await fetch(`${url}/healthz`).then((answer) => answer.text());
    answers.push(performance.now() - startedAt);
    await sleep(probeEveryMs);
  }
  return answers;
}

/** Stores a thread and shares it. Returns the path of its page. */
async function shareThread(person: User, texts: string[]): Promise<string> {
  const threadId = newId("thread");
  const created = await call<{ thread_id: string }>(person, "POST", "/v1/threads", {
    id: threadId,
    last_message_at: new Date(0).toISOString(),
    title: "A thread",
  });
  let parentId: string | null = null;
  for (const [n, text] of texts.entries()) {
    const content = {
      role: n % 2 === 0 && texts.length === ordinaryMessages ? "user" : "assistant",
      content: [{ type: "text", text }],
    };
    const added: { message_id: string } = await call(
      person,
      "POST",
      `/v1/threads/${created.thread_id}/messages?title=false`,
      { parent_id: parentId, format: "aui/v0", content },
    );
    parentId = added.message_id;
  }
  const { url } = await call<{ url: string }>(person, "POST", "/v1/shares", { thread_id: created.thread_id });
  return new URL(url).pathname;
}
