import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ ownServer: true });

test("shares a chat with a password and an expiry, which others read without JavaScript and continue", async () => {
  const { url, ownerLink } = environment.server;
  const olga = await visit(environment.browser, url, { path: ownerLink });
  const { page } = olga;
  await page.waitForURL(`${url}/`);
  await chat(page).ask("Where is the **garden**?");
  await chat(page).settled();
  await page
    .getByRole("button", { name: /^Actions for/ })
    .last()
    .click();
  await page.getByRole("menuitem", { name: "Share…" }).click();
  const dialog = page.getByRole("dialog", { name: "Share chat" });
  await dialog.getByText("No links yet.").waitFor();
  await dialog.getByLabel("Expires").selectOption({ label: "In 7 days" });
  await dialog.getByLabel("Password").fill("open sesame");
  await dialog.getByRole("button", { name: "Create link" }).click();
  await dialog.getByText("0 views").waitFor();
  await page.locator("button:focus", { hasText: "Copy link" }).waitFor();
  await page.keyboard.press("Enter");
  const link = await page.evaluate(async () => await navigator.clipboard.readText());
  expect(link).toMatch(/\/s\/[\w-]{32}$/);

  // A stranger's browser without scripts. The wrong password answers 403, which the browser reports.
  const context = await environment.browser.newContext({ javaScriptEnabled: false });
  const stranger = await context.newPage();
  await stranger.goto(link);
  await stranger.getByLabel("Password").fill("open says me");
  await stranger.getByRole("button", { name: "Open" }).click();
  await stranger.getByText("Wrong password.").waitFor();
  await stranger.getByLabel("Password").fill("open sesame");
  await stranger.getByRole("button", { name: "Open" }).click();
  await stranger.getByRole("article").getByText("Where is the **garden**?").waitFor();
  const onward = await stranger.getByRole("link", { name: "Continue in my own chats" }).getAttribute("href");
  await context.close();

  const guest = await visit(environment.browser, url, { path: onward! });
  await guest.page.getByRole("button", { name: "Copy the chat" }).click();
  await guest.page.waitForURL(/\/t\/thread_0/);
  await guest.page.getByText("Where is the **garden**?").first().waitFor();
  await chat(guest.page).ask("And the shed?");
  await chat(guest.page).settled();
  await guest.end();

  await dialog.getByRole("button", { name: "Close" }).click();
  await page.goto(`${url}/shares`);
  await page.getByText("1 view").waitFor();
  await page.getByRole("button", { name: /^Revoke the link/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText("You haven’t shared anything yet.").waitFor();
  expect((await fetch(link)).status).toBe(404);
});

test("shows later messages of a live view, and ends it when it is revoked", async () => {
  const { url, ownerLink } = environment.server;
  const olga = await visit(environment.browser, url, { path: ownerLink });
  const { page } = olga;
  await page.waitForURL(`${url}/`);
  await chat(page).ask("Who lives here?");
  await chat(page).settled();
  await page
    .getByRole("button", { name: /^Actions for/ })
    .last()
    .click();
  await page.getByRole("menuitem", { name: "Share…" }).click();
  const dialog = page.getByRole("dialog", { name: "Share chat" });
  await dialog.getByText("A live view").click();
  await dialog.getByRole("button", { name: "Create link" }).click();
  await dialog.getByRole("button", { name: /^Copy the link/ }).click();
  const link = await page.evaluate(async () => await navigator.clipboard.readText());
  await dialog.getByRole("button", { name: "Close" }).click();

  const reader = await visit(environment.browser, url, {
    path: new URL(link).pathname,
    networkErrorsExpected: true,
  });
  await reader.page.getByRole("article").first().getByText("Who lives here?").waitFor();
  await chat(page).ask("And who left?");
  await reader.page.getByRole("article").nth(2).getByText("And who left?").waitFor();
  await chat(page).settled();

  // A link that expires while somebody reads it.
  const expiring = await page.evaluate(async () => {
    const headers = { "Parlance-Client": "web", "Content-Type": "application/json" };
    const answer = await fetch("/v1/shares", {
      method: "POST",
      headers,
      body: JSON.stringify({
        thread_id: location.pathname.split("/").at(-1),
        is_live: true,
        expires_at: new Date(Date.now() + 8_000).toISOString(),
      }),
    });
    return ((await answer.json()) as { url: string }).url;
  });
  const late = await visit(environment.browser, url, {
    path: new URL(expiring).pathname,
    networkErrorsExpected: true,
  });
  await late.page.getByRole("article").first().getByText("Who lives here?").waitFor();
  await late.page.getByText("This link doesn’t work.", { exact: false }).waitFor();
  expect((await fetch(expiring)).status).toBe(404);
  await late.end();

  await page.goto(`${url}/shares`);
  await page
    .getByRole("button", { name: /^Revoke the link/ })
    .last()
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await reader.page.getByText("This link doesn’t work.", { exact: false }).waitFor();
});

test("lets readers of a live view switch branches with and without JavaScript", async () => {
  const { url, ownerLink } = environment.server;
  const olga = await visit(environment.browser, url, { path: ownerLink });
  const { page } = olga;
  await page.waitForURL(`${url}/`);
  await chat(page).ask("A river $\\color{red}r$\n\n```\nA path\n```\n\necho");
  await chat(page).settled();
  await chat(page).questions.first().hover();
  await chat(page).questions.first().getByRole("button", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Edit your message" }).fill("A garden\necho");
  await page.getByRole("textbox", { name: "Edit your message" }).press("Enter");
  await chat(page).questions.first().getByText("2 / 2").waitFor();
  await chat(page).settled();
  await page
    .getByRole("button", { name: /^Actions for/ })
    .first()
    .click();
  await page.getByRole("menuitem", { name: "Share…" }).click();
  const dialog = page.getByRole("dialog", { name: "Share chat" });
  await dialog.getByText("A live view").click();
  await dialog.getByText("Include all versions").click();
  await dialog.getByRole("button", { name: "Create link" }).click();
  await dialog.getByRole("button", { name: /^Copy the link/ }).click();
  const link = await page.evaluate(async () => await navigator.clipboard.readText());
  await dialog.getByRole("button", { name: "Close" }).click();

  const scripted = await visit(environment.browser, url, { path: new URL(link).pathname });
  const context = await environment.browser.newContext({ javaScriptEnabled: false });
  const plain = await context.newPage();
  await plain.goto(link);
  for (const reader of [scripted.page, plain]) {
    const [question, answer] = [reader.getByRole("article").first(), reader.getByRole("article").nth(1)];
    await answer.getByText("A garden").waitFor();
    await question.getByRole("link", { name: "Previous version" }).click();
    await answer.getByText("A river").waitFor();
    expect(await reader.getByRole("article").getByText("A garden").count()).toBe(0);
    // The policy of the page allows no styles in formulas and code.
    const formula = answer.locator("math mi");
    expect(await formula.evaluate((each) => getComputedStyle(each).color)).toBe("rgb(255, 0, 0)");
  }
  await chat(page).questions.first().getByRole("button", { name: "Previous version" }).click();
  await chat(page).answers.first().getByText("A river").waitFor();
  await chat(page).ask("And its mouth?\necho");
  // The live view follows the branch that its reader has chosen.
  await scripted.page.getByRole("article").nth(3).getByText("And its mouth?").waitFor();
  for (const reader of [scripted.page, plain]) {
    await reader.getByRole("article").first().getByRole("link", { name: "Next version" }).click();
    await reader.getByRole("article").nth(1).getByText("A garden").waitFor();
    expect(await reader.getByRole("article").getByText("A river").count()).toBe(0);
  }
  await chat(page).settled();
  await context.close();
  await Promise.all([scripted.end(), olga.end()]);
});

test("offers no sharing to a guest", async () => {
  const guest = await visit(environment.browser, environment.server.url);
  await chat(guest.page).ask("May I?");
  await chat(guest.page).settled();
  await guest.page
    .getByRole("button", { name: /^Actions for/ })
    .last()
    .click();
  await guest.page.getByRole("menuitem", { name: "Rename" }).waitFor();
  expect(await guest.page.getByRole("menuitem", { name: "Share…" }).count()).toBe(0);
});
