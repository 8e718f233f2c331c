import { readFile } from "node:fs/promises";
import { Secret, TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { startEnvironment } from "../support/environment.ts";
import { ownerPassword as password, visitWithOwnerAccount } from "../support/owner-account.ts";

const environment = startEnvironment({ model: false });

async function signIn(page: Page, code?: string): Promise<void> {
  await page.getByLabel("E-mail address").fill("olga@example.com");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("main").getByRole("button", { name: "Sign in", exact: true }).click();
  if (code === undefined) return;
  await page.getByLabel("Code from your authenticator app").fill(code);
  await page.keyboard.press("Enter");
}

/** Sets up an authenticator app on the page, and returns its recovery codes. */
async function setUp(
  page: Page,
  leave = async () => await page.getByRole("button", { name: "I’ve saved them" }).click(),
): Promise<{ secret: string; codes: string[] }> {
  await page.getByRole("button", { name: "Set up an authenticator app" }).click();
  const secret = (await page.locator("code").innerText()).replaceAll(" ", "");
  const qr = page.getByRole("img", { name: "QR code for an authenticator app" });
  expect((await qr.locator("path").getAttribute("d"))!.length).toBeGreaterThan(1_000);
  const field = page.getByLabel("Code from the app");
  await field.fill("12345");
  await field.press("Enter");
  await page.getByText("The code is wrong or was used already.").waitFor();
  await field.fill(new TOTP({ secret: Secret.fromBase32(secret) }).generate());
  await field.press("Enter");
  await page.getByText("They won’t be shown again.").waitFor();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  const codes = (await readFile(await (await saved).path(), "utf8")).trim().split("\n");
  expect(codes).toHaveLength(10);
  expect(codes).toEqual(
    await page
      .getByRole("listitem")
      .filter({ hasText: /^\w{4}-/ })
      .allInnerTexts(),
  );
  // They would be lost.
  await page.getByRole("link", { name: "Archive" }).first().click();
  const question = page.getByRole("dialog", { name: "Leave" });
  await question.getByText("Leave without saving the recovery codes?").waitFor();
  await question.getByRole("button", { name: "Stay" }).click();
  await page.getByText(codes[0]!).waitFor();
  await leave();
  return { secret, codes };
}

test("the owner sets up a second factor, signs in with it, and requires it of everyone", async () => {
  const { url } = environment.server;
  const olga = await visitWithOwnerAccount(environment);
  const { page } = olga;
  await page.goto("/settings/account");
  const { codes } = await setUp(page);
  await page.getByText("10 recovery codes left").waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(`${url}/sign-in`);

  await signIn(page, "000000");
  await page.getByText("The code is wrong or was used already.").waitFor();
  const code = page.getByLabel("Code from your authenticator app");
  // The step stays when the connection fails, and its code is not sent after it was left.
  await page.route("**/v1/auth/sign-in", async (route) => await route.abort(), { times: 1 });
  await code.press("Enter");
  await page.getByRole("main").getByRole("alert").filter({ hasNotText: "wrong" }).waitFor();
  await code.waitFor();
  await page.getByRole("button", { name: "Back", exact: true }).click();
  await signIn(page);
  await code.waitFor();
  expect(await code.inputValue()).toBe("");
  await code.fill(codes[0]!);
  await code.press("Enter");
  await page.waitForURL(`${url}/`);
  await page.goto("/settings/account");
  await page.getByText("9 recovery codes left").waitFor();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByText("Second factor removed.").waitFor();

  await page.goto("/admin/sign-in");
  await page.getByLabel("Required for everyone").check({ force: true });
  const settings = page.locator("form", { hasText: "Second factor for passwords" });
  await Promise.all([
    page.waitForResponse((response) => response.request().method() === "PUT" && response.ok()),
    settings.getByRole("button", { name: "Save" }).click(),
  ]);
  // Olga has none any more.
  await page.goto("/");
  const heading = page.getByRole("heading", { name: "Set up a second factor" });
  await heading.waitFor();
  await page.goto(`/reset#reset_0${"x".repeat(48)}`);
  await page.getByLabel("New password").waitFor();
  await page.goto("/settings");
  await heading.waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(`${url}/sign-in`);
  await signIn(page);
  await heading.waitFor();
  await setUp(page, async () => {
    // Other pages work at once.
    await page.getByRole("link", { name: "Settings" }).first().click();
    await page.getByRole("dialog").getByRole("button", { name: "Leave" }).click();
    await page.waitForURL(/\/settings/);
    await heading.waitFor({ state: "detached" });
    await page.goto("/");
  });
  await page.getByRole("textbox").first().waitFor();
});
