import { expect, test } from "vitest";
import { chat, eventually } from "./support/chat.ts";
import { openStage } from "./support/stage.ts";
import { visit } from "./support/visit.ts";

const stage = openStage();

test("keeps a menu open beside its button while the window changes its size", async () => {
  const ada = await visit(stage.browser, stage.server.url, { width: 900 });
  const { ask, settled } = chat(ada.page);
  await ask("Tell me of rivers tokens=3");
  await settled();
  const button = ada.page.getByRole("main").getByRole("button", { name: /^Actions for/ });
  await button.click();
  const menu = ada.page.getByRole("menu");
  await menu.waitFor();
  // As when the keyboard of a telephone goes, and when it is turned.
  await ada.page.setViewportSize({ width: 800, height: 500 });
  await ada.page.waitForFunction(() => innerHeight === 500);
  const [box, anchor] = [await menu.boundingBox(), await button.boundingBox()];
  expect(Math.abs(box!.x + box!.width - (anchor!.x + anchor!.width))).toBeLessThan(12);
  await ada.page.keyboard.press("Escape");
  await menu.waitFor({ state: "detached" });
  await ada.end();
});

test("puts a tip away with Escape, and stops the answer with the next one only", async () => {
  const ada = await visit(stage.browser, stage.server.url);
  const { ask, settled, answers } = chat(ada.page);
  await ask("Go on\nendless gap=40");
  await answers.first().waitFor();
  await ada.page.getByRole("button", { name: "Hide sidebar" }).hover();
  const tip = ada.page.getByText(/^Hide sidebar/).and(ada.page.locator("[popover]"));
  await tip.waitFor();
  await ada.page.keyboard.press("Escape");
  await tip.waitFor({ state: "hidden" });
  const before = (await answers.first().innerText()).length;
  await eventually(
    async () => (await answers.first().innerText()).length,
    (length) => expect(length).toBeGreaterThan(before + 150),
  );
  await ada.page.keyboard.press("Escape");
  await settled();
  await answers.first().getByText("You stopped this answer.").waitFor();
  await ada.end();
});
