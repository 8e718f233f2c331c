import type { Page } from "playwright-core";
import { launchChromium } from "../e2e/support/chromium.ts";
import { startParlance } from "./support/parlance.ts";
import { median, type Bench } from "./support/report.ts";

const rounds = 7;

/** The time from opening a thread's URL until its last message is visible, in a browser with a warm cache. */
export const thread: Bench = {
  about: "a thread of 1,000 messages opens in the browser, beside one of 2",
  async run() {
    const server = await startParlance({});
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      await page.goto(server.url);
      await page.getByRole("textbox").waitFor();
      const long = await makeThread(page, 1_000);
      const short = await makeThread(page, 2);
      const longMs: number[] = [];
      const shortMs: number[] = [];
      for (let round = -1; round < rounds; round++) {
        const ours = await openedMs(page, `${server.url}/t/${long}`, "Message 999");
        const few = await openedMs(page, `${server.url}/t/${short}`, "Message 1");
        if (round < 0) continue;
        longMs.push(ours);
        shortMs.push(few);
      }
      return [
        {
          what: "opening 1,000 messages, median",
          unit: "ms",
          ours: median(longMs),
          baseline: median(shortMs),
          against: "opening 2",
          aim: "at most 500 ms",
          met: median(longMs) <= 500,
        },
      ];
    } finally {
      await browser.close();
      await server.stop();
    }
  },
};

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

async function openedMs(page: Page, address: string, lastWords: string): Promise<number> {
  await page.goto("about:blank");
  const from = performance.now();
  await page.goto(address, { waitUntil: "commit" });
  await page.getByRole("article").filter({ hasText: lastWords }).last().waitFor({ state: "visible" });
  return performance.now() - from;
}
