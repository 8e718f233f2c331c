import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../../e2e/support/chromium.ts";
import { startParlance } from "../support/parlance.ts";
import { median, type Bench, type Figure } from "../support/report.ts";

const rounds = 3;
/** Users notice longer pauses. */
const maxMs = 50;
const keyEveryMs = 50;

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
const ordinary = numbers(20)
  .map((i) => `## Part ${i}\n\nA paragraph with **bold** words and \`code\`.\n\n- one\n- two\n`)
  .join("\n");

/** Stored answers that are short and take long to show. */
const hostileTexts: Record<string, string> = {
  "2,000 nested quotes": `${">".repeat(2_000)} a`,
  "a list nested 600 deep": numbers(600)
    .map((i) => `${"  ".repeat(i)}- ${i}`)
    .join("\n"),
  "2,000 footnotes": `${numbers(2_000)
    .map((i) => `[^${i}]`)
    .join(" ")}\n\n${numbers(2_000)
    .map((i) => `[^${i}]: note`)
    .join("\n")}`,
  "a paragraph of 17 KB of marks": "*_".repeat(8_500),
  "a URL that ends with 8,000 exclamation marks": `https://a.example/${"!".repeat(8_000)}a`,
  "a line of 100 KB": "word ".repeat(20_000),
  "a table of 75 KB": `| a | b | c |\n|---|---|---|\n${"| one | two | three |\n".repeat(3_400)}`,
  "code of 100 KB": `\`\`\`js\n${"const a = 1; // a line of code\n".repeat(3_300)}\`\`\``,
};

/** Whether the page stays responsive while it opens a thread with a hostile answer. */
export const hostileAnswers: Bench = {
  about: "the longest task of opening a thread, and key presses meanwhile, beside an ordinary answer",
  async run() {
    const server = await startParlance({});
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(120_000);
      await page.goto(server.url);
      // The session is known, so the page will find what it stores.
      await page.getByText("Your chats will appear here.").waitFor();
      const texts = { ordinary, ...hostileTexts };
      const ids = new Map<string, string>();
      for (const [title, text] of Object.entries(texts))
        ids.set(title, await storeAnswer(page, title, `${text}\n\nThe end`));
      const opened: Record<string, Opened[]> = {};
      // Loads the renderer.
      await open(browser, page, ids.get("ordinary"));
      for (let round = 0; round < rounds; round++)
        for (const [title, id] of ids) (opened[title] ??= []).push(await open(browser, page, id));
      const medianOf = (title: string, pick: (one: Opened) => number) =>
        median((opened[title] ?? []).map(pick));
      return Object.keys(hostileTexts).flatMap((title): Figure[] => {
        const taskMs = medianOf(title, (one) => one.taskMs);
        return [
          {
            what: `${title}: longest task, in processor time`,
            unit: "ms",
            ours: taskMs,
            baseline: medianOf("ordinary", (one) => one.taskMs),
            against: "an ordinary answer",
            aim: `at most ${maxMs} ms`,
            met: taskMs <= maxMs,
          },
          {
            what: `${title}: slowest key press meanwhile, until it is shown`,
            unit: "ms",
            ours: medianOf(title, (one) => one.keyMs),
            baseline: medianOf("ordinary", (one) => one.keyMs),
            against: "an ordinary answer",
          },
        ];
      });
    } finally {
      await browser.close();
      await server.stop();
    }
  },
};

/** Stores a question and its answer as a client of the protocol would, with the page's own session. */
async function storeAnswer(page: Page, title: string, text: string): Promise<string> {
  // A string, because it runs in the page, without access to this file.
  return await page.evaluate<string>(`(async () => {
    const headers = { "content-type": "application/json", "parlance-client": "web" };
    const post = async (path, body) => (await fetch(path, { method: "POST", headers, body: JSON.stringify(body) })).json();
    const { thread_id: id } = await post("/v1/threads", { last_message_at: new Date().toISOString(), title: ${JSON.stringify(title)} });
    const message = (role, text, more) => ({ role, content: [{ type: "text", text }], metadata: { custom: {} }, ...more });
    const add = async (parent_id, content) => (await post("/v1/threads/" + id + "/messages", { parent_id, format: "aui/v0", content })).message_id;
    const question = await add(null, message("user", "Question"));
    await add(question, message("assistant", ${JSON.stringify(text)}, { status: { type: "complete", reason: "stop" } }));
    return id;
  })()`);
}

type Opened = { taskMs: number; keyMs: number };

/** Opens a thread in the running app while a user types, until the end of its answer is shown. */
async function open(browser: Browser, page: Page, id: string | undefined): Promise<Opened> {
  await navigate(page, "/");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.evaluate(`(() => {
    window.keyMs = 0;
    window.keys?.disconnect();
    window.keys = new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries())
        if (name === "keydown") window.keyMs = Math.max(window.keyMs, duration);
    });
    window.keys.observe({ type: "event", durationThreshold: 16 });
  })()`);
  await browser.startTracing(page, { categories: ["toplevel", "__metadata"] });
  await navigate(page, `/t/${id}`);
  // A locator would search the whole page again and again, in the tasks that are measured.
  // The rest of a text that exceeds the limits of the renderer is one paragraph.
  const isShown = `[...document.querySelectorAll("article p")].at(-1)?.textContent.endsWith("The end") === true`;
  while (!(await page.evaluate<boolean>(isShown))) {
    await page.keyboard.press("a");
    await sleep(keyEveryMs);
  }
  const trace = await browser.stopTracing();
  return { taskMs: longestTaskMs(trace), keyMs: await page.evaluate<number>("window.keyMs") };
}

type TraceEvent = { name: string; pid: number; tid: number; tdur?: number; args?: { name?: string } };

/** Of the page's main thread. Time in which other programs had the processor does not count. */
function longestTaskMs(trace: Buffer): number {
  const { traceEvents: events } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const mains = new Set(
    events
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = events.filter(
    ({ name, pid, tid }) => name === "ThreadControllerImpl::RunTask" && mains.has(`${pid} ${tid}`),
  );
  return tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur / 1_000), 0);
}

/** Navigates as the back button does, without loading the page. */
async function navigate(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState({}, "", "${path}"); dispatchEvent(new PopStateEvent("popstate"))`);
}
