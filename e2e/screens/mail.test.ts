import { afterAll, beforeAll, expect, test } from "vitest";
import { readableText, startMailServer, type MailServer } from "#fixtures/mail/mail-server.ts";
import { freePort } from "../../tests/support/postgres/postgres-cluster.ts";
import { startEnvironment } from "../support/environment.ts";
import { visitWithOwnerAccount } from "../support/owner-account.ts";

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
  await section.getByLabel("Mail server").fill("mail.example.com");
  await page.getByRole("link", { name: "Audit log" }).click();
  const question = page.getByRole("dialog", { name: "Leave" });
  await question.getByRole("button", { name: "Stay" }).click();
  expect(await section.getByLabel("Mail server").inputValue()).toBe("mail.example.com");
  await page.getByRole("link", { name: "Audit log" }).click();
  await question.getByRole("button", { name: "Leave" }).click();
  await page.getByRole("heading", { name: "Audit log" }).waitFor();

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
  await olga.end();
});
