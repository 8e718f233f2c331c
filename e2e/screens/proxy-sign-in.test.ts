import { expect, test } from "vitest";
import { startEnvironment } from "../support/environment.ts";
import { visitWithOwnerAccount } from "../support/owner-account.ts";

const environment = startEnvironment({
  model: false,
  env: { PROXY_SIGN_IN_ADDRESSES: "127.0.0.1", PROXY_SIGN_IN_CONNECTS_ACCOUNTS: "on" },
});

test("somebody who signed in at the proxy continues with one button", async () => {
  const { url } = environment.server;
  const olga = await visitWithOwnerAccount(environment);
  const { page } = olga;
  const signOut = async () => {
    await page.goto("/settings/account");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(`${url}/sign-in`);
    await page.getByLabel("E-mail address").waitFor();
  };
  const signInAtProxy = async () => {
    await page.goto("/sign-in");
    await page.getByRole("button", { name: "Continue as olga@example.com" }).click();
    await page.waitForURL(`${url}/`);
  };
  // An owner connects the account while signed in to it.
  await olga.context.setExtraHTTPHeaders({ "X-Forwarded-Email": "olga@example.com" });
  await signInAtProxy();
  await olga.context.setExtraHTTPHeaders({});
  await signOut();
  expect(await page.getByRole("button", { name: /Continue as/ }).count()).toBe(0);

  await olga.context.setExtraHTTPHeaders({ "X-Forwarded-Email": "olga@example.com" });
  await signInAtProxy();
  await page.goto("/settings/account");
  await page.getByLabel("Name", { exact: true }).waitFor();
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Olga");
  const proxy = page.getByRole("listitem").filter({ hasText: "Sign-in proxy" });
  await proxy.getByText("olga@example.com").waitFor();
  await page.goto("/admin/people");
  await page.getByText("Proxy: olga@example.com").waitFor();
  await page.goto("/settings/account");
  await proxy.getByRole("button", { name: "Disconnect Sign-in proxy" }).click();
  await page.getByText("Disconnected.").waitFor();
  await expect.poll(async () => await proxy.count()).toBe(0);
});
