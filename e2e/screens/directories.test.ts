import { afterAll, beforeAll, expect, test } from "vitest";
import {
  base,
  bindDn,
  bindPassword,
  slapdMissing,
  startSlapd,
  type Slapd,
} from "#tests/support/ldap/slapd.ts";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visitWithOwnerAccount } from "../support/owner-account.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ ownServer: true });
let slapd: Slapd | undefined;
beforeAll(async () => void (slapd = slapdMissing === undefined ? await startSlapd() : undefined));
afterAll(async () => await slapd?.close());

/** The test run installs it on Debian as root; `slapdMissing` says what is missing elsewhere. */
test.skipIf(slapdMissing !== undefined)(
  "the owner adds a directory, and a guest signs in with it on a phone, with their chats",
  async () => {
    const { browser, server } = environment;
    const dn = await slapd!.addPerson("ada");
    await slapd!.addGroup("Engineers", [dn]);
    const { page } = await visitWithOwnerAccount(environment, { isOpen: true });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto("/admin/sign-in");
    await page.getByRole("link", { name: "Add a directory (LDAP)" }).click();
    await page.getByRole("button", { name: "Add directory" }).click();
    await page.getByText("Enter an address that begins with ldaps:// or ldap://.").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Work");
    await page.getByLabel("Address of the server").fill(slapd!.url);
    await page.getByLabel("Account that searches (DN)").fill(bindDn);
    await page.getByLabel("Password of this account").fill("wrong");
    await page.getByLabel("Search people below").fill(`ou=people,${base}`);
    await page.getByLabel("Attribute that names groups (optional)").fill("memberOf");
    await page.getByRole("checkbox", { name: "Everyone in this directory" }).check();
    const run = page.getByRole("button", { name: "Test connection" });
    await run.click();
    await page.getByText("The server’s certificate isn’t valid").waitFor();
    await page.getByRole("checkbox", { name: "Encrypt with StartTLS" }).uncheck();
    await run.click();
    await page.getByText("The directory refuses the account that searches.").waitFor();
    await page.getByLabel("Password of this account").fill(bindPassword);
    await page.getByLabel("User name to look for").fill("ada");
    await run.click();
    await page.getByText(`Found ${dn}.`).waitFor();
    await page.getByText("Engineers").waitFor();
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth),
    ).toBe(false);
    await page.getByRole("button", { name: "Add directory" }).click();
    await page.getByText("People can now sign in with Work.").waitFor();

    const ada = await visit(browser, server.url, { width: 390, networkErrorsExpected: true });
    await chat(ada.page).ask("Written as a guest tokens=3");
    await chat(ada.page).settled();
    await ada.page.goto("/sign-in");
    await ada.page.getByRole("button", { name: "Continue with Work" }).click();
    const dialog = ada.page.getByRole("dialog");
    await dialog.getByLabel("User name").fill("ada");
    await dialog.getByLabel("Password").fill("wrong");
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.getByText("The user name or the password is wrong.").waitFor();
    await dialog.getByLabel("Password").fill("ada password");
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await ada.page.waitForURL(`${server.url}/`);
    await ada.page.goto("/search?q=guest");
    await ada.page.getByText("Written as a guest").first().waitFor();
    await ada.end();

    await page.getByRole("link", { name: "Work" }).click();
    expect(await page.getByLabel("Search people below").inputValue()).toBe(`ou=people,${base}`);
    await page.getByLabel("Name", { exact: true }).fill("Office");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("link", { name: "Office" }).waitFor();
  },
);
