import { visit } from "./visit.ts";
import type { Environment } from "./environment.ts";

export const ownerPassword = "correct horse battery";

/**
 * Opens the owner's link in a new browser and creates the owner's account, olga@example.com. `isOpen`: for tests with
 * guests after that. `service`: another origin that the page may go to.
 */
export async function visitWithOwnerAccount(
  { browser, server }: Environment,
  { isOpen = false, service }: { isOpen?: boolean; service?: string } = {},
) {
  const olga = await visit(browser, server.url, {
    path: server.ownerLink,
    networkErrorsExpected: true,
    asksForAccount: true,
    ...(service === undefined ? {} : { service }),
  });
  const { page } = olga;
  await page.getByLabel("Name", { exact: true }).fill("Olga");
  await page.getByLabel("E-mail address").fill("olga@example.com");
  await page.getByLabel("New password").fill(ownerPassword);
  if (isOpen) await page.getByText("Anyone who can open it").click();
  await page.getByRole("button", { name: "Create your account", exact: true }).click();
  await page.waitForURL(`${server.url}/`);
  return olga;
}
