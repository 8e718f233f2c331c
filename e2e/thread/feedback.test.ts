import { expect } from "vitest";
import type { Page } from "playwright-core";
import { chat } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

const thumbs = (page: Page) => {
  const button = (name: string) =>
    chat(page).answers.first().getByRole("button", { name, exact: true, includeHidden: true });
  return { good: button("Good answer"), bad: button("Bad answer") };
};

/** The pressed state of both buttons. */
const given = async (page: Page) =>
  await Promise.all(
    Object.values(thumbs(page)).map(async (button) => await button.getAttribute("aria-pressed")),
  );

async function becomes(page: Page, good: boolean, bad: boolean): Promise<void> {
  await expect.poll(async () => await given(page)).toEqual([String(good), String(bad)]);
}

test("saves, changes and removes a rating in every tab", async ({ ada }) => {
  const { ask, settled, answers } = chat(ada.page);
  await ask("Tell me of rivers tokens=5");
  await answers.first().waitFor();
  await settled();
  const path = new URL(ada.page.url()).pathname;
  const other = await ada.tab(path);
  await becomes(other, false, false);

  await thumbs(ada.page).good.click();
  await becomes(ada.page, true, false);
  await becomes(other, true, false);
  await ada.page.reload();
  await becomes(ada.page, true, false);

  await thumbs(other).bad.click();
  await becomes(other, false, true);
  await becomes(ada.page, false, true);

  await thumbs(ada.page).bad.click();
  await ada.page.getByRole("button", { name: "Remove rating" }).click();
  await becomes(ada.page, false, false);
  await becomes(other, false, false);
  await ada.page.reload();
  await becomes(ada.page, false, false);
});

test("asks why an answer is bad, and shows it again after a reload", async ({ ada }) => {
  const { ask, settled, answers, composer } = chat(ada.page);
  const form = answers.first().getByRole("form", { name: "What’s wrong with this answer?" });
  const comment = form.getByRole("textbox", { name: "Comment (optional)" });
  await ask("Tell me of hills tokens=5");
  await answers.first().waitFor();
  await settled();
  await thumbs(ada.page).bad.click();
  await becomes(ada.page, false, true);
  await form.getByText("Too long").click();
  await comment.fill("One sentence is enough");
  await form.getByRole("button", { name: "Save" }).click();
  await form.waitFor({ state: "detached" });
  expect(await thumbs(ada.page).bad.evaluate((button) => button === document.activeElement)).toBe(true);
  await composer.focus();
  await ada.page.reload();
  await becomes(ada.page, false, true);
  await thumbs(ada.page).bad.click();
  expect(await form.getByRole("radio", { name: "Too long" }).isChecked()).toBe(true);
  expect(await comment.inputValue()).toBe("One sentence is enough");
  // Esc closes the form and changes nothing.
  await comment.fill("Never mind");
  await comment.press("Escape");
  await form.waitFor({ state: "detached" });
  await thumbs(ada.page).bad.click();
  expect(await comment.inputValue()).toBe("One sentence is enough");
  await form.getByRole("button", { name: "Remove rating" }).click();
  await becomes(ada.page, false, false);
});

test("works with the keyboard, and stays visible on an older answer", async ({ ada }) => {
  const { ask, settled, answers } = chat(ada.page);
  await ask("Tell me of stones tokens=5");
  await answers.first().waitFor();
  await settled();
  const { good, bad } = thumbs(ada.page);
  // They come when the page has read the stored answer. Until then, Tab goes past them.
  await becomes(ada.page, false, false);
  await answers.first().getByRole("button", { name: "Regenerate with…" }).focus();
  await ada.page.keyboard.press("Tab");
  await ada.page.keyboard.press("Space");
  await becomes(ada.page, true, false);
  expect(await good.evaluate((button) => button === document.activeElement)).toBe(true);

  await ask("And of gardens tokens=5");
  await answers.nth(1).waitFor();
  await settled();
  await chat(ada.page).composer.hover();
  await expect
    .poll(
      async () =>
        await Promise.all(
          [good, bad].map(
            async (button) => await button.evaluate((element) => getComputedStyle(element).opacity),
          ),
        ),
    )
    .toEqual(["1", "0"]);
});

test("shows a failure and the stored rating when it could not be saved", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { ask, settled, answers } = chat(ada.page);
  await ask("Tell me of paper tokens=5");
  await answers.first().waitFor();
  await settled();
  await ada.page.route("**/feedback", async (route) => await route.fulfill({ status: 500, json: {} }));
  await thumbs(ada.page).good.click();
  await ada.page
    .getByRole("region", { name: "Notifications" })
    .getByRole("button", { name: "Close" })
    .waitFor();
  await becomes(ada.page, false, false);
});

test("leaves the focus with a person who writes while the form loads", async () => {
  let load = () => {};
  const ada = await visit(environment.browser, environment.server.url, {
    prepare: async (context) =>
      await context.route(/\/assets\/feedback-form[^/]*\.js$/, async (route) => {
        await new Promise<void>((done) => (load = done));
        await route.continue();
      }),
  });
  const { ask, settled, answers, composer } = chat(ada.page);
  await ask("Tell me of lakes tokens=5");
  await answers.first().waitFor();
  await settled();
  await thumbs(ada.page).bad.click();
  await becomes(ada.page, false, true);
  await composer.click();
  await ada.page.keyboard.type("And ");
  load();
  await answers.first().getByRole("form", { name: "What’s wrong with this answer?" }).waitFor();
  await ada.page.keyboard.type("then?");
  expect(await composer.inputValue()).toBe("And then?");
});
