import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

test("shows the focused element, never behind the composer", async () => {
  const ada = await visit(environment.browser, environment.server.url, { height: 500 });
  const { ask, settled } = chat(ada.page);
  for (const words of ["One fern", "Two ferns", "Three ferns"]) {
    await ask(`${words} tokens=120`);
    await settled();
  }
  const log = ada.page.getByRole("log");
  await log.evaluate((element) => element.parentElement!.parentElement!.scrollTo(0, 0));
  const controls = await log.getByRole("button").all();
  expect(controls.length).toBeGreaterThan(6);
  for (const control of controls) {
    await control.focus();
    const [own, field] = [await control.boundingBox(), await chat(ada.page).composer.boundingBox()];
    expect(own!.y + own!.height, (await control.getAttribute("aria-label"))!).toBeLessThanOrEqual(field!.y);
  }
});

test.for([
  [844, 390],
  [320, 256],
] as const)(
  "starts a new chat at its top in a window of %i × %i, and reaches all screens",
  async ([width, height]) => {
    const ada = await visit(environment.browser, environment.server.url, { width, height });
    await chat(ada.page).composer.waitFor();
    const title = await ada.page.getByRole("heading").first().boundingBox();
    expect(title!.y).toBeGreaterThanOrEqual(0);
    const field = await chat(ada.page).composer.boundingBox();
    expect(field!.y + field!.height).toBeLessThanOrEqual(height);
    const show = ada.page.getByRole("button", { name: "Show sidebar" });
    if (await show.isVisible()) await show.click();
    const settings = ada.page.getByRole("navigation").getByRole("link", { name: "Settings" });
    await settings.scrollIntoViewIfNeeded();
    await settings.click();
    await ada.page.getByRole("heading", { name: /^(Settings|General)$/, level: 1 }).waitFor();
  },
);

test("prints the whole thread in light colours without buttons", async () => {
  const ada = await visit(environment.browser, environment.server.url, { dark: true });
  const { ask, settled, questions } = chat(ada.page);
  for (const words of ["The first of all ferns", "The last of all ferns"]) {
    await ask(`${words} tokens=300`);
    await settled();
  }
  await ada.page.emulateMedia({ media: "print", colorScheme: "dark" });
  expect(await ada.page.getByRole("button").filter({ visible: true }).count()).toBe(0);
  expect(await ada.page.getByRole("navigation").isVisible()).toBe(false);
  for (const question of await questions.all()) expect(await question.isVisible()).toBe(true);
  const { paper, whole } = await ada.page.evaluate(() => ({
    paper: document.documentElement.scrollHeight,
    whole: document.querySelector("[role=log]")!.getBoundingClientRect().height,
  }));
  expect(paper).toBeGreaterThanOrEqual(whole);
  // With reduced motion, colours change within a millisecond.
  await expect
    .poll(async () =>
      Number(
        /oklch\(([\d.]+)/.exec(
          await questions.first().evaluate((element) => getComputedStyle(element).color),
        )?.[1],
      ),
    )
    .toBeLessThan(0.5);
});
