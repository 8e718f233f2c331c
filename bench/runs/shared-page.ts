import { setTimeout as sleep } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { newId } from "#contract/ids.ts";
import type { LiveShareEvent } from "#contract/parts/share-page.ts";
import { launchChromium } from "../../e2e/support/chromium.ts";
import { call, startRun, waitForEnd, type Parlance, type User } from "../support/parlance.ts";
import { median, percentile, type Bench, type Figure } from "../support/report.ts";
import { withServices, type Services } from "../support/services.ts";
import { openStream, readEvents } from "../support/stream.ts";

const messageCount = 200;
const rounds = 7;
const paintMs = 300;
const readerCount = 1_000;
/** Connections that are opened at the same time. */
const openedAtOnce = 50;
const answerTokens = 600;
const answer = `tokens=${answerTokens} gap=25`;
const gapMs = 1_500;
const maxMiB = 250;
const sampleMs = 200;

/** An ordinary message. */
export const ordinaryText = `## The herb bed

Plant **thyme**, *sage* and \`rosemary\` where the [sun](https://example.com) stays longest:

- thyme needs little water
- sage grows slowly, and gets about $0.6\\,m$ tall

| Herb | Distance |
|---|---|
| Thyme | 25 cm |
| Sage | 60 cm |

\`\`\`ts
export const distance = (herbs: number) => herbs * 25;
\`\`\``;

/** The page of a shared thread, and a live view with a thousand readers while an answer is written. */
export const sharedPage: Bench = {
  about: `a shared page of ${messageCount} messages, and ${readerCount} readers of a live view of it while an answer streams`,
  async run() {
    return await withServices(
      async (services) => {
        const person = await signInAsOwner(services.server);
        const threadId = newId("thread");
        let parentId = (await firstAnswer(person, threadId)).replyId;
        for (let n = 2; n < messageCount; n++) parentId = await addMessage(person, threadId, parentId, n);
        const share = await call<{ url: string }>(person, "POST", "/v1/shares", {
          thread_id: threadId,
          is_live: true,
        });
        const path = new URL(share.url).pathname;
        return [
          ...(await firstPaints(services.server.url + path)),
          ...(await readLive(services, person, { threadId, parentId, path })),
        ];
      },
      // Each reader comes from an address of their own.
      { TRUST_PROXY: "1" },
    );
  },
};

export async function signInAsOwner(server: Parlance): Promise<User> {
  const [, secret] = await server.printed(/\/owner#(\S+)/);
  const headers = { "Parlance-Client": "web", "Content-Type": "application/json" };
  const opened = await fetch(`${server.url}/v1/auth/session`, {
    method: "POST",
    headers,
    body: JSON.stringify({ owner_secret: secret }),
  });
  const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
  return { url: server.url, headers: { ...headers, Cookie: cookie } };
}

async function firstAnswer(person: User, threadId: string) {
  const started = await startRun(person, "How do I plan a garden?\ntokens=20", { threadId });
  await waitForEnd(person, started.runId);
  return started;
}

async function addMessage(person: User, threadId: string, parentId: string, n: number): Promise<string> {
  const role = n % 2 === 0 ? "user" : "assistant";
  const content = { role, content: [{ type: "text", text: `${ordinaryText}\n\nMessage ${n}.` }] };
  const added = await call<{ message_id: string }>(person, "POST", `/v1/threads/${threadId}/messages`, {
    parent_id: parentId,
    format: "aui/v0",
    content,
  });
  return added.message_id;
}

async function firstPaints(url: string): Promise<Figure[]> {
  const browser = await launchChromium();
  try {
    // The server has rendered nothing yet.
    const first = await paintedMs(browser, url);
    const later: number[] = [];
    for (let round = 0; round < rounds; round++) later.push(await paintedMs(browser, url));
    const figure = (what: string, ours: number): Figure => ({
      what,
      unit: "ms",
      ours,
      aim: `at most ${paintMs} ms`,
      met: ours <= paintMs,
    });
    return [
      figure("first paint for the first reader", first),
      figure("first paint for the others, median", median(later)),
    ];
  } finally {
    await browser.close();
  }
}

async function paintedMs(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  const painted = await page.evaluate<number>(`new Promise((resolve) => {
    new PerformanceObserver((list) => {
      const [paint] = list.getEntriesByName("first-contentful-paint");
      if (paint !== undefined) resolve(paint.startTime);
    }).observe({ type: "paint", buffered: true });
  })`);
  await context.close();
  return painted;
}

/** What a reader of a live view has. */
type Reader = { last: string; changedAt: number[]; close: () => void };

async function readLive(
  { server }: Services,
  person: User,
  { threadId, parentId, path }: { threadId: string; parentId: string; path: string },
): Promise<Figure[]> {
  const beforeMiB = server.residentMiB();
  const readers: Reader[] = [];
  const openedAt = performance.now();
  while (readers.length < readerCount)
    readers.push(
      ...(await Promise.all(
        Array.from(
          { length: openedAtOnce },
          async (_, n) => await openReader(`${server.url}${path}/live`, readers.length + n),
        ),
      )),
    );
  const openedMs = performance.now() - openedAt;
  await sleep(1_000);
  for (const reader of readers) reader.changedAt.length = 0;
  let highestMiB = 0;
  const sampling = setInterval(() => (highestMiB = Math.max(highestMiB, server.residentMiB())), sampleMs);
  const [cpuBefore, startedAt] = [server.cpuMs(), performance.now()];
  const { runId, replyId } = await startRun(person, `And the shed?\n${answer}`, { threadId, parentId });
  await waitForEnd(person, runId);
  const [busyMs, answerMs] = [server.cpuMs() - cpuBefore, performance.now() - startedAt];
  await sleep(3_000);
  clearInterval(sampling);
  const page = await (await fetch(server.url + path)).text();
  for (const { close } of readers) close();
  const complete = readers.filter(({ last }) => {
    const html = (JSON.parse(last) as LiveShareEvent).changed[replyId];
    return html !== undefined && page.includes(html);
  }).length;
  const gaps = readers.flatMap(({ changedAt }) => changedAt.slice(1).map((at, i) => at - changedAt[i]!));
  const gap = percentile(gaps, 99);
  const grownMiB = highestMiB - beforeMiB;
  const load = (busyMs / answerMs) * 100;
  return [
    {
      what: `time until ${readerCount} readers have the page's messages`,
      unit: "ms",
      ours: openedMs,
    },
    {
      what: "readers who have every word at the end",
      unit: "readers",
      ours: complete,
      aim: `all ${readerCount}`,
      met: complete === readerCount,
    },
    {
      what: "time between two changes of the answer, p99",
      unit: "ms",
      ours: gap,
      aim: `at most ${gapMs} ms`,
      met: gap <= gapMs,
    },
    {
      what: "most memory that the server grew by",
      unit: "MiB",
      ours: grownMiB,
      aim: `at most ${maxMiB} MiB`,
      met: grownMiB <= maxMiB,
    },
    {
      what: "processor time of the server while the answer streams",
      unit: "% of a core",
      ours: load,
      aim: "at most 100 %: the readers need the other core",
      met: load <= 100,
    },
  ];
}

/** Follows the view, and resolves with its first event. */
async function openReader(url: string, n: number): Promise<Reader> {
  const headers = { "X-Forwarded-For": `198.18.${n >> 8}.${n & 255}` };
  const stream = await openStream(url, { headers }, true);
  const reader: Reader = { last: "", changedAt: [], close: () => stream.destroy() };
  const ready = Promise.withResolvers<void>();
  stream.on("error", () => {});
  void readEvents(stream, (data) => {
    reader.last = data;
    reader.changedAt.push(performance.now());
    ready.resolve();
  }).catch(() => {});
  await ready.promise;
  return reader;
}
