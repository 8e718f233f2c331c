import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { chat } from "../support/chat.ts";
import { startCountingProxy } from "../support/counting-proxy.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ ownServer: true });

async function createAccount(page: Page, name: string): Promise<void> {
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("E-mail address", { exact: true }).fill(`${name.toLowerCase()}@example.com`);
  await page.getByLabel("New password").fill("correct horse battery");
  await page.getByRole("main").getByRole("button", { name: "Create your account" }).click();
  await page.waitForURL(`${environment.server.url}/`);
}

test("an administrator limits members and gives a group more, on a phone, and the member’s page follows", async () => {
  const { browser, server } = environment;
  const olga = await visit(browser, server.url, { path: server.ownerLink, networkErrorsExpected: true });
  const { page } = olga;
  await page.waitForURL(`${server.url}/`);
  await page.goto("/sign-up");
  await page.getByText("Anyone who can open it").click();
  await createAccount(page, "Olga");
  await page.goto("/admin/invitations");
  await page.getByRole("button", { name: "Create a link" }).click();
  const link = await page.getByRole("textbox", { name: "Invitation link" }).inputValue();
  const ada = await visit(browser, server.url, { path: link, networkErrorsExpected: true });
  await createAccount(ada.page, "Ada");
  await ada.page.getByRole("button", { name: "Attach files" }).waitFor();

  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/admin/groups");
  await page.getByText("No groups yet.").waitFor();
  await page.getByRole("link", { name: "Members" }).click();
  await page.getByText("Only these models").click();
  await page.getByText("No model is chosen, so this allows none.").waitFor();
  await page.getByRole("checkbox", { name: "Built-in assistant" }).check();
  await page.getByLabel("A model that isn’t listed").fill("env/embed-1");
  await page.getByLabel("A model that isn’t listed").press("Enter");
  // A change of mind keeps the selection.
  await page.getByText("All models").click();
  await page.getByText("Only these models").click();
  expect(await page.getByRole("checkbox", { name: "Built-in assistant" }).isChecked()).toBe(true);
  await page.getByRole("checkbox", { name: "env/embed-1" }).click();
  await page.getByRole("checkbox", { name: "Upload files" }).uncheck();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved").waitFor();

  // Her open page follows.
  await ada.page.getByRole("button", { name: "Attach files" }).waitFor({ state: "detached" });
  await ada.page.getByRole("button", { name: /^Model:/ }).waitFor({ state: "detached" });
  await chat(ada.page).ask("Who are you?");
  await chat(ada.page).settled();
  expect(environment.model.requests.filter(({ method }) => method === "POST")).toEqual([]);
  expect(await ada.page.getByRole("button", { name: "Attach files" }).count()).toBe(0);
  // There is no choice of models any more.
  expect(await ada.page.getByRole("button", { name: /^Model:/ }).count()).toBe(0);

  await page.getByRole("link", { name: "New group" }).click();
  await page.getByRole("button", { name: "Create group" }).click();
  await page.getByText("Enter a name.").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("Testers");
  await page.getByText("All models").click();
  await page.getByRole("button", { name: "Create group" }).click();
  await page.getByRole("heading", { name: "Testers" }).waitFor();
  await page.getByRole("searchbox", { name: "Find or add people" }).fill("ada@");
  await page.getByRole("button", { name: "Add Ada" }).click();
  await page.getByRole("button", { name: "Remove Ada" }).waitFor();

  const people = await page.context().newPage();
  await people.goto(`${server.url}/admin/people`);
  await people.getByText("olga@example.com").waitFor();
  await people.getByLabel("Group", { exact: true }).selectOption("Testers");
  await people.getByText("olga@example.com").waitFor({ state: "detached" });
  await people.getByText("ada@example.com").waitFor();
  await people.getByText("In Testers").waitFor();
  await people.close();

  await ada.page.getByRole("button", { name: /^Model:/ }).click();
  await ada.page.getByRole("menuitemradio", { name: /fixture-1/ }).waitFor();
  await ada.end();

  await page.getByRole("button", { name: "Delete group" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No groups yet.").waitFor();
  // The event stream of this page connects only after the change.
  const streams = Promise.withResolvers<void>();
  const proxy = await startCountingProxy(server.url, async (request) => {
    if (request.startsWith("GET /v1/live")) await streams.promise;
  });
  const guest = await visit(browser, proxy.url, { networkErrorsExpected: true });
  await guest.page.getByRole("button", { name: "Attach files" }).waitFor();
  // A form has what another administrator has just saved.
  const tab = await page.context().newPage();
  await tab.goto(`${server.url}/admin/groups/guest`);
  await tab.getByRole("checkbox", { name: "Upload files" }).uncheck();
  await tab.getByRole("button", { name: "Save" }).click();
  await tab.getByText("Saved").waitFor();
  await tab.close();
  streams.resolve();
  await guest.page.getByRole("button", { name: "Attach files" }).waitFor({ state: "detached" });
  await guest.end();
  await proxy.close();
  await page.getByRole("link", { name: /^Guests/ }).click();
  const upload = page.getByRole("checkbox", { name: "Upload files" });
  await upload.waitFor();
  expect(await upload.isChecked()).toBe(false);
  await page.getByRole("link", { name: "Groups", exact: true }).last().click();
  const links = page.getByRole("checkbox", { name: "People can share chats by link" });
  await Promise.all([page.waitForResponse(/\/v1\/access-settings$/), links.click()]);
  await page.reload();
  await links.waitFor();
  expect(await links.isChecked()).toBe(false);
});
