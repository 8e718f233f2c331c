import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

const choose = async (page: Page, group: string, name: string) =>
  await page.getByRole("group", { name: group }).getByText(name, { exact: true }).click();
const sizeOf = async (page: Page) =>
  await page.evaluate(() => getComputedStyle(document.documentElement).fontSize);
const overflow = async (page: Page) =>
  await page.evaluate(() => {
    const scrollers = [document.documentElement, ...document.querySelectorAll("main, main > div, nav")];
    return scrollers
      .filter((box) => box.scrollWidth > box.clientWidth + 1)
      .map((box) => box.className || box.tagName);
  });

test("shows the list of pages beside the page, and keeps the focus in it", async () => {
  const { page } = await visit(environment.browser, environment.server.url, {
    path: "/settings",
    height: 400,
  });
  const list = page.getByRole("navigation", { name: "Settings pages" });
  const heading = async (name: string) => await page.getByRole("heading", { name, level: 1 }).waitFor();
  await heading("General");
  expect(new URL(page.url()).pathname).toBe("/settings/general");
  await list.getByRole("link", { name: "General" }).focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await heading("Appearance");
  expect(await page.title()).toBe("Appearance – Settings – Parlance");
  expect(await list.locator("[aria-current=page]").allInnerTexts()).toEqual(["Appearance"]);
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Appearance");
  await page.getByRole("radio", { name: "Full" }).scrollIntoViewIfNeeded();
  await page.goBack();
  await heading("General");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("keyb");
  await page.getByRole("option", { name: "Settings: Keyboard" }).click();
  await heading("Keyboard");
  expect(await page.getByRole("heading", { level: 1 }).isVisible()).toBe(true);
  await page.goto("/settings/nowhere");
  await heading("Page not found");
});

test("shows the licenses of the software that the page contains, read only when they are opened", async () => {
  const ada = await visit(environment.browser, environment.server.url, { path: "/settings/general" });
  const { page } = ada;
  await page.getByRole("heading", { name: "General", level: 1 }).waitFor();
  const isRead = () => ada.requests.some((request) => request.includes("/third-party-notices.txt"));
  expect(isRead()).toBe(false);
  await page.getByText("Licenses", { exact: true }).click();
  await page.getByText("Eclipse Public License - v 2.0").waitFor();
  expect(isRead()).toBe(true);
  const text = await page.locator("pre").innerText();
  for (const name of ["@fontsource-variable/literata", "@img/sharp-libvips-linux-x64", "elkjs", "dompurify"])
    expect(text).toContain(`${name} `);
  const file = await page.request.get(
    new URL((await page.getByRole("link", { name: "Open as a file" }).getAttribute("href"))!, page.url())
      .href,
  );
  expect(file.headers()["content-type"]).toContain("text/plain");
});

test("shows the list of pages as a page of its own on a phone", async () => {
  const { page } = await visit(environment.browser, environment.server.url, {
    path: "/settings",
    width: 390,
  });
  const main = page.getByRole("main");
  await main.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
  expect(await page.title()).toBe("Settings – Parlance");
  await main.getByRole("link", { name: "Your data" }).click();
  await main.getByRole("heading", { name: "Your data", level: 1 }).waitFor();
  expect(await main.getByRole("navigation").count()).toBe(0);
  await main.getByRole("link", { name: "Settings" }).click();
  await main.getByRole("link", { name: "Assistants" }).click();
  await main.getByRole("heading", { name: "Assistants", level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/settings/assistants");
});

test("changes the text size in every tab at once, permanently, and before the first paint", async () => {
  const ada = await visit(environment.browser, environment.server.url, { path: "/settings/appearance" });
  const other = await ada.tab("/");
  expect(await sizeOf(other)).toBe("16px");
  await choose(ada.page, "Text size", "Larger");
  await expect.poll(async () => [await sizeOf(ada.page), await sizeOf(other)]).toEqual(["21px", "21px"]);
  // Before the app's code has run.
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  await other.route("**/assets/index-*.js", async (route) => {
    await opened;
    await route.continue();
  });
  const reloaded = other.reload();
  await expect
    .poll(async () => [await sizeOf(other), await other.getByRole("textbox").count()])
    .toEqual(["21px", 0]);
  open();
  await reloaded;
  await chat(other).composer.waitFor();
  expect(await sizeOf(other)).toBe("21px");
});

test("loses nothing sideways with the largest text at 390 px and at 200 % zoom, in both directions", async () => {
  for (const locale of ["en", "ar"]) {
    const ada = await visit(environment.browser, environment.server.url, { locale });
    await ada.page.evaluate(() => localStorage.setItem("parlance.textSize", '"larger"'));
    for (const path of [
      "/",
      "/settings",
      "/settings/appearance",
      "/settings/data",
      "/archive",
      "/trash",
      "/search",
      "/nowhere",
    ]) {
      await ada.page.goto(path);
      for (const size of [
        { width: 390, height: 844 },
        { width: 640, height: 400 },
      ]) {
        await ada.page.setViewportSize(size);
        await ada.page.locator("main :is(h1, textarea)").first().waitFor();
        await expect
          .poll(async () => [path, await sizeOf(ada.page), await overflow(ada.page)])
          .toEqual([path, "21px", []]);
      }
    }
    await ada.end();
  }
});

test("overrides the system's setting for motion", async () => {
  const ada = await visit(environment.browser, environment.server.url, { path: "/settings/appearance" });
  const speed = async () =>
    await ada.page
      .getByRole("group", { name: "Motion" })
      .locator("label")
      .first()
      .evaluate((label) => getComputedStyle(label).transitionDuration);
  // The browser context prefers reduced motion.
  expect(await speed()).toBe("0.001s");
  await choose(ada.page, "Motion", "Full");
  await expect.poll(speed).toBe("0.12s");
  await choose(ada.page, "Motion", "System");
  await ada.page.emulateMedia({ reducedMotion: "no-preference" });
  await expect.poll(speed).toBe("0.12s");
  await choose(ada.page, "Motion", "Reduced");
  await expect.poll(speed).toBe("0.001s");
  await ada.page.reload();
  await expect.poll(speed).toBe("0.001s");
});
