import type { BrowserContext, Page } from "playwright-core";
import { expect, test } from "vitest";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ model: false });
// Browsers allow no passkeys at IP addresses.
const atLocalhost = (url: string) => url.replace("127.0.0.1", "localhost");

/** Chromium's virtual authenticator, which agrees at once to each request. */
async function addAuthenticator(context: BrowserContext, page: Page) {
  const devtools = await context.newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    setVerified: async (isUserVerified: boolean) =>
      await devtools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified }),
    count: async () =>
      (await devtools.send("WebAuthn.getCredentials", { authenticatorId })).credentials.length,
  };
}

test("the first account has a passkey, with which the owner signs in, and gets another one", async () => {
  const url = atLocalhost(environment.server.url);
  const olga = await visit(environment.browser, url, {
    path: atLocalhost(environment.server.ownerLink),
    networkErrorsExpected: true,
  });
  const { page } = olga;
  await page.waitForURL(`${url}/`);
  const authenticator = await addAuthenticator(olga.context, page);
  await page.goto("/sign-up");
  await page.getByLabel("Name", { exact: true }).fill("Olga");
  await page.getByLabel("E-mail address").fill("olga@example.com");
  await page.getByRole("button", { name: "Use a passkey instead" }).click();
  await page.getByRole("button", { name: "Create your account with a passkey" }).click();
  await page.waitForURL(`${url}/`);
  expect(await authenticator.count()).toBe(1);

  await page.goto("/settings/account");
  await page.getByText("Not used yet").waitFor();
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByText("This device already has a passkey of your account.").waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(`${url}/sign-in`);

  await authenticator.setVerified(false);
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByText("No passkey was used.").waitFor();
  await authenticator.setVerified(true);
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.waitForURL(`${url}/`);
  await page.goto("/settings/account");
  await page.getByText(/^Last used/).waitFor();
  await page.getByRole("button", { name: "Remove Passkey" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByText("This is the only way to sign in").waitFor();

  // With a password, the passkey is no longer the only way.
  await page.getByLabel("New password").fill("correct horse battery");
  await page.getByRole("button", { name: "Set password" }).click();
  await page.getByText("Password changed.").waitFor();
  await page.getByLabel("Current password").last().waitFor();
  await page.getByRole("button", { name: "Remove Passkey" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByText("Passkey removed.").waitFor();
});

test("the page says where passkeys are not possible", async () => {
  const ada = await visit(environment.browser, environment.server.url, {
    path: "/sign-in",
    networkErrorsExpected: true,
  });
  await ada.page.getByText("Passkeys need an address with https and a host name.").waitFor();
  expect(await ada.page.getByRole("button", { name: "Sign in with a passkey" }).count()).toBe(0);
});
