import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { openDatabase } from "#storage/database/open.ts";
import { messageRow } from "#storage/testing/rows.ts";
import { launchChromium } from "../../e2e/support/chromium.ts";
import { idleLoadingMs } from "./pages.ts";
import { probe, type Probe } from "./probe.ts";
import { startParlance } from "../support/parlance.ts";
import { median, type Bench, type Figure } from "../support/report.ts";

const rounds = 5;
/** A reader who scrolls up quickly: 3,750 CSS pixels a second for 8 s. */
const scroll = { pixels: 60, gapMs: 16, steps: 500 };
const frameMs = 1_000 / 60;

/** Long threads in a browser: opening one, and scrolling up in one of 10,000 messages. */
export const thread: Bench = {
  about:
    "a thread of 1,000 messages opens in the browser, beside an empty page, and scrolling in threads of 1,000 and 10,000",
  async run() {
    const server = await startParlance({});
    const browser = await launchChromium();
    try {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      await page.addInitScript(probe);
      await page.goto(server.url);
      await page.getByRole("textbox").waitFor();
      // Until then the page has no session.
      await sleep(idleLoadingMs);
      const threads = { long: await makeThread(page, 1), longer: await makeThread(page, 1) };
      await addMessages(server.dataDir, threads.long, 1_000);
      await addMessages(server.dataDir, threads.longer, 10_000);
      const longMs: number[] = [];
      const emptyMs: number[] = [];
      const tasks: number[] = [];
      for (let round = -1; round < rounds; round++) {
        const long = await openedMs(page, `${server.url}/t/${threads.long}`, "article", "Message 999:");
        await sleep(2_000);
        const longest = Math.max(0, ...(await page.evaluate<Probe>("window.probe")).tasks);
        const empty = await openedMs(page, server.url, "textarea", "");
        if (round < 0) continue;
        longMs.push(long);
        emptyMs.push(empty);
        tasks.push(longest);
      }
      const laterMs = median(longMs) - median(emptyMs);
      return [
        {
          what: "opening 1,000 messages, median",
          unit: "ms",
          ours: median(longMs),
          baseline: median(emptyMs),
          against: "the empty page",
          aim: "at most 250 ms later",
          met: laterMs <= 250,
        },
        { what: "longest task after opening 1,000 messages, median", unit: "ms", ours: median(tasks) },
        ...(await scrolling(page, `${server.url}/t/${threads.long}`, `${server.url}/t/${threads.longer}`)),
      ];
    } finally {
      await browser.close();
      await server.stop();
    }
  },
};

async function scrolling(page: Page, long: string, longer: string): Promise<Figure[]> {
  const few = await scrolledUp(page, long);
  const many = await scrolledUp(page, longer);
  return [
    {
      what: "scrolling up in 10,000 messages, dropped frames",
      unit: "%",
      ours: many.droppedPercent,
      baseline: few.droppedPercent,
      against: "1,000 messages",
      aim: "at most 2 %",
      met: many.droppedPercent <= 2,
    },
    {
      what: "JavaScript heap after scrolling up in 10,000 messages",
      unit: "MB",
      ours: many.heapMb,
      baseline: few.heapMb,
      against: "1,000 messages",
      aim: "at most 1.2 times as much",
      met: many.heapMb <= 1.2 * few.heapMb,
    },
    {
      what: "DOM nodes after scrolling up in 10,000 messages",
      unit: "",
      ours: many.nodes,
      baseline: few.nodes,
      against: "1,000 messages",
      aim: "at most 1.2 times as many",
      met: many.nodes <= 1.2 * few.nodes,
    },
  ];
}

/** Opens a thread and scrolls up for a while. */
async function scrolledUp(
  page: Page,
  address: string,
): Promise<{ droppedPercent: number; heapMb: number; nodes: number }> {
  await openedMs(page, address, "article", "Message ");
  await sleep(4_000);
  await page.mouse.move(700, 300);
  await page.evaluate("window.probe.frames = []");
  for (let step = 0; step < scroll.steps; step++) {
    await page.mouse.wheel(0, -scroll.pixels);
    await sleep(scroll.gapMs);
  }
  const { frames } = await page.evaluate<Probe>("window.probe");
  const due = frames.reduce((sum, { ms }) => sum + Math.round(ms / frameMs), 0);
  await sleep(2_000);
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("HeapProfiler.collectGarbage");
  await devTools.send("Performance.enable");
  const { metrics } = await devTools.send("Performance.getMetrics");
  const metric = (name: string) => metrics.find((one) => one.name === name)?.value ?? Number.NaN;
  await devTools.detach();
  return {
    droppedPercent: (100 * (due - frames.length)) / due,
    heapMb: metric("JSHeapUsedSize") / 1_000_000,
    nodes: metric("Nodes"),
  };
}

/** Stores messages below the first one of a thread, so that it has `count`. */
async function addMessages(dataDir: string, threadId: string, count: number): Promise<void> {
  const db = await openDatabase({ dataDir, alongsideServer: true });
  try {
    await db.write(async (tx) => {
      const first = await tx.q
        .selectFrom("messages")
        .select(["id", "created_at"])
        .where("thread_id", "=", threadId)
        .executeTakeFirstOrThrow();
      let parentId = first.id;
      for (let height = 1; height < count; height++) {
        const role = height % 2 === 0 ? "user" : "assistant";
        const text = textOf(height);
        const row = messageRow(threadId, text, first.created_at + height);
        const content = JSON.stringify({
          role,
          content: [{ type: "text", text }],
          metadata: { custom: {} },
          ...(role === "assistant" ? { status: { type: "complete", reason: "stop" } } : {}),
        });
        await tx.q
          .insertInto("messages")
          .values({ ...row, parent_id: parentId, height, role, content })
          .execute();
        parentId = row.id;
      }
    });
  } finally {
    await db.close();
  }
}

function textOf(number: number): string {
  return `Message ${number}: a few **words**, a list\n\n- one\n- two\n\nand \`code\` as answers have them.`;
}

/** Stores a thread as a client of the protocol would, with the page's own session. */
export async function makeThread(page: Page, count: number): Promise<string> {
  // A string, because it runs in the page, without access to this file.
  return await page.evaluate<string>(`(async () => {
    const headers = { "content-type": "application/json", "parlance-client": "web" };
    const post = async (path, body) => (await fetch(path, { method: "POST", headers, body: JSON.stringify(body) })).json();
    const { thread_id: id } = await post("/v1/threads", { last_message_at: new Date().toISOString(), title: "A thread of ${count}" });
    let parent = null;
    for (let n = 0; n < ${count}; n++) {
      const role = n % 2 === 0 ? "user" : "assistant";
      const text = "Message " + n + ": a few **words**, a list\\n\\n- one\\n- two\\n\\nand \`code\` as answers have them.";
      const content = { role, content: [{ type: "text", text }], metadata: { custom: {} }, ...(role === "assistant" ? { status: { type: "complete", reason: "stop" } } : {}) };
      parent = (await post("/v1/threads/" + id + "/messages", { parent_id: parent, format: "aui/v0", content })).message_id;
    }
    return id;
  })()`);
}

async function openedMs(page: Page, address: string, selector: string, words: string): Promise<number> {
  await page.goto("about:blank");
  const from = performance.now();
  await page.goto(address, { waitUntil: "commit" });
  await page.locator(selector).filter({ hasText: words }).last().waitFor({ state: "visible" });
  return performance.now() - from;
}
