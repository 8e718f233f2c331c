import { expect, test } from "vitest";
import { startEnvironment } from "../support/environment.ts";
import { ownerPassword, visitWithOwnerAccount } from "../support/owner-account.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ ownServer: true });

test("a picture, the language and what new chats begin with follow a person to another device", async () => {
  const { browser, server } = environment;
  const olga = await visitWithOwnerAccount(environment);
  const { page } = olga;
  await page.goto("/settings/account");
  await page.locator("input[type=file]").setInputFiles({
    name: "notes.txt",
    mimeType: "image/png",
    buffer: Buffer.from("no picture"),
  });
  await page.getByText("This file isn’t a picture").waitFor();
  const wide = await page.screenshot();
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "me.png", mimeType: "image/png", buffer: wide });
  const picture = page.getByRole("group", { name: "Picture" }).locator("img");
  await picture.waitFor();
  expect(
    await picture.evaluate(async (image: HTMLImageElement) => {
      await image.decode();
      return [image.naturalWidth, image.naturalHeight];
    }),
  ).toEqual([256, 256]);
  await page.goto("/settings/general");
  // A choice stays on the screen while a slow network saves it.
  const network = Promise.withResolvers<void>();
  await page.route("**/v1/profile", async (route) => {
    await network.promise;
    await route.continue();
  });
  const model = page.getByLabel("Model of new chats");
  await model.selectOption({ index: 2 });
  await page.evaluate(() => new Promise(requestAnimationFrame));
  expect(await model.evaluate((select: HTMLSelectElement) => select.selectedIndex)).toBe(2);
  const saved = page.waitForResponse("**/v1/profile");
  network.resolve();
  await saved;
  const chosen = await model.evaluate((select: HTMLSelectElement) => select.selectedOptions[0]!.text);
  await page.getByLabel("Time zone", { exact: true }).selectOption("Asia/Tokyo");
  await page.getByText("العربية", { exact: true }).click();
  await page.locator("html[dir=rtl]").waitFor();

  const other = await visit(browser, server.url, { path: "/sign-in", networkErrorsExpected: true });
  await other.page.getByLabel("E-mail address").fill("olga@example.com");
  await other.page.getByLabel("Password", { exact: true }).fill(ownerPassword);
  await other.page.getByRole("main").getByRole("button", { name: "Sign in", exact: true }).click();
  await other.page.waitForURL(`${server.url}/`);
  await other.page.locator("html[dir=rtl]").waitFor();
  await other.page.getByRole("button", { name: chosen }).waitFor();
  await other.page.goto("/settings/account");
  await other.page.locator("main img").waitFor();
  await other.end();

  await page.goto("/settings/account");
  await page.getByRole("button", { name: "إزالتها" }).click();
  await picture.waitFor({ state: "detached" });

  // Back to the browser's language, with another tab that still has the old profile.
  const tab = await olga.context.newPage();
  await tab.goto(`${server.url}/settings/general`);
  await tab.locator("html[dir=rtl]").waitFor();
  await page.goto("/settings/general");
  await page.getByText("حسب المتصفح", { exact: true }).click();
  for (const each of [page, tab]) await each.locator("html[dir=ltr]").waitFor();
  await page.getByText("Match browser").waitFor();
  await page.waitForTimeout(1_000);
  for (const each of [page, tab]) expect(await each.locator("html").getAttribute("dir")).toBe("ltr");
  await tab.close();
});
