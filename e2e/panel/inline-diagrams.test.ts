import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

test("draws a diagram within the answer without moving the text below, and shows its code on request (CVE-2026-23733)", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const { ask, answers, settled } = chat(page);
  await ask(
    "```mermaid\ngraph LR\n  a[\"Seed <img src=x onerror=top.location='/'>\"] --> b[Tree]\n```\n\nBelow it.\n\n```mermaid\ngraph LR\n  a[\n```\n\nThe end.\n\ngap=1\necho",
  );
  await settled();
  const [first, second] = [
    answers.first().locator("figure").first(),
    answers.first().locator("figure").last(),
  ];
  const height = async () => (await first.boundingBox())!.height;
  const before = await height();
  const frame = first.frameLocator("iframe");
  await frame.getByText("Tree").waitFor({ timeout: 30_000 });
  await first.locator("[data-drawn]").waitFor();
  expect(await frame.locator("img[onerror]").count()).toBe(0);
  expect(await height()).toBe(before);
  const size = await frame
    .locator("svg")
    .evaluate((svg) => svg.getBoundingClientRect().bottom <= innerHeight);
  expect(size).toBe(true);

  // One that is wrong stays code, and has no button.
  await expect.poll(async () => await second.locator("iframe").count()).toBe(0);
  expect(await second.getByRole("button", { name: "Diagram" }).count()).toBe(0);
  expect(await second.locator("code").innerText()).toContain("a[");

  // It gives up the room for its drawing when no text below it is in the window.
  expect((await second.boundingBox())!.height).toBeGreaterThan(320);
  await first.evaluate((figure) => figure.scrollIntoView({ block: "end" }));
  await expect.poll(async () => (await second.boundingBox())!.height).toBeLessThan(200);

  const toggle = first.getByRole("button", { name: "Diagram" });
  await toggle.press("Enter");
  expect(await first.locator("iframe").count()).toBe(0);
  expect(await first.locator("code").isVisible()).toBe(true);
  expect(await height()).toBe(before);
  await toggle.press("Enter");
  await first.locator("[data-drawn]").waitFor();
  // The browser logs that the policy has blocked the picture of the label.
  await ada.context.close();
});
