import { expect } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { storeThread } from "../support/store-thread.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

const count = 500;
const codeOf = (version: number) =>
  [`# Version ${version}`, ...Array.from({ length: 15 }, (_, i) => `value_${i} = compute(${i})`)].join("\n");
const blockOf = (version: number, info: string) =>
  `\`\`\`python title="Long"${info}\n${codeOf(version)}\n\`\`\`\n`;
/** An answer with some versions, as with a tool that changes an artifact several times. */
const perAnswer = 10;
const answerOf = (first: number) =>
  Array.from({ length: perAnswer }, (_, i) => blockOf(first + i, i === 0 ? "" : " update")).join("\n");
const edited = [{ type: "text", text: blockOf(1_000, "") }];
const message = (role: "user" | "assistant", text: string) => ({ role, content: [{ type: "text", text }] });

test("shows 500 versions of one artifact, of which the thread has loaded few", async ({ page }) => {
  const answers = Array.from({ length: count / perAnswer }, (_, i) => [
    message("user", `Change ${i + 1}`),
    message("assistant", answerOf(i * perAnswer + 1)),
  ]);
  // The page opens its session with it.
  await chat(page).composer.waitFor();
  await page.goto(await storeThread(page, answers.flat()));
  await page.getByRole("button", { name: "Open", exact: true }).last().click();
  const panel = page.getByRole("region", { name: "Panel" });
  await panel.getByText(new RegExp(`Version \\d+ of ${count}$`)).waitFor();
  // The thread itself has not loaded them.
  expect(await page.getByText("Change 1", { exact: true }).count()).toBe(0);

  const slider = panel.getByRole("slider");
  await slider.focus();
  for (const [key, version] of [
    ["Home", 1],
    ["ArrowRight", 2],
    ["End", count],
    ["ArrowLeft", count - 1],
  ] as const) {
    await page.keyboard.press(key);
    await panel.getByText(`# Version ${version}`, { exact: true }).waitFor();
  }
  // Each key moves it by one, however fast they come, and the address follows at the end.
  await page.keyboard.press("Home");
  for (let i = 0; i < 120; i++) await page.keyboard.press("ArrowRight");
  await panel.getByText(`Version 121 of ${count}`).waitFor();
  await slider.fill("250");
  await panel.getByText("# Version 250", { exact: true }).waitFor();
  expect(await slider.getAttribute("aria-valuetext")).toBe(`Version 250 of ${count}`);
  await page.waitForURL(/[?&]v=/);
  await page.waitForTimeout(500);

  await page.reload();
  await panel.getByText("# Version 250", { exact: true }).waitFor();
  await panel.getByText(`Version 250 of ${count}`).waitFor();

  // The first against the last.
  await slider.press("End");
  await panel.getByRole("tab", { name: "Changes" }).click();
  await panel.locator("del", { hasText: `# Version ${count - 1}` }).waitFor();
  await panel.getByLabel("Compared with").selectOption("Version 1");
  await panel.locator("del", { hasText: /# Version 1$/ }).waitFor();
  await panel.locator("ins", { hasText: `# Version ${count}` }).waitFor();
  await page.reload();
  await panel.locator("del", { hasText: /# Version 1$/ }).waitFor();
});

test("keeps an earlier version open while scrolling up loads more of the thread", async ({ ada, page }) => {
  await expect.poll(async () => (await ada.context.cookies()).length).toBeGreaterThan(0);
  const answers = Array.from({ length: 80 }, (_, i) => [
    message("user", `Change ${i + 1}`),
    message("assistant", i % 20 === 0 || i === 79 ? blockOf(i + 1, "") : "Nothing"),
  ]);
  await page.goto(await storeThread(page, answers.flat()));
  await page.getByRole("button", { name: "Open", exact: true }).last().click();
  const panel = page.getByRole("region", { name: "Panel" });
  await panel.getByText("Version 5 of 5").waitFor();
  const slider = panel.getByRole("slider");
  await slider.focus();
  await page.keyboard.press("Home");
  await panel.getByText("# Version 1", { exact: true }).waitFor();
  await page.waitForURL(/[?&]v=/);
  // A program in the panel would begin again with the panel.
  await slider.evaluate((element) => element.setAttribute("data-before", ""));

  const first = page.getByText("Change 1", { exact: true });
  expect(await first.count()).toBe(0);
  await page.getByRole("log").hover({ position: { x: 20, y: 20 } });
  for (let turns = 0; turns < 200 && (await first.count()) === 0; turns++) {
    await page.mouse.wheel(0, -3_000);
    await page.evaluate(async () => await new Promise(requestAnimationFrame));
  }
  await first.waitFor();
  await panel.getByText("Version 1 of 5").waitFor();
  expect(await panel.locator("[data-before]").count()).toBe(1);
});

test("says that versions too far above are not shown, beside those that are", async ({ ada, page }) => {
  await expect.poll(async () => (await ada.context.cookies()).length).toBeGreaterThan(0);
  const versionAt = new Map([
    [1, blockOf(1, "")],
    [1_001, blockOf(2, "")],
    [1_501, blockOf(3, "")],
    [2_499, blockOf(4, "")],
  ]);
  const messages = Array.from({ length: 2_500 }, (_, i) => ({
    id: `m${i}`,
    parent_id: i === 0 ? null : `m${i - 1}`,
    format: "aui/v0",
    created_at: "2026-01-31T12:00:00.000Z",
    role: i % 2 === 0 ? "user" : "assistant",
    content: message(i % 2 === 0 ? "user" : "assistant", versionAt.get(i) ?? `Nothing ${i}`),
  }));
  const path = await page.evaluate(
    async (body) => {
      const headers = { "Parlance-Client": "web", Accept: "application/json" };
      const answer = await fetch("/v1/import", { method: "POST", headers, body });
      return `/t/${/"thread_id":"([^"]+)"/.exec(await answer.text())![1]!}`;
    },
    JSON.stringify({
      format: "parlance-thread",
      version: 1,
      thread: { id: "far", title: "Far" },
      messages,
      shown: "m2499",
    }),
  );
  await page.goto(path);
  await page.getByRole("button", { name: "Open", exact: true }).last().click();
  const panel = page.getByRole("region", { name: "Panel" });
  await panel.getByText("Version 3 of 3").waitFor();
  await panel
    .getByRole("status")
    .getByText("Versions more than 2,000 messages above are not shown.")
    .waitFor();
  expect(await panel.getByRole("button", { name: "Try again" }).count()).toBe(0);
  await panel.getByRole("slider").press("Home");
  await panel.getByText("# Version 2", { exact: true }).waitFor();
});

test("reads the versions before an edit by hand also above the loaded part of a thread, and says when it cannot", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { page } = ada;
  await chat(page).composer.waitFor();
  const answers = Array.from({ length: 80 }, (_, i) => [
    message("user", `Change ${i + 1}`),
    {
      ...message("assistant", i % 79 === 0 ? blockOf(i + 1, "") : "Nothing"),
      ...(i === 0 ? { edited } : {}),
    },
  ]);
  await page.goto(await storeThread(page, answers.flat()));
  const original = /\/branch\?last=/;
  await ada.context.route(original, async (route) => await route.fulfill({ status: 400, json: {} }));
  await page.getByRole("button", { name: "Open", exact: true }).last().click();
  const panel = page.getByRole("region", { name: "Panel" });
  await panel.getByText("Earlier versions could not be read.").waitFor();
  await ada.context.unroute(original);
  await panel.getByRole("button", { name: "Try again" }).press("Enter");
  await panel.getByText("Version 3 of 3").waitFor();
  expect(await panel.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await panel.getByText("Earlier versions").count()).toBe(0);
  await panel.getByRole("slider").press("ArrowLeft");
  await panel.getByText("# Version 1000", { exact: true }).waitFor();
  await panel.getByText("Edited by hand").waitFor();
  await panel.getByRole("slider").press("ArrowLeft");
  await panel.getByText("# Version 1", { exact: true }).waitFor();
});
