import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { violations } from "../support/violations.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

const answer =
  "Letters have an order [1], which [صفحة](https://example.org/b?utm_source=openai) shows; `list[1]` is code, and [3] is nothing.";

test("marks the sources in an answer, and opens them in the panel with what is known of their text", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const { ask, answers, settled, composer } = chat(page);
  await ask(`${answer}\n\nsources echo`);
  await settled();
  const marks = answers.first().getByRole("button", { name: /^Source \d/ });
  expect(await marks.allInnerTexts()).toEqual(["1", "2"]);
  expect(await answers.first().getByRole("link", { name: "صفحة" }).getAttribute("target")).toBe("_blank");
  const copied = await answers
    .first()
    .locator("p")
    .first()
    .evaluate((paragraph) => {
      getSelection()?.selectAllChildren(paragraph);
      document.execCommand("copy");
      return navigator.clipboard.readText();
    });
  expect(copied.trim()).toBe(
    "Letters have an order [1], which صفحة[2] shows; list[1] is code, and [3] is nothing.",
  );
  await answers.first().getByRole("button", { name: "Source 1: A" }).press("Enter");
  const panel = page.getByRole("region", { name: "Panel" });
  await panel.getByRole("heading", { name: "A" }).waitFor();
  await panel.getByText("A is the first letter.").waitFor();
  await page.reload();
  await panel.getByText("A is the first letter.").waitFor();
  const link = panel.getByRole("link", { name: "https://example.org/a" });
  expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
  expect(await violations(page)).toEqual([]);

  await panel.getByRole("button", { name: "Ask about this" }).click();
  expect(await composer.inputValue()).toBe("> A is the first letter.\n>\n> A, https://example.org/a\n\n");
  const clipboard = async () => await page.evaluate(async () => await navigator.clipboard.readText());
  await panel.getByRole("button", { name: "Copy" }).click();
  await panel.getByRole("button", { name: "Copied" }).waitFor();
  expect(await clipboard()).toBe("> A is the first letter.\n\nA, https://example.org/a");
  await panel.getByRole("button", { name: "Next source" }).click();
  await panel.getByText("No excerpt of this source was stored.").waitFor();
  expect(new URL(page.url()).searchParams.get("panel")).toBe("source:2");
  await panel.press("Escape");
  await panel.waitFor({ state: "detached" });
  const listed = answers.first().getByRole("list", { name: "Sources" }).getByRole("link");
  await listed.last().click();
  await panel.getByRole("heading", { name: "B" }).waitFor();
  expect(page.context().pages()).toHaveLength(1);
});

test("shows the passage of an earlier chat, and leads there, at 390 px", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 390, height: 844 });
  const { page } = ada;
  const { ask, answers, settled } = chat(page);
  await ask("The garage code is 7719, and the remote lies in the blue bowl tokens=3");
  await settled();
  const note = new URL(page.url()).pathname;
  await page.goto(`${environment.server.url}/`);
  await ask('It is 7719 [1] tool=search_threads({"query":"code of the garage"})\n\necho');
  await settled();
  const found = answers
    .last()
    .getByRole("button", { name: /^Source 1/ })
    .first();
  await found.click();
  const panel = page.getByRole("region", { name: "Panel" });
  await panel.getByText("the remote lies in the blue bowl").first().waitFor();
  await panel.getByRole("link", { name: "Open the message" }).click();
  await expect.poll(async () => new URL(page.url()).pathname).toBe(note);
  await panel.waitFor({ state: "detached" });
  await page.locator("[data-marked]").waitFor();
});
