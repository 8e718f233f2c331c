import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { chat, eventually } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

const lines = "A line.\n\n".repeat(12);
const code = `\`\`\`html looms.html\n${"<p>Loom</p>\n".repeat(20)}\`\`\``;

/** Stores a thread with this many questions, each with a long answer. Returns its path. */
async function longThread(page: Page, questions: number): Promise<string> {
  return await page.evaluate(
    async ({ count, filler, made }) => {
      const headers = { "Parlance-Client": "web", "Content-Type": "application/json" };
      const post = async (path: string, body: object) =>
        (await (await fetch(path, { method: "POST", headers, body: JSON.stringify(body) })).json()) as {
          thread_id: string;
          message_id: string;
        };
      // The page opens its session while it shows the composer.
      while (!(await fetch("/v1/auth/me", { headers })).ok) await new Promise((next) => setTimeout(next, 50));
      const { thread_id: id } = await post("/v1/threads", {
        last_message_at: new Date().toISOString(),
        title: "Looms",
      });
      let parent: string | null = null;
      for (let n = 1; n <= count; n++) {
        for (const [role, text] of [
          ["user", `**Question** ${n}`],
          ["assistant", `## Warp ${n}\n\n${filler}## Weft ${n}\n\n${filler}${n === 3 ? made : ""}`],
        ] as const) {
          const content = { role, content: [{ type: "text", text }] };
          const body: object = { parent_id: parent, format: "aui/v0", content };
          const path = `/v1/threads/${id}/messages?title=false`;
          // Two versions of the second question's answer.
          if (role === "assistant" && n === 2) await post(path, body);
          parent = (await post(path, body)).message_id;
        }
      }
      return `/t/${id}`;
    },
    { count: questions, filler: lines, made: code },
  );
}

const topOf = async (page: Page, words: string) =>
  (await chat(page).log.getByRole("heading", { name: words, exact: true }).boundingBox())?.y ?? -1;

test("a long thread has an outline with its questions, and the headings and artifacts of the answer in view", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 1500 });
  const { page } = ada;
  await chat(page).composer.waitFor();
  await page.goto(await longThread(page, 30));
  const outline = page.getByRole("navigation", { name: "Outline" });
  await outline.getByRole("button", { name: "Question 30" }).waitFor();
  const current = outline.locator("[aria-current='location']");
  await eventually(
    async () => await current.innerText(),
    (text) => expect(text).toBe("Question 30"),
  );
  // Earlier messages are loaded on request.
  await outline.getByRole("button", { name: "Load earlier messages" }).click();
  await outline.getByRole("button", { name: "Question 3", exact: true }).waitFor();

  // A question in a part of the list that is not rendered.
  await outline.getByRole("button", { name: "Question 3", exact: true }).click();
  await eventually(
    async () => await current.innerText(),
    (text) => expect(text).toBe("Question 3"),
  );
  await outline.getByRole("button", { name: "Weft 3" }).click();
  await eventually(
    async () => await topOf(page, "Weft 3"),
    (y) => expect(y).toBeGreaterThanOrEqual(40),
  );
  expect(await topOf(page, "Weft 3")).toBeLessThan(200);
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Weft 3");
  await outline.getByRole("button", { name: /looms/ }).click();
  await page.waitForURL(/panel=/);
  await page.goBack();
  await outline.getByRole("button", { name: /^Question 2 .*Version 2 of 2/ }).waitFor();
  expect((await new AxeBuilder({ page }).include("nav[aria-label='Outline']").analyze()).violations).toEqual(
    [],
  );
  await ada.end();
});

test("in a narrow window, the outline is in a menu, by the keyboard too", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 390, height: 844 });
  const { page } = ada;
  await chat(page).composer.waitFor();
  const short = await longThread(page, 3);
  await page.goto(await longThread(page, 9));
  const button = page.getByRole("button", { name: "Outline" });
  await button.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitemradio", { name: "Question 9" }).waitFor();
  expect(await page.getByRole("menuitemradio", { checked: true }).innerText()).toContain("Question 9");
  await page.getByRole("menuitemradio", { name: /^Question 4/ }).focus();
  await page.keyboard.press("Enter");
  await eventually(
    async () => await topOf(page, "Warp 4"),
    (y) => expect(y).toBeGreaterThan(0),
  );
  await eventually(
    async () => await topOf(page, "Warp 4"),
    (y) => expect(y).toBeLessThan(700),
  );
  await page.goto(short);
  await chat(page).answers.first().waitFor();
  expect(await button.count()).toBe(0);
  await ada.end();
});
