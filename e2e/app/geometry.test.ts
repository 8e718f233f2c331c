import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { document as pdfOf, line } from "#fixtures/pdf/write.ts";
import { chat, eventually } from "../support/chat.ts";
import { base64, drop, fiveFiles, uploaded } from "../support/drop.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ ownServer: true });

/** CSS pixels. */
const marginMin = 8;

test.each([
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
])("keeps the composer, the model's name and toasts in the column at $width px", async (size) => {
  const ada = await visit(environment.browser, environment.server.url, size);
  const { ask, settled, answers, composer } = chat(ada.page);
  await ask("Tell me of ferries tokens=3");
  await answers.first().waitFor();
  await settled();
  const main = await boxOf(ada.page.locator("main"));
  const form = await boxOf(ada.page.locator("form").filter({ has: composer }));
  expect(form.left - main.left).toBeGreaterThanOrEqual(marginMin);
  expect(main.right - form.right).toBeGreaterThanOrEqual(marginMin);

  const model = ada.page.getByRole("button", { name: /^(?:Model|Assistant): / });
  const cut = await model.evaluate((button) =>
    [button, ...button.querySelectorAll("*")].some((each) => each.scrollWidth > each.clientWidth + 1),
  );
  expect(cut).toBe(false);

  await composer.focus();
  await ada.page.keyboard.press("Control+K");
  await ada.page.getByRole("option", { name: "Archive this chat" }).click();
  const toast = await boxOf(
    ada.page
      .getByText(/^Archived “/)
      .last()
      .locator(".."),
  );
  expect(Math.abs(toast.left + toast.right - (main.left + main.right)) / 2).toBeLessThan(2);
});

test("makes icons larger with the text", async () => {
  const ada = await visit(environment.browser, environment.server.url, { path: "/settings/appearance" });
  const icon = ada.page.getByRole("navigation", { name: "Chats" }).locator("svg").last();
  const before = await boxOf(icon);
  await ada.page.getByText("Larger", { exact: true }).click();
  const after = await boxOf(icon);
  expect(after.right - after.left).toBeGreaterThan((before.right - before.left) * 1.1);
});

test("keeps the card of a PDF at its own height beside a picture", async ({ ada }) => {
  const { composer, sendButton, questions } = chat(ada.page);
  const [picture] = await fiveFiles();
  const pdf = {
    name: "lease.pdf",
    type: "application/pdf",
    body: base64(pdfOf([{ content: line("Lease") }])),
  };
  await drop(ada.page, [picture!, pdf]);
  await composer.fill("What are these? tokens=3");
  await uploaded(ada.page);
  await sendButton.click();
  const image = await boxOf(questions.first().getByRole("img", { name: "lake.png" }));
  const card = await boxOf(questions.first().getByRole("button", { name: /lease\.pdf/ }));
  expect(card.bottom - card.top).toBeLessThan(60);
  expect(image.bottom - image.top).toBeGreaterThan(100);
});

test("centres the hint of dragged files on the column, and keeps the search field away from the edges of a phone", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  for (const width of [1280, 390]) {
    await ada.page.setViewportSize({ width, height: 800 });
    await ada.page.goto("/");
    await chat(ada.page).composer.waitFor();
    await dragOver(ada.page);
    const hint = await boxOf(ada.page.getByText("Drop files here to attach them"));
    const main = await boxOf(ada.page.locator("main"));
    expect(Math.abs(hint.left + hint.right - (main.left + main.right)) / 2).toBeLessThan(2);
  }
  await ada.page.goto("/search");
  const form = await boxOf(ada.page.getByRole("search"));
  expect(form.left).toBeGreaterThanOrEqual(marginMin);
  expect(390 - form.right).toBeGreaterThanOrEqual(marginMin);
});

test("ends the list of chats above the footer of the sidebar", async ({ ada }) => {
  const { threads } = chat(ada.page);
  await threads.getByText("Your chats will appear here.").waitFor();
  await ada.page.evaluate(`Promise.all(Array.from({ length: 20 }, (_, at) => fetch("/v1/threads", {
    method: "POST",
    headers: { "Parlance-Client": "web", "Content-Type": "application/json" },
    body: JSON.stringify({ last_message_at: new Date(at * 1000).toISOString(), title: "Chat " + at }),
  })))`);
  const last = threads.getByRole("link", { name: "Chat 0", exact: true });
  const footer = threads.getByRole("link", { name: "Settings" });
  await threads.getByRole("link", { name: "Chat 19" }).hover();
  await expect
    .poll(async () => {
      await ada.page.mouse.wheel(0, 5_000);
      return await last.isVisible();
    })
    .toBe(true);
  await eventually(
    async () => [await boxOf(last), await boxOf(footer)] as const,
    ([row, foot]) => expect(row.bottom).toBeLessThanOrEqual(foot.top),
  );
});

test("aligns suggestions in any language to the side of the page", async () => {
  const ada = await visit(environment.browser, environment.server.url, {
    locale: "ar",
    path: environment.server.ownerLink,
  });
  await ada.page.waitForURL(`${environment.server.url}/`);
  const id = await ada.page.evaluate<string>(`(async () => {
    const answer = await fetch("/v1/assistants", {
      method: "POST",
      headers: { "Parlance-Client": "web", "Content-Type": "application/json" },
      body: JSON.stringify({ name: "Pilot", starters: ["Explain tides", "اشرح المد"] }),
    });
    return (await answer.json()).assistant.id;
  })()`);
  await ada.page.goto(`/settings/assistants/${id}`);
  const list = ada.page.getByRole("list", { name: "اقتراحات" });
  await list.getByText("Explain tides").waitFor();
  const edges = await list.evaluate((element) =>
    [...element.querySelectorAll("[dir=auto]")].map((starter) => {
      const range = document.createRange();
      range.selectNodeContents(starter);
      return element.getBoundingClientRect().right - range.getBoundingClientRect().right;
    }),
  );
  expect(edges).toHaveLength(2);
  for (const edge of edges) expect(Math.abs(edge)).toBeLessThan(2);
});

/** As a browser does while a person drags files over the page. */
async function dragOver(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["x"], "notes.txt", { type: "text/plain" }));
    document.querySelector("main").dispatchEvent(
      new DragEvent("dragover", { bubbles: true, cancelable: true, dataTransfer }),
    );
  })()`);
}

async function boxOf(
  element: Locator,
): Promise<{ left: number; right: number; top: number; bottom: number }> {
  const { x, y, width, height } = (await element.boundingBox())!;
  return { left: x, right: x + width, top: y, bottom: y + height };
}
