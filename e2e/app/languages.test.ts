import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { eventually } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { violations } from "../support/violations.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

const facts = async (page: Page) =>
  await page.evaluate(() => [document.documentElement.lang, document.documentElement.dir]);

test("uses the browser's language from the first paint, and loads no other", async () => {
  const ada = await visit(environment.browser, environment.server.url, { locale: "ar-AE" });
  await ada.page.getByRole("heading", { name: "ما الذي يشغل بالك؟" }).waitFor();
  expect(await facts(ada.page)).toEqual(["ar", "rtl"]);
  const words = ada.requests.filter((request) => /\/(en|ar)-[^/]*\.js$/.test(request));
  expect(words).toEqual([expect.stringMatching(/\/ar-/)]);
});

test("changes the language in every tab at once, keeps the draft, and remembers the setting", async () => {
  const ada = await visit(environment.browser, environment.server.url, { path: "/settings/general" });
  const other = await ada.tab("/");
  await other.getByRole("textbox", { name: "Message", exact: true }).fill("Half a thought");
  const choice = ada.page.getByRole("radio", { name: "العربية" });
  await choice.focus();
  await ada.page.keyboard.press("Space");
  await ada.page.getByRole("heading", { name: "عام", level: 1 }).waitFor();
  // The focus stays where it was.
  await expect
    .poll(async () => await choice.evaluate((radio) => document.activeElement === radio))
    .toBe(true);
  const field = other.getByRole("textbox", { name: "الرسالة", exact: true });
  await field.waitFor();
  expect(await field.inputValue()).toBe("Half a thought");
  expect([await facts(ada.page), await facts(other), await ada.page.title()]).toEqual([
    ["ar", "rtl"],
    ["ar", "rtl"],
    "\u2068\u2068عام\u2069 – \u2068الإعدادات\u2069\u2069 – Parlance",
  ]);
  await ada.page.reload();
  await ada.page.getByRole("heading", { name: "عام", level: 1 }).waitFor();
  await ada.page.getByRole("radio", { name: "English" }).check({ force: true });
  await ada.page.getByRole("heading", { name: "General", level: 1 }).waitFor();
  await other.getByRole("textbox", { name: "Message", exact: true }).waitFor();
  expect(await facts(other)).toEqual(["en", "ltr"]);
});

test("translates failures into Arabic, also those of the server", async () => {
  const ada = await visit(environment.browser, environment.server.url, {
    locale: "ar",
    path: "/owner#wrong",
    networkErrorsExpected: true,
  });
  await ada.page.getByText("لم يعد رابط المالك هذا صالحًا").waitFor();
});

test("has no axe violations in Arabic, at 1280 and 390 px", async () => {
  const ada = await visit(environment.browser, environment.server.url, { locale: "ar" });
  for (const path of ["/", "/settings", "/archive", "/trash", "/search", "/nowhere"]) {
    await ada.page.goto(path);
    for (const width of [1280, 390]) {
      await ada.page.setViewportSize({ width, height: 800 });
      await ada.page.locator("main :is(h1, textarea)").first().waitFor();
      // A list that is still loading has nothing that can be focused.
      await eventually(
        async () => await violations(ada.page),
        (found) => expect(found, `${path}, ${width} px`).toEqual([]),
      );
    }
  }
});
