import type { Page } from "playwright-core";
import { expect } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { storeThread } from "../support/store-thread.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ ownServer: true });

const fenced = (info: string, code: string) => `\`\`\`${info}\n${code}\n\`\`\``;
const answer = (text: string) => [
  { role: "user" as const, content: [{ type: "text", text: "Write" }] },
  { role: "assistant" as const, content: [{ type: "text", text }] },
];
const panelOf = (page: Page) => page.getByRole("region", { name: "Panel" });
const open = async (page: Page, title: string) =>
  await chat(page).threads.getByRole("link", { name: title }).click();

test("shows the panel of a thread again, at the same place, until the person closes it", async ({ page }) => {
  await chat(page).composer.waitFor();
  const code = Array.from({ length: 400 }, (_, i) => `value_${i} = ${i}`).join("\n");
  await storeThread(page, answer("Nothing"), { title: "Poplars" });
  await page.goto(await storeThread(page, answer(fenced("python", code)), { title: "Willows" }));
  await page.getByRole("button", { name: "Open", exact: true }).click();
  const panel = panelOf(page);
  const box = panel.getByRole("region", { name: /^Code/ });
  const top = async () => await box.evaluate(({ scrollTop }) => Math.round(scrollTop));
  const isAt = async (expected: number) =>
    await expect.poll(async () => Math.abs((await top()) - expected)).toBeLessThan(3);
  await box.hover();
  await page.mouse.wheel(0, 3_000);
  await expect.poll(top).toBeGreaterThan(2_000);
  await page.waitForTimeout(400);
  const place = await top();

  await open(page, "Poplars");
  await panel.waitFor({ state: "detached" });
  await open(page, "Willows");
  await isAt(place);
  await panel.getByRole("button", { name: "Full screen" }).click();
  await isAt(place);
  await page.reload();
  await isAt(place);
  await panel.getByRole("button", { name: "Full screen" }).click();
  await isAt(place);

  await page.getByRole("link", { name: "Archive" }).click();
  await page.waitForURL(/\/archive$/);
  await open(page, "Willows");
  await isAt(place);

  // Where it would cover the thread, the thread is shown first.
  await open(page, "Poplars");
  await panel.waitFor({ state: "detached" });
  await page.setViewportSize({ width: 800, height: 800 });
  await page.goBack();
  await panel.waitFor();
  await page.setViewportSize({ width: 1280, height: 800 });

  await panel.getByRole("button", { name: "Close panel" }).click();
  await panel.waitFor({ state: "detached" });
  await open(page, "Poplars");
  await page.getByText("Nothing").waitFor();
  await open(page, "Willows");
  await page.getByText("value_0 = 0").first().waitFor();
  await page.waitForTimeout(300);
  expect(await panel.count()).toBe(0);
  // Nor is anything left of it on the device.
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain("python");
});

test("shows the panel on another device as the person left it", async () => {
  const path = environment.server.ownerLink.replace(environment.server.url, "");
  const newDevice = async () => {
    const device = await visit(environment.browser, environment.server.url, { path });
    await device.page.waitForURL(`${environment.server.url}/`);
    return device;
  };
  const [telephone, desk] = [await newDevice(), await newDevice()];
  const { page } = telephone;
  const code = (name: string) => Array.from({ length: 400 }, (_, i) => `${name}_${i} = ${i}`).join("\n");
  const title = `Alders ${Date.now()}`;
  const address = await storeThread(
    page,
    [
      ...answer(fenced('python title="Rows"', code("first"))),
      ...answer(fenced('python title="Rows"', code("second"))),
    ],
    { title },
  );
  const boxOf = (of: Page) => panelOf(of).getByRole("region", { name: /^Code/ });
  const topOf = async (of: Page) => await boxOf(of).evaluate(({ scrollTop }) => Math.round(scrollTop));
  const isStored = async (of: Page) =>
    await of.waitForResponse(
      (response) => response.request().method() === "PUT" && response.url().endsWith("/panel"),
    );
  const scrollTo = async (of: Page, top: number) =>
    await Promise.all([isStored(of), boxOf(of).evaluate((box, to) => (box.scrollTop = to), top)]);
  await page.goto(address);
  await page.getByRole("button", { name: "Open", exact: true }).last().click();
  await panelOf(page).getByRole("button", { name: "Previous version" }).click();
  await panelOf(page).getByText("first_0").waitFor();
  await scrollTo(page, 2_500);

  await open(desk.page, title);
  await panelOf(desk.page).getByText("first_1", { exact: false }).first().waitFor();
  await expect.poll(async () => await topOf(desk.page)).toBe(2_500);
  await scrollTo(desk.page, 1_200);

  // A page that is reloaded keeps what its address says, at the latest place.
  await page.reload();
  await expect.poll(async () => await topOf(page)).toBe(1_200);
  // Closed on one device just before it is left, it stays closed on the other.
  await panelOf(page).getByRole("button", { name: "Close panel" }).click();
  await panelOf(page).waitFor({ state: "detached" });
  await page.goto("/archive");
  await desk.page.getByRole("link", { name: "Archive" }).click();
  await desk.page.waitForURL(/\/archive$/);
  const isRead = desk.page.waitForResponse((response) => response.url().endsWith("/panel"));
  await open(desk.page, title);
  await isRead;
  await panelOf(desk.page).waitFor({ state: "detached" });

  // A device that has never had the thread opens its address.
  await page.goto(address);
  await Promise.all([
    isStored(page),
    page.getByRole("button", { name: "Open", exact: true }).first().click(),
  ]);
  const laptop = await newDevice();
  await laptop.page.goto(address);
  await panelOf(laptop.page)
    .getByText(/^(first|second)_0/)
    .first()
    .waitFor();
  for (const device of [telephone, desk, laptop]) await device.end();
});

test("a late answer about the panel does not bring back the thread that the person leaves", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  await chat(page).composer.waitFor();
  const path = await storeThread(page, answer(fenced("python title=Rows", "rows = 1")), { title: "Larches" });
  await page.evaluate(
    async ({ url, body }) =>
      await fetch(url, {
        method: "PUT",
        headers: { "Parlance-Client": "web", "Content-Type": "application/json" },
        body: JSON.stringify(body),
      }),
    { url: path.replace("/t/", "/v1/threads/") + "/panel", body: { panel: { key: "python:Rows", top: 0 } } },
  );
  const [panelRead, screenLoaded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route("**/v1/threads/*/panel", async (route) => {
    await panelRead.promise;
    await route.continue();
  });
  await page.route("**/assets/archive-screen*", async (route) => {
    await screenLoaded.promise;
    await route.continue();
  });
  const isAsked = page.waitForRequest((request) => request.url().endsWith("/panel"));
  await open(page, "Larches");
  await isAsked;
  const isLoading = page.waitForRequest((request) => request.url().includes("archive-screen"));
  await page.getByRole("link", { name: "Archive" }).click();
  await isLoading;
  const isAnswered = page.waitForResponse((response) => response.url().endsWith("/panel"));
  panelRead.resolve();
  await isAnswered;
  await page.waitForTimeout(200);
  screenLoaded.resolve();
  await page.waitForURL(/\/archive$/);
  await page.getByRole("heading", { name: "Archive" }).waitFor();
});

test("a program runs on behind another view, and a table stays sorted and filtered", async ({ page }) => {
  await chat(page).composer.waitFor();
  const counter =
    '<!doctype html><title>Counter</title><p>0</p><script>let n = 0; setInterval(() => { document.querySelector("p").textContent = ++n }, 100)</script>';
  const fruits = "fruit,price\npear,3\nplum,1\nfig,2";
  await page.goto(
    await storeThread(page, answer(`${fenced("html", counter)}\n\n${fenced('csv title="Fruits"', fruits)}`)),
  );
  await page.getByRole("button", { name: "Open", exact: true }).first().click();
  const panel = panelOf(page);
  await panel.getByRole("button", { name: "Run" }).click();
  const number = panel.frameLocator("iframe").locator("p");
  const count = async () => Number(await number.innerText());
  await expect.poll(count).toBeGreaterThan(2);
  await panel.getByRole("tab", { name: "Code" }).click();
  await panel.getByText("setInterval").waitFor();
  expect(await panel.locator("iframe").isVisible()).toBe(false);
  // Longer than a program may be silent.
  await page.waitForTimeout(6_000);
  await panel.getByRole("tab", { name: "Preview" }).click();
  // Timers of hidden frames are slower.
  await expect.poll(count).toBeGreaterThan(5);
  await panel.getByRole("button", { name: "Close panel" }).click();

  await page.getByRole("button", { name: "Open", exact: true }).last().click();
  const price = panel.getByRole("columnheader", { name: "price" });
  await price.getByRole("button").click();
  await panel.getByRole("searchbox", { name: "Filter rows" }).fill("p");
  await panel.getByRole("tab", { name: "Code" }).click();
  await panel.getByText("pear,3").waitFor();
  await panel.getByRole("tab", { name: "Preview" }).click();
  expect(await price.getAttribute("aria-sort")).toBe("ascending");
  await panel.getByText("2 of 3 rows").waitFor();
  expect(await panel.locator("tbody td:first-child").allInnerTexts()).toEqual(["plum", "pear"]);
});
