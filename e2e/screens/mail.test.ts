import { afterAll, beforeAll, expect, test } from "vitest";
import { readableText, startMailServer, type MailServer } from "#fixtures/mail/mail-server.ts";
import { freePort } from "../../tests/support/postgres/postgres-cluster.ts";
import { startEnvironment } from "../support/environment.ts";
import { visitWithOwnerAccount } from "../support/owner-account.ts";
import { visit } from "../support/visit.ts";

const port = String(await freePort());
const environment = startEnvironment({
  model: false,
  env: { PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}` },
});
const login = { user: "chat", password: "p4ss" };
let mails: MailServer;
beforeAll(async () => {
  mails = await startMailServer({ login });
});
afterAll(async () => await mails.close());

test("the owner sets up e-mail, invites somebody with it, and gets a link for a forgotten password", async () => {
  const { url } = environment.server;
  const olga = await visitWithOwnerAccount(environment);
  const { page } = olga;

  await page.goto("/admin/sign-in");
  const section = page.getByRole("region", { name: "E-mail", exact: true });
  await section.getByLabel("Mail server").fill("127.0.0.1");
  const portField = section.getByLabel("Port");
  await section.getByLabel("Encryption").selectOption("starttls");
  expect(await portField.inputValue()).toBe("587");
  await portField.fill(String(mails.port));
  await section.getByLabel("Encryption").selectOption("none");
  // A port that somebody has entered stays.
  expect(await portField.inputValue()).toBe(String(mails.port));
  await portField.fill("99999");
  await section.getByRole("button", { name: "Save" }).click();
  await section.getByText("Enter a number from 1 to 65535.").waitFor();
  await portField.fill(String(mails.port));
  await section.getByLabel("User name").fill(login.user);
  await section.getByLabel("Password").fill("wrong");
  await section.getByLabel("Sender’s address").fill("chat@example.com");
  await section.getByRole("button", { name: "Save" }).click();
  await section.getByRole("button", { name: "Send a test message" }).click();
  await section.getByText("The server refuses the user name or the password.").waitFor();
  await section.getByLabel("Password").fill(login.password);
  await section.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").last().waitFor();
  await section.getByRole("button", { name: "Send a test message" }).click();
  await section.getByText("Sent to olga@example.com.").waitFor();
  await mails.take("olga@example.com");

  await page.goto("/admin/invitations");
  await page.getByLabel("E-mail address (optional)").fill("ben@example.com");
  await page.getByRole("button", { name: "Send invitation" }).click();
  await page.getByText("Invitation sent to ben@example.com.").waitFor();
  expect(readableText(await mails.take("ben@example.com"))).toContain("Olga invited you");

  await page.goto("/settings/account");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(`${url}/sign-in`);
  await page.getByLabel("E-mail address").fill("olga@example.com");
  await page.getByRole("button", { name: "Forgot your password?" }).click();
  await page.getByRole("button", { name: "Send link" }).click();
  await page.getByText("If there’s an account with this address").waitFor();
  const [, link] = /(\/reset#reset_0\w{48})/.exec(readableText(await mails.take("olga@example.com")))!;
  await page.goto(link!);
  await page.getByLabel("New password").fill("another horse battery");
  await page.getByRole("button", { name: "Set password" }).click();
  await page.waitForURL(`${url}/`);
});

test("somebody with an address of an allowed domain creates an account and comes in by the link in the e-mail", async () => {
  const { browser, server } = environment;
  const olga = await visit(browser, server.url, { path: "/sign-in", networkErrorsExpected: true });
  await olga.page.getByLabel("E-mail address").fill("olga@example.com");
  await olga.page.getByLabel("Password").fill("another horse battery");
  await olga.page.getByRole("button", { name: "Sign in", exact: true }).click();
  await olga.page.waitForURL(`${server.url}/`);
  await olga.page.goto("/admin/sign-in");
  await olga.page.getByLabel("E-mail domains").fill("corp.example");
  await olga.page.getByRole("button", { name: "Save" }).first().click();
  await olga.page.getByText("Saved.").waitFor();
  await olga.end();

  const kim = await visit(browser, server.url, { path: "/sign-in", networkErrorsExpected: true });
  const { page } = kim;
  await page.getByRole("link", { name: "Create your account" }).click();
  await page.getByText("Only e-mail addresses of certain domains").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("Kim");
  const address = page.getByLabel("E-mail address");
  await address.fill("kim@other.example");
  await page.getByLabel("New password").fill("correct horse battery");
  const create = page.getByRole("button", { name: "Create your account", exact: true });
  await create.click();
  await page.getByText("You need an invitation").waitFor();
  await address.fill("kim@corp.example");
  await create.click();
  await page.getByRole("heading", { name: "Check your e-mail" }).waitFor();
  await mails.take("kim@corp.example");

  // The e-mail was lost.
  await page.goto("/sign-in");
  await address.fill("kim@corp.example");
  await page.getByLabel("Password").fill("correct horse battery");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByText("A new link was sent").waitFor();
  const text = readableText(await mails.take("kim@corp.example"));
  await page.goto(/(\/sign-in#confirm_0\w{48})/.exec(text)![1]!);
  await page.reload();
  await page.getByText("Sign in to confirm your e-mail address.").waitFor();
  await address.fill("kim@corp.example");
  await page.getByLabel("Password").fill("correct horse battery");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL(`${server.url}/`);
  await page.goto("/settings/account");
  await page.getByText("kim@corp.example").first().waitFor();
});
