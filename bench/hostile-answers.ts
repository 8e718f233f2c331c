import type { Page } from "playwright-core";
import { launchChromium } from "../e2e/support/chromium.ts";
import { startParlance } from "./support/parlance.ts";
import { median, type Bench, type Figure } from "./support/report.ts";

const rounds = 3;
/** Users notice longer pauses. */
const maxMs = 50;

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
  about: "the longest time for which opening a thread blocks the page, beside an ordinary answer",
  async run() {
    const server = await startParlance({});
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(120_000);
      await page.goto(server.url);
      await page.getByRole("textbox").waitFor();
      const texts = { ordinary, ...hostileTexts };
      const ids = new Map<string, string>();
      for (const [title, text] of Object.entries(texts))
        ids.set(title, await storeAnswer(page, title, `${text}\n\nThe end`));
      const longest: Record<string, number[]> = {};
      // Loads the renderer.
      await longestBlockMs(page, ids.get("ordinary"));
      for (let round = 0; round < rounds; round++)
        for (const [title, id] of ids) (longest[title] ??= []).push(await longestBlockMs(page, id));
      const baseline = median(longest["ordinary"] ?? []);
      return Object.keys(hostileTexts).map((title): Figure => {
        const ours = median(longest[title] ?? []);
        return {
          what: title,
          unit: "ms",
          ours,
          baseline,
          against: "an ordinary answer",
          aim: `at most ${maxMs} ms`,
          met: ours <= maxMs,
        };
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

/** Opens a thread in the running app and measures the longest pause between two messages until its end is shown. */
async function longestBlockMs(page: Page, id: string | undefined): Promise<number> {
  await navigate(page, "/");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.evaluate(`(() => {
    const watch = { longest: 0, isOn: true };
    window.watch = watch;
    const { port1, port2 } = new MessageChannel();
    let last = performance.now();
    port1.onmessage = () => {
      const now = performance.now();
      watch.longest = Math.max(watch.longest, now - last);
      last = now;
      if (watch.isOn) port2.postMessage(0);
    };
    port2.postMessage(0);
  })()`);
  await navigate(page, `/t/${id}`);
  await page.getByRole("article").getByText("The end").waitFor();
  return await page.evaluate<number>(`(() => { window.watch.isOn = false; return window.watch.longest; })()`);
}

/** Navigates as the back button does, without loading the page. */
async function navigate(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState({}, "", "${path}"); dispatchEvent(new PopStateEvent("popstate"))`);
}
