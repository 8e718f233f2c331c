import { expect, test } from "vitest";
import { chat, showThreads } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visitWithOwnerAccount } from "../support/owner-account.ts";
import { visit, type Visit } from "../support/visit.ts";

const environment = startEnvironment({ ownServer: true });

/** Somebody who has just joined by an invitation of the owner. */
async function joinAs(olga: Visit, name: string, width: number): Promise<Visit> {
  const { link } = await olga.page.evaluate(async () => {
    const response = await fetch("/v1/invitations", {
      method: "POST",
      headers: { "Content-Type": "application/json", "Parlance-Client": "web" },
      body: JSON.stringify({ role: "member" }),
    });
    return (await response.json()) as { link: string };
  });
  const joined = await visit(environment.browser, environment.server.url, {
    path: new URL(link).pathname + new URL(link).hash,
    width,
    networkErrorsExpected: true,
  });
  const { page } = joined;
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("E-mail address").fill(`${name.toLowerCase()}@example.com`);
  await page.getByLabel("New password").fill("correct horse battery");
  await page.getByRole("button", { name: "Create your account", exact: true }).click();
  await page.waitForURL(`${environment.server.url}/`);
  return joined;
}

test("lets two people ask in one chat, one of them on a phone", async () => {
  const olga = await visitWithOwnerAccount(environment);
  const { page } = olga;
  const name = "Ben";
  const ben = await joinAs(olga, name, 390);
  await page.goto("/");
  await chat(page).ask("Where is the garden? tokens=6");
  await chat(page).settled();
  await page.waitForURL(/\/t\/thread_0/);
  await page
    .getByRole("main")
    .getByRole("button", { name: /^Actions for/ })
    .click();
  await page.getByRole("menuitem", { name: "Share…" }).click();
  const dialog = page.getByRole("dialog", { name: "Share chat" });
  await dialog.getByText("Only you can see this chat.").waitFor();
  await dialog.getByRole("searchbox").fill(`${name.toLowerCase()}@`);
  await dialog.getByRole("button", { name: new RegExp(`^Share with .*${name}`) }).waitFor();
  await dialog.getByRole("button", { name: new RegExp(`^Share with .*${name}`) }).click();
  await dialog.getByRole("combobox").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();

  // Ben has the page open, and the chat appears by itself.
  await showThreads(ben.page);
  await ben.page.getByRole("heading", { name: "Shared with me" }).waitFor();
  await ben.page.getByRole("region", { name: "Shared with me" }).getByRole("link").first().click();
  await ben.page.getByRole("heading", { name: /Olga/ }).waitFor();
  await ben.page.locator("input[data-attach]").setInputFiles("fixtures/files/garden.png");
  await ben.page.getByRole("button", { name: /^Remove .*garden\.png/ }).waitFor();

  await chat(ben.page).composer.pressSequentially("And the", { delay: 5 });
  await page.getByText(new RegExp(`${name}.* is typing`)).waitFor();
  await chat(ben.page).ask("And the shed?\ntokens=40 gap=40");
  // Both see the question, its author and the answer while it is written.
  const asked = page
    .getByRole("article")
    .filter({ has: page.getByRole("heading", { name: new RegExp(name) }) });
  await asked.getByText("And the shed?").waitFor();
  // The file that Ben attached belongs to the chat.
  await expect
    .poll(
      async () =>
        await asked
          .getByRole("img")
          .first()
          .evaluate((picture) => (picture as HTMLImageElement).naturalWidth),
    )
    .toBeGreaterThan(0);
  await chat(page).stopButton.waitFor();
  await chat(ben.page).settled();
  await chat(page).settled();
  await expect
    .poll(async () => [await chat(page).answers.count(), await chat(ben.page).answers.count()])
    .toEqual([2, 2]);

  // Only reading: the composer goes. Then nothing is left, but what was typed begins a new chat.
  await chat(ben.page).composer.fill("half a thought");
  await page
    .getByRole("main")
    .getByRole("button", { name: "People in this chat" })
    .or(page.getByRole("button", { name: "People in this chat" }))
    .first()
    .click();
  await dialog.getByRole("combobox").selectOption({ label: "Can read" });
  await ben.page.getByText(/You can read this chat. Ask .*Olga/).waitFor();
  await ben.page.goto("/shares");
  await ben.page.getByText(/Shared by .*Olga/).waitFor();
  await ben.page.goBack();
  await ben.page.getByText(/You can read this chat/).waitFor();
  await dialog.getByRole("button", { name: /^Stop sharing with/ }).click();
  await ben.page.getByText("Chat not found").waitFor();
  expect(await ben.page.getByRole("article").count()).toBe(0);
  await ben.page.getByRole("button", { name: "Start a new chat" }).click();
  await expect.poll(() => chat(ben.page).composer.inputValue()).toBe("half a thought");
  await dialog.getByText("Only you can see this chat.").waitFor();
  await ben.end();
  await page.setViewportSize({ width: 1280, height: 800 });
  await dialog.getByRole("button", { name: "Close" }).click();
});
