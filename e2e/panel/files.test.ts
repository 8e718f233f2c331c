import { expect } from "vitest";
import { garden } from "#fixtures/office/documents.ts";
import { zip } from "#fixtures/office/zip.ts";
import { chat } from "../support/chat.ts";
import { base64, drop, fiveFiles, storedFileId, uploaded } from "../support/drop.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { storeThread } from "../support/store-thread.ts";
import { violations } from "../support/violations.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

test("opens a table and a picture of the chat beside it, after a reload too, and over it on a phone", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const { ask, settled, questions, composer } = chat(page);
  await drop(page, (await fiveFiles()).slice(0, 2));
  await uploaded(page);
  await ask("What is in these? tokens=3");
  await settled();
  const panel = page.getByRole("region", { name: "Panel" });
  const beside = page.getByRole("button", { name: "Open beside the chat" });
  const card = questions.first().getByRole("button", { name: /prices\.csv/ });
  await card.click();
  await beside.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await panel.getByRole("cell", { name: "pear" }).waitFor();
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
  expect(await card.evaluate((button) => button === document.activeElement)).toBe(true);
  await page.goBack();
  await page.reload();
  await panel.getByRole("cell", { name: "pear" }).waitFor();
  await panel.getByRole("button", { name: "Ask about this" }).click();
  expect(await composer.inputValue()).toBe("> prices.csv\n\n");
  await panel.getByRole("button", { name: "Copy" }).click();
  await panel.getByRole("button", { name: "Copied" }).waitFor();
  expect(await page.evaluate(async () => await navigator.clipboard.readText())).toContain("pear,");

  await questions.first().getByRole("button", { name: "Open the image: lake.png" }).click();
  await beside.click();
  const picture = panel.getByRole("button", { name: "Open the image: lake.png" });
  await picture.click();
  const viewer = page.getByRole("dialog", { name: "lake.png" });
  await viewer.locator("img[data-shown]").waitFor();
  // It is beside the chat already.
  expect(await beside.count()).toBe(0);
  await page.keyboard.press("Escape");
  await viewer.waitFor({ state: "detached" });
  expect(await violations(page, "[aria-label=Panel]")).toEqual([]);

  await page.setViewportSize({ width: 390, height: 844 });
  // The page learns of its new width a frame later.
  await expect.poll(async () => await panel.boundingBox()).toMatchObject({ x: 0, width: 390 });
  expect((await picture.boundingBox())!.width).toBeLessThanOrEqual(390);
  await panel.getByRole("button", { name: "Close panel" }).click();
  await panel.waitFor({ state: "detached" });

  // The list of all files is no chat.
  await page.goto("/files");
  await page
    .getByRole("main")
    .getByRole("button", { name: /prices\.csv/ })
    .first()
    .click();
  await page.getByRole("dialog", { name: "prices.csv" }).getByRole("cell", { name: "pear" }).waitFor();
  expect(await beside.count()).toBe(0);
});

test("opens a stored picture beside the chat that only the text of an answer has", async ({ page }) => {
  await drop(page, (await fiveFiles()).slice(0, 1));
  await uploaded(page);
  const id = await storedFileId(page);
  const text = `Here:\n\n![A lake](/v1/files/${id}/content)`;
  await page.goto(
    await storeThread(page, [
      { role: "user", content: [{ type: "text", text: "Draw" }] },
      { role: "assistant", content: [{ type: "text", text }] },
    ]),
  );
  await chat(page)
    .answers.first()
    .getByRole("button", { name: /Open the image/ })
    .click();
  await page.getByRole("button", { name: "Open beside the chat" }).click();
  const picture = page.getByRole("region", { name: "Panel" }).locator("img");
  await picture.waitFor();
  expect(await picture.evaluate(async (it: HTMLImageElement) => (await it.decode(), it.naturalWidth))).toBe(
    320,
  );
});

test("opens an office document and an archive beside the chat, with their text or the lack of it", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const { ask, settled, questions } = chat(page);
  await drop(page, [
    { name: "plan.docx", type: "", body: base64(garden("docx")) },
    { name: "seeds.zip", type: "application/zip", body: base64(zip([{ name: "a.txt", content: "Beans" }])) },
    { name: "long.bin", type: "application/octet-stream", body: base64(new Uint8Array(4_000).fill(7)) },
  ]);
  await uploaded(page);
  await ask("What is in these? tokens=3");
  await settled();
  const panel = page.getByRole("region", { name: "Panel" });
  const openBeside = async (name: RegExp) => {
    await questions.first().getByRole("button", { name }).click();
    await page.getByRole("button", { name: "Open beside the chat" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  };
  await openBeside(/plan\.docx/);
  await panel.getByText("Tomatoes need warm nights.").waitFor();
  await panel.getByRole("button", { name: "Copy" }).click();
  await panel.getByRole("button", { name: "Copied" }).waitFor();
  expect(await page.evaluate(async () => await navigator.clipboard.readText())).toContain("Tomatoes need");
  expect(await violations(page, "[aria-label=Panel]")).toEqual([]);
  await page.reload();
  await panel.getByText("Tomatoes need warm nights.").waitFor();

  for (const [name, facts] of [
    [/seeds\.zip/, /^Archive · \d/],
    [/long\.bin/, /^File · 3\.9/],
  ] as const) {
    await openBeside(name);
    await panel.getByText(facts).waitFor();
    await panel.getByText("This kind of file can’t be shown here.").waitFor();
    expect(await panel.getByRole("link", { name: "Download", exact: true }).getAttribute("href")).toMatch(
      /^\/v1\/files\/file_\w+\/content\?download=true$/,
    );
    expect(await panel.getByRole("button", { name: "Copy" }).count()).toBe(0);
  }
  expect(await violations(page, "[aria-label=Panel]")).toEqual([]);
});
