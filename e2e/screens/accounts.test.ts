import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ ownServer: true });
const password = "correct horse battery";

async function fillIn(page: Page, fields: Record<string, string>, button: string): Promise<void> {
  for (const [label, text] of Object.entries(fields))
    await page.getByLabel(label, { exact: true }).fill(text);
  await page.getByRole("main").getByRole("button", { name: button, exact: true }).click();
}

const meOf = async (page: Page) =>
  await page.evaluate(async () => {
    const answer = await fetch("/v1/auth/me", { headers: { "Parlance-Client": "web" } });
    return (await answer.json()) as { role: string; email: string | null; user_id: string };
  });

test("the owner creates the first account, signs out and in again, and changes the password", async () => {
  const olga = await visit(environment.browser, environment.server.url, {
    path: environment.server.ownerLink,
    networkErrorsExpected: true,
    asksForAccount: true,
  });
  await olga.page.getByRole("heading", { name: "Create your account" }).waitFor();
  await olga.page.getByRole("button", { name: "Continue without an account" }).click();
  await olga.page.waitForURL(`${environment.server.url}/`);
  // The link does not ask again.
  await olga.page.goto(environment.server.ownerLink);
  await olga.page.waitForURL(`${environment.server.url}/`);
  await chat(olga.page).ask("Before the account tokens=3");
  await chat(olga.page).settled();
  await olga.page.goto("/settings/account");
  await olga.page.getByRole("main").getByRole("link", { name: "Create your account" }).click();
  await fillIn(
    olga.page,
    { Name: "Olga", "E-mail address": "olga@", "New password": "short" },
    "Create your account",
  );
  await olga.page.getByText("Use at least 8 characters.").waitFor();
  await olga.page.getByText("Anyone who can open it").click();
  await fillIn(
    olga.page,
    { Name: "Olga", "E-mail address": "olga@example.com", "New password": password },
    "Create your account",
  );
  await olga.page.waitForURL(`${environment.server.url}/`);
  const { threads } = chat(olga.page);
  await threads.getByRole("listitem").first().waitFor();
  expect(await meOf(olga.page)).toMatchObject({ role: "owner", email: "olga@example.com" });

  // The link no longer signs anybody in.
  const eve = await visit(environment.browser, environment.server.url, {
    path: environment.server.ownerLink,
    networkErrorsExpected: true,
  });
  await eve.page.getByRole("button", { name: "Sign in" }).click();
  await eve.page.getByRole("heading", { name: "Sign in" }).waitFor();
  await eve.end();

  await olga.page.goto("/settings/account");
  await olga.page.getByRole("button", { name: "Sign out" }).click();
  await olga.page.waitForURL(`${environment.server.url}/sign-in`);
  await fillIn(olga.page, { "E-mail address": "olga@example.com", Password: "wrong horse" }, "Sign in");
  await olga.page.getByText("The e-mail address or the password is wrong.").waitFor();
  await fillIn(olga.page, { Password: password }, "Sign in");
  await olga.page.waitForURL(`${environment.server.url}/`);
  await threads.getByRole("listitem").first().waitFor();

  // Another browser is signed out when the password changes, and asks to sign in by itself.
  const phone = await visit(environment.browser, environment.server.url, {
    path: "/sign-in",
    networkErrorsExpected: true,
  });
  await fillIn(phone.page, { "E-mail address": "olga@example.com", Password: password }, "Sign in");
  await phone.page.waitForURL(`${environment.server.url}/`);
  await chat(phone.page).threads.getByRole("listitem").first().waitFor();
  await olga.page.goto("/settings/account");
  const change = olga.page.locator("form", { hasText: "Current password" }).last();
  await change.getByLabel("Current password").fill(password);
  await change.getByLabel("New password").fill("another horse battery");
  await change.getByRole("button", { name: "Change password" }).click();
  await olga.page.getByText("Password changed.").waitFor();
  await phone.page.waitForURL(/\/sign-in/);
  await phone.page.getByText("You have been signed out.").waitFor();
  expect(await meOf(phone.page)).toMatchObject({ code: "token-expired" });
  // Nothing of the person stays on the page.
  await expect.poll(() => chat(phone.page).threads.getByRole("listitem").count()).toBe(0);
  await phone.page.getByRole("button", { name: "Continue without an account" }).click();
  await chat(phone.page).composer.waitFor();
});

test("a sign-in returns to no address of another server (CVE-2025-59426)", async () => {
  const { url } = environment.server;
  const olga = await visit(environment.browser, url, { networkErrorsExpected: true });
  for (const to of [
    "https://evil.example",
    "//evil.example",
    String.raw`/\evil.example`,
    "/\t/evil.example",
    "javascript:alert(1)",
  ]) {
    await olga.context.clearCookies();
    await olga.page.goto(`/sign-in?to=${encodeURIComponent(to)}`);
    await fillIn(
      olga.page,
      { "E-mail address": "olga@example.com", Password: "another horse battery" },
      "Sign in",
    );
    await olga.page.waitForURL(`${url}/`);
    await chat(olga.page).composer.waitFor();
  }
});

test("a guest signs in while an answer is written, and keeps it, the draft and the other tab", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { ask, answers, threads, composer } = chat(ada.page);
  await ask("Written as a guest tokens=150 gap=60");
  await answers.first().getByText(/\w+/).first().waitFor();
  const second = await ada.tab("/");
  await chat(second).composer.fill("half a thought of a guest");
  await second.getByRole("link", { name: "Sign in" }).click();
  await fillIn(
    second,
    { "E-mail address": "olga@example.com", Password: "another horse battery" },
    "Sign in",
  );
  await second.waitForURL(`${environment.server.url}/`);
  await expect.poll(async () => await chat(second).composer.inputValue()).toBe("half a thought of a guest");
  // Both threads are there, in both tabs, and the answer goes on in the first one.
  for (const page of [ada.page, second])
    await expect.poll(async () => await chat(page).threads.getByRole("listitem").count()).toBe(2);
  await expect.poll(async () => (await answers.first().innerText()).split(/\s+/).length).toBeGreaterThan(140);
  expect(await meOf(ada.page)).toMatchObject({ role: "owner" });
  expect(await threads.getByRole("listitem").count()).toBe(2);
  expect(await composer.inputValue()).toBe("");
});

test("an administrator invites somebody who almost leaves again, suspends and deletes them, and reads it in the audit log", async () => {
  const { browser, server } = environment;
  const olga = await visit(browser, server.url, { path: "/sign-in", networkErrorsExpected: true });
  const signIn = { "E-mail address": "olga@example.com", Password: "another horse battery" };
  await fillIn(olga.page, signIn, "Sign in");
  await olga.page.waitForURL(`${server.url}/`);
  await olga.page.getByRole("link", { name: "Administration" }).click();
  await olga.page.getByRole("link", { name: "Invitations" }).click();
  await olga.page.getByLabel("Name (optional)").fill("Ben");
  await olga.page.getByRole("button", { name: "Create a link" }).click();
  const link = await olga.page.getByRole("textbox", { name: "Invitation link" }).inputValue();
  await olga.page.getByRole("button", { name: "Close" }).click();
  await olga.page.getByText("Ben", { exact: true }).waitFor();

  const ben = await visit(browser, server.url, { path: link, width: 390, networkErrorsExpected: true });
  await ben.page.getByText("Olga invited you to this server.").waitFor();
  expect(ben.page.url()).not.toContain("#");
  const account = { Name: "Ben", "E-mail address": "ben@example.com", "New password": password };
  await fillIn(ben.page, account, "Create your account");
  await ben.page.waitForURL(`${server.url}/`);
  expect(await meOf(ben.page)).toMatchObject({ role: "member" });

  // Ben wants to leave, and changes his mind.
  await ben.page.goto(`${server.url}/settings/account`);
  await ben.page.getByRole("button", { name: "Delete account…" }).click();
  await ben.page.getByRole("dialog").getByRole("button", { name: "Delete account" }).click();
  await ben.page.waitForURL(/\/sign-in/);
  await fillIn(ben.page, { "E-mail address": "ben@example.com", Password: password }, "Sign in");
  await ben.page.waitForURL(`${server.url}/`);

  // He is suspended in the middle of an answer.
  await chat(ben.page).ask("Tell me tokens=2000 gap=20");
  await chat(ben.page).answers.first().waitFor();
  await olga.page.getByRole("link", { name: "People", exact: true }).click();
  await olga.page.getByRole("searchbox").fill("ben@");
  await olga.page.getByRole("button", { name: "Actions for Ben" }).click();
  await olga.page.getByRole("menuitem", { name: "Suspend" }).click();
  await olga.page.getByRole("dialog").getByRole("button", { name: "Suspend" }).click();
  await olga.page.getByText("Suspended", { exact: true }).waitFor();
  await ben.page.waitForURL(/\/sign-in/);
  await fillIn(ben.page, { "E-mail address": "ben@example.com", Password: password }, "Sign in");
  await ben.page.getByText("This account is suspended.").waitFor();

  // He may only take his chats with him.
  const act = async (item: string) => {
    await olga.page.getByRole("button", { name: "Actions for Ben" }).click();
    await olga.page.getByRole("menuitem", { name: item }).click();
  };
  await act("End suspension");
  await olga.page.getByText("Suspended", { exact: true }).waitFor({ state: "detached" });
  await act("Delete account in 7 days");
  await olga.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await olga.page.getByText("Will be deleted on").waitFor();
  await ben.page.getByRole("main").getByRole("button", { name: "Sign in", exact: true }).click();
  await ben.page.getByRole("heading", { name: "Your account has been deleted" }).waitFor();
  const exporting = ben.page.waitForEvent("download");
  await ben.page.getByRole("button", { name: "Export", exact: true }).click();
  const zip = await readFile(await (await exporting).path());
  expect(zip.subarray(0, 2).toString()).toBe("PK");
  await ben.page.goto(`${server.url}/settings/account`);
  await ben.page.waitForURL(/\/leaving$/);
  await ben.page.getByRole("main").getByRole("button", { name: "Sign out" }).click();
  await ben.page.waitForURL((url) => url.pathname !== "/leaving");

  await olga.page.getByRole("link", { name: "Audit log" }).click();
  const entries = olga.page.getByRole("list", { name: "Audit log" }).getByRole("listitem");
  await entries.filter({ hasText: "Suspended someone" }).waitFor();
  await olga.page.getByLabel("Action", { exact: true }).selectOption({ label: "Created an invitation" });
  await expect
    .poll(async () => await entries.allInnerTexts())
    .toEqual([expect.stringContaining("Created an invitation")]);
  const downloading = olga.page.waitForEvent("download");
  await olga.page.getByRole("button", { name: "Download as JSON lines" }).click();
  const lines = await readFile(await (await downloading).path(), "utf8");
  expect(
    lines
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).action),
  ).toEqual(["invitation-created"]);
  await olga.page.getByLabel("Name or address").fill("nobody of this name");
  await olga.page.getByText("No entries match.").waitFor();
});
