import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startEnvironment } from "../support/environment.ts";
import { ownerPassword, visitWithOwnerAccount } from "../support/owner-account.ts";
import { startServer } from "../support/server.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ model: false });
const passphrase = "correct horse battery staple";
/** For pictures of the screens: SHOTS names their folder. */
const shots = process.env["SHOTS"];

test("the owner sets up backups, makes one, sees one fail, and restores it on the screen of an empty server", async () => {
  const folder = await mkdtemp(join(tmpdir(), "parlance-backups-"));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  const olga = await visitWithOwnerAccount(environment);
  const { page } = olga;
  await page.getByRole("textbox", { name: "Message" }).fill("Keep this");
  await page.keyboard.press("Enter");
  await page.getByRole("article").nth(1).waitFor();
  await page.goto("/admin/backups");
  await page.getByLabel("Folder").fill(join(folder, "nowhere"));
  await page.getByLabel("Passphrase").fill("short");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Use at least 12 characters.").waitFor();
  await page.getByLabel("Passphrase").fill(passphrase);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Create it, or mount its disk.").waitFor();
  await page.getByLabel("Folder").fill(folder);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  await page.getByRole("button", { name: "Back up now" }).click();
  await page
    .getByRole("region", { name: "Stored backups" })
    .getByText(/^parlance-/)
    .waitFor();
  expect(await page.getByLabel("Passphrase").inputValue()).toBe("");
  const { browser } = environment;
  const shoot = async (of: typeof page, name: string) =>
    void (shots !== undefined && (await of.screenshot({ path: join(shots, `${name}.png`), fullPage: true })));
  await shoot(page, "backups-1280");

  await rename(folder, `${folder}-away`);
  await page.getByRole("button", { name: "Back up now" }).click();
  await page.getByText("Its place can’t be reached or used.").waitFor();
  await shoot(page, "backups-failed-1280");
  await rename(`${folder}-away`, folder);
  await page.goto("/admin/health");
  await page.getByText(/^Failed: /).waitFor();

  const empty = await startServer({});
  onTestFinished(empty.close);
  const fresh = await visit(browser, empty.url, {
    path: empty.ownerLink,
    width: 390,
    networkErrorsExpected: true,
    asksForAccount: true,
  });
  await fresh.page.getByRole("link", { name: "Restore a backup of another server instead" }).click();
  await fresh.page.getByLabel("Folder").fill(folder);
  await shoot(fresh.page, "restore-place-390");
  await fresh.page.getByRole("button", { name: "Show backups" }).click();
  await fresh.page.getByLabel("Passphrase").fill("wrong horse battery staple");
  await fresh.page.getByRole("button", { name: "Restore", exact: true }).click();
  await fresh.page.getByText("This isn’t the passphrase of this backup. Nothing was changed.").waitFor();
  await shoot(fresh.page, "restore-choice-390");
  await fresh.page.getByLabel("Passphrase").fill(passphrase);
  await fresh.page.getByRole("button", { name: "Restore", exact: true }).click();
  await fresh.page.getByText("Everything is restored").waitFor({ timeout: 60_000 });
  await shoot(fresh.page, "restore-done-390");
  await fresh.page.getByRole("button", { name: "Sign in" }).click();
  await fresh.page.getByLabel("E-mail address").fill("olga@example.com");
  await fresh.page.getByLabel("Password").fill(ownerPassword);
  await fresh.page.getByRole("button", { name: "Sign in", exact: true }).click();
  await fresh.page.waitForURL(`${empty.url}/`);
  const threads = await fresh.page.evaluate(
    async () => await (await fetch("/v1/threads", { headers: { "Parlance-Client": "web" } })).text(),
  );
  expect(threads).toContain("Keep this");
}, 120_000);
