import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { moveTo } from "../support/move-to.ts";
import { storeThread } from "../support/store-thread.ts";
import { violations } from "../support/violations.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

const hologram = { type: "hologram", depth: 3, caption: "<img src=x onerror=alert(1)>" };
const agent = [
  { role: "user", content: [{ type: "text", text: "Measure the loom" }] },
  {
    role: "assistant",
    content: [
      { type: "text", text: "It is **two** metres wide.\n\n```html\n<b>x</b>\n```" },
      { type: "tool-call", toolCallId: "b", toolName: "ruler", args: {}, result: 2, messages: "no list" },
    ],
  },
];
const messages = [
  { role: "user" as const, content: [{ type: "text", text: "A loom" }, hologram] },
  {
    role: "assistant" as const,
    content: [
      { type: "text", text: "Here it is." },
      hologram,
      {
        type: "tool-call",
        toolCallId: "a",
        toolName: "delegate",
        args: { to: "Bo" },
        result: "2 m",
        artifact: { chart: [1, 2] },
        messages: agent,
      },
    ],
  },
];

test("shows unknown parts as data, and what an agent did for a call, on a phone", async () => {
  const width = 390;
  const ada = await visit(environment.browser, environment.server.url, { width, height: 844 });
  const { page } = ada;
  await chat(page).composer.waitFor();
  await moveTo(page, await storeThread(page, messages));
  const unknown = page.getByRole("button", { name: "Unknown part: hologram" });
  await unknown.first().waitFor();
  expect(await unknown.count()).toBe(2);
  await unknown.last().press("Enter");
  const json = page.getByRole("region", { name: "Unknown part: hologram" }).or(page.locator("pre")).first();
  expect(JSON.parse(await json.innerText())).toEqual(hologram);

  await page.getByRole("button", { name: /^Used delegate/ }).press("Enter");
  expect(await page.getByText('"chart"').innerText()).toContain("1");
  const nested = page.getByRole("list", { name: "Messages of the tool" });
  await nested.getByText("Measure the loom").waitFor();
  await nested.locator("strong", { hasText: "two" }).waitFor();
  await nested.getByRole("button", { name: /^Used ruler/ }).press("Enter");
  expect(await nested.getByRole("list", { name: "Messages of the tool" }).locator("li").count()).toBe(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  expect(await violations(page)).toEqual([]);

  // Edited by hand, the answer keeps both.
  await page.getByRole("button", { name: "More actions" }).last().press("Enter");
  await page.getByRole("menuitem", { name: "Edit", exact: true }).press("Enter");
  await page.getByRole("textbox", { name: "Answer in Markdown" }).fill("Here it was.");
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.getByText("Edited by you").waitFor();
  await unknown.nth(1).waitFor();
  await page.getByRole("button", { name: /^Used delegate/ }).waitFor();
});
