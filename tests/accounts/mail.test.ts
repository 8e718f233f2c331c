import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listenLocally } from "#fixtures/local-server.ts";
import type { BodyInputOf } from "#contract/api.ts";
import { limits } from "#contract/limits.ts";
import { readableText, startMailServer, type MailServer } from "#fixtures/mail/mail-server.ts";
import { createOwner, join, openBrowser, password, type Browser } from "../support/clients/browser.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { describeServer, startTestServer } from "../support/servers/server.ts";

const login = { user: "chat", password: "p4ss of the mail server" };

const publicUrl = "http://chat.example.com";
const settings = { PUBLIC_URL: publicUrl };

describeServer("e-mail", { settings }, (server) => {
  let owner: Browser;
  let mails: MailServer;
  beforeAll(async () => {
    owner = await createOwner(server());
    mails = await startMailServer({ login });
  });
  afterAll(async () => await mails.close());

  const body = (change: Partial<BodyInputOf<"mail.put">> = {}): BodyInputOf<"mail.put"> => ({
    host: "127.0.0.1",
    port: mails.port,
    security: "none",
    username: login.user,
    sender: "chat@example.com",
    ...change,
  });
  const put = async (change?: Partial<BodyInputOf<"mail.put">>) =>
    await owner.ask("mail.put", { body: body(change) });
  const testMail = async () => await owner.call("mail.test", { body: { language: "en" } });
  const request = async (email: string, language: "en" | "ar" = "en") =>
    await openBrowser(server().url).post("accounts.requestReset", { email, language });

  test("is not sent before the owner has entered a mail server", async () => {
    expect((await server().guest.call("accounts.options")).mails).toBe(false);
    expectProblem(await request("olga@example.com"), "mail-not-set");
    await owner.fails("mail-not-set", "mail.test", { body: { language: "en" } });
    await owner.fails("mail-not-set", "invitations.create", {
      body: { role: "member", email: "ben@example.com" },
    });
    expect(mails.received).toEqual([]);
  });

  test("is set up by owners only, and keeps its password to itself and to its server", async () => {
    const admin = await join(owner, { email: "admin@example.com", role: "admin" });
    for (const name of ["mail.get", "mail.remove"] as const) await admin.fails("not-allowed", name);
    await admin.fails("not-allowed", "mail.put", { body: body() });
    expectProblem(await put(), "bad-request");
    expect((await put({ password: login.password })).status).toBe(200);
    expect((await owner.call("mail.get")).settings).toEqual({ ...body(), has_password: true });
    const stored = await rawSql(server().place, async (run) => await run("select * from mail_secrets"));
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(login.password);
    // With another server or user, the password has to be entered again.
    for (const change of [{ host: "evil.example" }, { port: 26 }, { username: "eve" }])
      expectProblem(await put(change), "bad-request");
    expect((await put({ sender: "parlance@example.com" })).status).toBe(200);
    expect((await server().guest.call("accounts.options")).mails).toBe(true);
  });

  test("is tested with a message to the owner, and says what is wrong", async () => {
    expect(await testMail()).toEqual({ problem: null, server_text: null, to: "olga@example.com" });
    const { from, source } = await mails.take("olga@example.com");
    expect([from, /^Subject: Test message from /m.test(source)]).toEqual(["parlance@example.com", true]);
    await put({ password: "wrong" });
    expect(await testMail()).toMatchObject({
      problem: "login-refused",
      server_text: expect.stringContaining("Invalid username or password") as string,
    });
    await put({ host: "nowhere.invalid", password: "x" });
    expect(await testMail()).toMatchObject({ problem: "host-not-found" });
    await put({ port: 1, password: "x" });
    expect(await testMail()).toMatchObject({ problem: "connection-refused" });
    await put({ security: "starttls", password: login.password });
    expect(await testMail()).toMatchObject({ problem: "not-encrypted" });
    await put({ security: "tls", password: login.password });
    expect(await testMail()).toMatchObject({ problem: "not-encrypted" });
    const pem = await readFile("e2e/support/self-signed.pem", "utf8");
    // `mail-tls.test.ts` has those whose certificate is trusted.
    for (const security of ["tls", "starttls"] as const) {
      const isTls = security === "tls";
      const encrypted = await startMailServer({ certificate: { key: pem, cert: pem }, isTls });
      await put({ port: encrypted.port, security, username: null });
      expect(await testMail()).toMatchObject({ problem: "certificate" });
      expect(encrypted.received).toEqual([]);
      await encrypted.close();
    }
    await put({ password: login.password });
    expect((await testMail()).problem).toBeNull();
    await mails.take("olga@example.com");
  });

  test("names PUBLIC_URL in its links, whatever Host the request has", async () => {
    await join(owner, { email: "abe@example.com" });
    const forged = openBrowser(server().url, { Host: "203.0.113.5" });
    expect(
      (await forged.post("accounts.requestReset", { email: "abe@example.com", language: "en" })).status,
    ).toBe(200);
    const mail = readableText(await mails.take("abe@example.com"));
    expect(mail).toContain(`${publicUrl}/reset#reset_0`);
    expect(mail).not.toContain("203.0.113.5");
  });

  test("brings a link to set a new password, which works once, within an hour", async () => {
    const ada = await join(owner, { email: "Ada@example.com" });
    const answer = await request("ada@EXAMPLE.com");
    expect([answer.status, answer.text]).toEqual([200, "{}"]);
    const mail = readableText(await mails.take("Ada@example.com"));
    expect(mail).toContain("Subject: Set a new password");
    expect(mail).toContain('<html lang="en" dir="ltr">');
    const [link, token] = /(http:\S+\/reset#(reset_0\w{48}))/.exec(mail)!.slice(1) as [string, string];
    expect(mail.split(link)).toHaveLength(4);
    const use = async () =>
      await openBrowser(server().url).post("accounts.resetPassword", { token, password: "a new horse" });
    expect((await use()).status).toBe(200);
    expectProblem(await use(), "reset-link-invalid");
    await ada.fails("token-expired", "auth.me");

    await request("ada@example.com", "ar");
    const late = await mails.take("Ada@example.com");
    expect(late.source).toContain('<html lang=3D"ar" dir=3D"rtl">');
    server().clock.advance(limits.mailedResetLinkMs + 60_000);
    const [, lateToken] = /#(reset_0\w{48})/.exec(readableText(late))!;
    expectProblem(
      await openBrowser(server().url).post("accounts.resetPassword", {
        token: lateToken!,
        password: "a new horse",
      }),
      "reset-link-invalid",
    );
  });

  test("brings links that end when the address changes", async () => {
    const dot = await join(owner, { email: "dot@example.com" });
    await request("dot@example.com");
    const [, token] = /#(reset_0\w{48})/.exec(readableText(await mails.take("dot@example.com")))!;
    await dot.call("accounts.update", { body: { email: "dora@example.com", password } });
    expectProblem(
      await openBrowser(server().url).post("accounts.resetPassword", {
        token: token!,
        password: "a new horse",
      }),
      "reset-link-invalid",
    );
  });

  test("gives strangers the same answer, and sends nothing to them, to guests and to suspended people", async () => {
    const sus = await join(owner, { email: "sus@example.com" });
    const { user_id: id } = await sus.call("auth.me");
    await owner.call("people.update", { params: { person_id: id }, body: { is_suspended: true } });
    const before = mails.received.length;
    for (const email of ["nobody@example.com", "sus@example.com", "a,olga@example.com"]) {
      const answer = await request(email);
      expect([answer.status, answer.text]).toEqual([200, "{}"]);
    }
    expectProblem(await request("not an address"), "bad-request");
    await join(owner, { email: "last@example.com" });
    await request("last@example.com");
    await mails.take("last@example.com");
    expect(mails.received).toHaveLength(before + 1);
    const foreign = await openBrowser(server().url).ask("accounts.requestReset", {
      body: { email: "olga@example.com", language: "en" },
      headers: { "Sec-Fetch-Site": "cross-site" },
    });
    expectProblem(foreign, "not-allowed", "origin-not-allowed");
  });

  test("floods nobody, and leaves the link of an administrator as it is", async () => {
    const bea = await join(owner, { email: "bea@example.com" });
    const { user_id: id } = await bea.call("auth.me");
    // Made before there was a mail server.
    await owner.call("mail.remove");
    const { link } = await owner.call("people.createResetLink", { params: { person_id: id } });
    await put({ password: login.password });
    for (let number = 0; number < limits.resetMails + 2; number++)
      expect((await request("bea@example.com")).status).toBe(200);
    for (let number = 0; number < limits.resetMails; number++) await mails.take("bea@example.com");
    // Sent after the others, so those that are not sent would have arrived.
    await request("last@example.com");
    await mails.take("last@example.com");
    expect(mails.received.filter(({ to }) => to.includes("bea@example.com"))).toHaveLength(limits.resetMails);
    const used = await openBrowser(server().url).post("accounts.resetPassword", {
      token: link!.split("#")[1]!,
      password: "a new horse",
    });
    expect(used.status).toBe(200);
  });

  test("brings the link that an administrator asks for to the person only", async () => {
    const fay = await join(owner, { email: "fay@example.com" });
    await fay.call("profile.update", { body: { language: "ar" } });
    const params = { person_id: (await fay.call("auth.me")).user_id };
    expect((await owner.call("people.createResetLink", { params })).is_mailed).toBe(true);
    const [, earlier] = /#(reset_0\w{48})/.exec(readableText(await mails.take("fay@example.com")))!;
    const answer = await owner.call("people.createResetLink", { params });
    expect(answer).toEqual({ link: null, is_mailed: true });
    const late = { token: earlier!, password: "a new horse" };
    expectProblem(await fay.post("accounts.resetPassword", late), "reset-link-invalid");
    const mail = await mails.take("fay@example.com");
    expect(mail.source).toContain('<html lang=3D"ar" dir=3D"rtl">');
    const [, token] = /#(reset_0\w{48})/.exec(readableText(mail))!;
    const used = await fay.post("accounts.resetPassword", { token: token!, password: "a new horse" });
    expect(used.status).toBe(200);
    const refused = await join(owner, { email: "refused@example.com" });
    const other = { person_id: (await refused.call("auth.me")).user_id };
    await owner.call("mail.remove");
    const { link } = await owner.call("people.createResetLink", { params: other });
    await put({ password: login.password });
    expect(await owner.call("people.createResetLink", { params: other })).toEqual({
      link: null,
      is_mailed: false,
    });
    // A link that was not delivered does not end one that the person has.
    const before = { token: link!.split("#")[1]!, password: "a new horse" };
    expect((await refused.post("accounts.resetPassword", before)).status).toBe(200);
  });

  test("says in a person's language that an administrator has deleted the account, and where to export it", async () => {
    const dina = await join(owner, { email: "dina@example.com" });
    await dina.call("profile.update", { body: { language: "ar" } });
    const params = { person_id: (await dina.call("auth.me")).user_id };
    const removed = await owner.call("people.remove", { params, query: { after_export: true } });
    expect(removed.is_mailed).toBe(true);
    const text = readableText(await mails.take("dina@example.com"));
    expect(text).toContain(`${publicUrl}/sign-in`);
    expect(text).toContain('lang="ar" dir="rtl"');
    expect(await owner.call("people.remove", { params })).toEqual({ is_mailed: false });
  });

  test("lets people of an allowed domain in, who open the link and know the password", async () => {
    const body = { joining: "invitation" as const, guests: true, email_domains: ["corp.example"] };
    await owner.call("signInSettings.put", { body });
    const ask = async (email: string, browser = openBrowser(server().url)) =>
      await browser.post("accounts.signUp", { name: "Kim", email, password, language: "ar" });
    const tokenIn = async (to: string) => {
      const text = readableText(await mails.take(to));
      expect(text).toContain(`${publicUrl}/sign-in#confirm_0`);
      expect(text).toContain('lang="ar" dir="rtl"');
      return /#(confirm_0\w{48})/.exec(text)![1]!;
    };
    const enter = async (email: string, confirmation?: string, withPassword = password) =>
      await openBrowser(server().url).post("accounts.signIn", {
        email,
        password: withPassword,
        language: "ar",
        ...(confirmation === undefined ? {} : { confirmation }),
      });
    const kim = openBrowser(server().url);
    await kim.post("auth.openSession", {});
    const { thread_id } = await kim.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    expect((await ask("kim@corp.example", kim)).body).toEqual({ status: "confirm-email", me: null });
    const token = await tokenIn("kim@corp.example");
    expectProblem(await enter("kim@corp.example", `${token.slice(0, -1)}_`), "confirmation-sent");
    // The person who has the mailbox, but did not ask for the account.
    expectProblem(await enter("kim@corp.example", token, "not the password"), "wrong-password");
    // A link of one person lets nobody else in, and is none to set a password.
    await ask("lea@corp.example");
    expectProblem(await enter("lea@corp.example", token), "confirmation-sent");
    const reset = openBrowser(server().url);
    expectProblem(await reset.post("accounts.resetPassword", { token, password }), "reset-link-invalid");
    const signedIn = await enter("kim@corp.example", token);
    expect(signedIn.body).toMatchObject({ role: "member", email: "kim@corp.example" });
    expect((await enter("kim@corp.example", token)).status).toBe(200);
    // What the guest had is the account's; the session from before has ended.
    expectProblem(await kim.ask("auth.me"), "token-expired", "signed-out");
    const back = openBrowser(server().url);
    await back.post("accounts.signIn", { email: "kim@corp.example", password });
    expect((await back.call("threads.list")).threads.map(({ id }) => id)).toEqual([thread_id]);

    // Not after a day, nor after the domain was taken from the list, nor after the request was denied.
    const leas = await tokenIn("lea@corp.example");
    await owner.call("signInSettings.put", { body: { ...body, email_domains: [] } });
    expectProblem(await enter("lea@corp.example", leas), "approval-pending");
    await owner.call("signInSettings.put", { body });
    const { requests } = await owner.call("joinRequests.list");
    expect(requests.map(({ email }) => email)).toEqual(["lea@corp.example"]);
    // She has no session, and is not deleted as a visitor without content is.
    server().clock.advance(limits.confirmationLinkMs + 1);
    expectProblem(await enter("lea@corp.example", await tokenIn("lea@corp.example")), "confirmation-sent");
    const another = await tokenIn("lea@corp.example");
    expect((await enter("lea@corp.example", another)).body).toMatchObject({ role: "member" });
    await ask("max@corp.example");
    const maxs = await tokenIn("max@corp.example");
    for (const { user_id: person_id } of (await owner.call("joinRequests.list")).requests)
      await owner.call("joinRequests.deny", { params: { person_id } });
    expectProblem(await enter("max@corp.example", maxs), "wrong-password");
    // Without a mail server that takes the message, an administrator decides.
    expect((await ask("refused@corp.example")).body).toEqual({ status: "waiting", me: null });
    expectProblem(await enter("refused@corp.example"), "approval-pending");
    await owner.call("signInSettings.put", { body: { ...body, email_domains: [] } });
  });

  test("sends a mailbox of an allowed domain only some links a day, whatever follows a plus sign", async () => {
    const body = { joining: "invitation" as const, guests: true, email_domains: ["corp.example"] };
    await owner.call("signInSettings.put", { body });
    const ask = async (email: string) =>
      (await openBrowser(server().url).post("accounts.signUp", { name: "Zoe", email, password })).body;
    for (let number = 0; number < limits.confirmationMails; number++)
      expect(await ask(`Zoe+${number}@corp.example`)).toMatchObject({ status: "confirm-email" });
    for (const email of ["zoe@corp.example", "zoe+more@corp.example"])
      expect(await ask(email)).toMatchObject({ status: "waiting" });
    const again = { email: "zoe+0@corp.example", password };
    expectProblem(await openBrowser(server().url).post("accounts.signIn", again), "approval-pending");
    expect(await ask("zed@corp.example")).toMatchObject({ status: "confirm-email" });
    const all = mails.received.filter(({ to }) => to.some((each) => /^zoe/i.test(each)));
    expect(all).toHaveLength(limits.confirmationMails);
    await owner.call("signInSettings.put", { body: { ...body, email_domains: [] } });
  });

  test("brings an invitation, or says that it could not be sent", async () => {
    const invite = async (email: string) =>
      await owner.call("invitations.create", { body: { role: "member", email, language: "ar" } });
    const { is_mailed: isMailed, link, invitation } = await invite("cai@example.com");
    expect([isMailed, invitation.note]).toEqual([true, "cai@example.com"]);
    expect(readableText(await mails.take("cai@example.com"))).toContain(link);
    const refused = await invite("refused@example.com");
    expect(refused.is_mailed).toBe(false);
    const cai = await openBrowser(server().url).post("accounts.signUp", {
      name: "Cai",
      email: "cai@example.com",
      password,
      invitation: link.split("#")[1]!,
    });
    expect(cai.status).toBe(200);
    await owner.call("mail.remove");
    expectProblem(await request("cai@example.com"), "mail-not-set");
  });
});

describeServer("e-mail without PUBLIC_URL", {}, (server) => {
  test("is not sent, because its links could lead anywhere", async () => {
    const owner = await createOwner(server());
    const mails = await startMailServer();
    const settings = {
      host: "127.0.0.1",
      port: mails.port,
      security: "none" as const,
      username: null,
      sender: "chat@example.com",
    };
    await owner.fails("public-url-not-set", "mail.put", { body: settings });
    // A server that was set up with one.
    await rawSql(
      server().place,
      async (run) =>
        await run(
          `insert into mail_settings (id, host, port, security, username, sender, updated_at)
           values ('server', '127.0.0.1', ${mails.port}, 'none', null, 'chat@example.com', 0)`,
        ),
    );
    expect((await server().guest.call("accounts.options")).mails).toBe(false);
    const browser = openBrowser(server().url);
    expectProblem(
      await browser.post("accounts.requestReset", { email: "olga@example.com", language: "en" }),
      "mail-not-set",
    );
    await owner.fails("mail-not-set", "invitations.create", {
      body: { role: "member", email: "ben@example.com" },
    });
    expect(mails.received).toEqual([]);
    await mails.close();
  });
});

// It would wait for as long as this test may take.
test("a server stops even if its mail server does not answer", async () => {
  const silent = createServer();
  const { port, close } = await listenLocally(silent);
  const server = await startTestServer({ engine: "sqlite", settings });
  const owner = await createOwner(server);
  await owner.call("mail.put", {
    body: { host: "127.0.0.1", port, security: "none", username: null, sender: "chat@example.com" },
  });
  const asked = once(silent, "connection");
  await owner.post("accounts.requestReset", { email: "olga@example.com", language: "en" });
  await asked;
  await server.close();
  await close();
});
