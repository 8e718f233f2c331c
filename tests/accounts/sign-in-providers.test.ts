import { describe, expect, test } from "vitest";
import type { BodyInputOf } from "#contract/api.ts";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { userMessage } from "#fixtures/people.ts";
import { join, openBrowser, password, signIn } from "../support/clients/browser.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeProviders, providerBody, providerServer } from "../support/clients/provider-sign-in.ts";
import { describeServer } from "../support/servers/server.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";

describeServer("signing in with an OpenID provider", providerServer, (server) => {
  const { providers, made, addProvider, person, begin, finish, signInWith, invite, joined } =
    describeProviders(server);

  const byInvitation = { joining: "invitation" as const, guests: true, email_domains: [] as string[] };
  const changeSettings = async (settings: BodyInputOf<"signInSettings.put">) =>
    await made.owner.call("signInSettings.put", { body: settings });

  test("the sign-in page names the providers, and nothing secret leaves the server (CVE-2026-71424)", async () => {
    const options = await server().guest.call("accounts.options");
    expect(options.providers).toEqual([
      { id: "home", name: "home", asks_password: false },
      { id: "work", name: "work", asks_password: false },
    ]);
    const listed = await made.owner.ask("signInProviders.list");
    expect(listed.text).not.toContain(providers.work.client.client_secret);
    const stored = await rawSql(server().place, (run) => run("select * from sign_in_provider_secrets"));
    expect(stored).toHaveLength(2);
    expect(JSON.stringify(stored)).not.toContain(providers.work.client.client_secret);
    const { entries } = await made.owner.call("audit.list", { query: { action: "sign-in-provider-added" } });
    expect(JSON.stringify(entries)).toContain('"client_secret":"set"');
    expect(JSON.stringify(entries)).not.toContain(providers.work.client.client_secret);
    expect(server().log.text()).not.toContain(providers.work.client.client_secret);
  });

  describe("who gets an account", () => {
    test("somebody with an invitation, with the name and the address of the provider", async () => {
      const { browser, email } = await joined({ name: "Ada L." });
      expect(await browser.call("auth.me")).toMatchObject({ role: "member", name: "Ada L.", email });
      expect(await browser.call("accounts.methods")).toMatchObject({
        has_password: false,
        identities: [{ provider_id: "work", provider_name: "work", email }],
      });
    });

    test("nobody without one, unless the settings allow it", async () => {
      const { answer } = await signInWith(person("work").login);
      expectProblem(answer, "invitation-needed");
    });

    test("people of the chosen domains at once, because the provider has verified the address", async () => {
      await changeSettings({ ...byInvitation, email_domains: ["corp.example"] });
      const { answer } = await signInWith(person("work").login);
      expect(answer.body).toMatchObject({ status: "signed-in", me: { role: "member" } });
      const other = await signInWith(person("work", { email: "x@elsewhere.example" }).login);
      expectProblem(other.answer, "invitation-needed");
      await changeSettings(byInvitation);
    });

    test("people after an administrator has approved them", async () => {
      await changeSettings({ ...byInvitation, joining: "approval" });
      const who = person("work");
      const { browser, answer } = await signInWith(who.login);
      expect(answer.body).toEqual({ status: "waiting", me: null });
      expectProblem((await signInWith(who.login)).answer, "approval-pending");
      const { requests } = await made.owner.call("joinRequests.list");
      const { user_id: personId } = requests.find(({ email }) => email === who.email)!;
      await made.owner.call("joinRequests.approve", { params: { person_id: personId } });
      const again = await signInWith(who.login, { browser });
      expect(again.answer.body).toMatchObject({ status: "signed-in", me: { user_id: personId } });
      // A denied person can ask again.
      const denied = person("work");
      await signInWith(denied.login);
      const asked = (await made.owner.call("joinRequests.list")).requests.find(
        ({ email }) => email === denied.email,
      )!;
      await made.owner.call("joinRequests.deny", { params: { person_id: asked.user_id } });
      expect((await signInWith(denied.login)).answer.body).toMatchObject({ status: "waiting" });
      await changeSettings(byInvitation);
    });

    test("everyone at a provider that admits everyone, from the allowed domains", async () => {
      const params = { sign_in_provider_id: "home" };
      await made.owner.call("signInProviders.update", {
        params,
        body: { admits_everyone: true, email_domains: ["home.example"] },
      });
      const at = { at: "home" } as const;
      const inside = await signInWith(person("home", { email: "x1@home.example" }).login, at);
      expect(inside.answer.body).toMatchObject({ status: "signed-in" });
      const outside = await signInWith(person("home", { email: "x1@other.example" }).login, at);
      expectProblem(outside.answer, "email-domain-not-allowed");
      const unverified = person("home", { email: "x2@home.example", email_verified: false });
      expectProblem((await signInWith(unverified.login, at)).answer, "email-not-verified");
      await made.owner.call("signInProviders.update", {
        params,
        body: { admits_everyone: false, email_domains: [] },
      });
    });

    test("nobody whose address the provider has not verified, unless its addresses are trusted", async () => {
      const who = person("work", { email_verified: false });
      const { answer } = await signInWith(who.login, { invitation: await invite() });
      expectProblem(answer, "email-not-verified");
      const params = { sign_in_provider_id: "work" };
      await made.owner.call("signInProviders.update", { params, body: { trusts_email: true } });
      const trusted = await signInWith(who.login, { invitation: await invite() });
      expect(trusted.answer.body).toMatchObject({ status: "signed-in" });
      await made.owner.call("signInProviders.update", { params, body: { trusts_email: false } });
    });
  });

  describe("who signs in to an account that exists", () => {
    test("the person with the same subject, even with another name and address", async () => {
      const ada = await joined();
      const me = await ada.browser.call("auth.me");
      providers.work.people.set(ada.login, {
        name: "Other",
        email: "other@corp.example",
        email_verified: false,
      });
      const { answer } = await signInWith(ada.login);
      expect(answer.body).toMatchObject({
        status: "signed-in",
        me: { user_id: me.user_id, email: ada.email },
      });
    });

    test("nobody with the address of an account that another subject has", async () => {
      const ada = await joined();
      // The address was given to somebody else.
      providers.work.people.set("successor", { name: "New", email: ada.email, email_verified: true });
      expectProblem((await signInWith("successor")).answer, "account-exists");
      expect(await ada.browser.call("auth.me")).toMatchObject({ email: ada.email });
    });

    test("a person of a second provider, if both have verified the address", async () => {
      const ada = await joined();
      providers.home.people.set(ada.login, { email: ada.email.toUpperCase(), email_verified: true });
      const { browser, answer } = await signInWith(ada.login, { at: "home" });
      expect(answer.body).toMatchObject({ status: "signed-in", me: { email: ada.email } });
      expect((await browser.call("accounts.methods")).identities).toHaveLength(2);
      const bea = await joined();
      providers.home.people.set(bea.login, { email: bea.email, email_verified: false });
      expectProblem((await signInWith(bea.login, { at: "home" })).answer, "email-not-verified");
    });

    test("nobody with the address of an account with a password, because nobody verified that address", async () => {
      const who = person("work");
      // Somebody else could have entered it.
      const other = await join(made.owner, { email: who.email });
      expectProblem((await signInWith(who.login)).answer, "account-exists");
      expect((await other.call("accounts.methods")).identities).toEqual([]);
    });

    test("somebody who has connected the provider to their account", async () => {
      const who = person("work", { email: "another@corp.example" });
      const desk = await join(made.owner, { email: `desk-${who.login}@example.com` });
      const { answer } = await signInWith(who.login, { browser: desk, connect: true });
      expect(answer.body).toEqual({ status: "connected", me: null });
      const { user_id: id } = await desk.call("auth.me");
      const elsewhere = await signInWith(who.login);
      expect(elsewhere.answer.body).toMatchObject({ me: { user_id: id } });
      // The same identity at another account, and another identity at the same one.
      const thief = await join(made.owner, { email: `thief-${who.login}@example.com` });
      const stolen = await signInWith(who.login, { browser: thief, connect: true });
      expectProblem(stolen.answer, "identity-taken");
      const second = await signInWith(person("work").login, { browser: desk, connect: true });
      expectProblem(second.answer, "identity-taken");
      const { entries } = await made.owner.call("audit.list", { query: { person: id } });
      expect(entries.map(({ action }) => action)).toContain("identity-connected");
      expect(entries.find(({ action }) => action === "signed-in")?.details).toEqual({
        method: "provider",
        provider: "work",
      });

      // A stranger at a browser that was left open changes nothing.
      server().clock.advance(limits.recentSignInMs + 1);
      const params = { sign_in_provider_id: "work" };
      await desk.fails("confirmation-needed", "accounts.removeIdentity", { params });
      const connecting = await desk.post("accounts.startProvider", { connect: true }, { provider: "work" });
      expectProblem(connecting, "confirmation-needed");
      await desk.call("accounts.confirm", { body: { password } });
      await desk.call("accounts.removeIdentity", { params });
      expectProblem((await signInWith(who.login)).answer, "invitation-needed");
    });

    test("guests cannot connect, and nobody removes their only way to sign in", async () => {
      const guest = openBrowser(server().url);
      await guest.post("auth.openSession", {});
      const refused = await guest.post("accounts.startProvider", { connect: true }, { provider: "work" });
      expectProblem(refused, "not-signed-in");
      const ada = await joined();
      await ada.browser.fails("last-sign-in-method", "accounts.removeIdentity", {
        params: { sign_in_provider_id: "work" },
      });
      expect((await ada.browser.call("accounts.methods")).identities).toHaveLength(1);
    });

    test("nobody who is suspended", async () => {
      const ada = await joined();
      const { user_id: id } = await ada.browser.call("auth.me");
      await made.owner.call("people.update", { params: { person_id: id }, body: { is_suspended: true } });
      expectProblem((await signInWith(ada.login)).answer, "account-suspended");
    });
  });

  test("a guest who signs in keeps their threads, exactly once, from two tabs", async () => {
    const ada = await joined();
    const browser = openBrowser(server().url);
    await browser.post("auth.openSession", {});
    const threadId = newId("thread");
    await browser.call("runs.start", {
      params: { thread_id: threadId },
      body: { message: { parent_id: null, content: userMessage("Written as a guest") } },
    });
    const tabs = [await begin(browser), await begin(browser)];
    const backs = await Promise.all(tabs.map(async ({ url }) => await providers.work.signIn(url, ada.login)));
    const answers = await Promise.all(
      tabs.map(async ({ flow }, i) => await finish(browser, flow, backs[i]!.search)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { threads } = await browser.call("threads.list");
    expect(threads.map(({ id }) => id)).toEqual([threadId]);
  });

  test("a guest who joins stays the same user", async () => {
    const who = person("work");
    const browser = openBrowser(server().url);
    const { user_id: id } = (await browser.post("auth.openSession", {})).body;
    const { answer } = await signInWith(who.login, { browser, invitation: await invite() });
    expect(answer.body.me).toMatchObject({ user_id: id, role: "member" });
  });

  test("two tabs that join at the same time create one account", async () => {
    const who = person("work");
    await changeSettings({ ...byInvitation, joining: "open" });
    const browsers = [openBrowser(server().url), openBrowser(server().url)];
    const answers = await Promise.all(
      browsers.map(async (browser) => (await signInWith(who.login, { browser })).answer),
    );
    expect(new Set(answers.map(({ body }) => body.me?.user_id)).size).toBe(1);
    await changeSettings(byInvitation);
  });

  test("a new session is opened, and a planted one ends", async () => {
    const ada = await joined();
    const browser = openBrowser(server().url);
    await browser.post("auth.openSession", {});
    const planted = browser.tab();
    const before = browser.cookie();
    await signInWith(ada.login, { browser });
    expect(browser.cookie()).not.toBe(before);
    await planted.fails("token-expired", "auth.me");
  });

  describe("administration", () => {
    test("only administrators see and change providers", async () => {
      const member = await join(made.owner, { email: "member@example.com" });
      await member.fails("not-allowed", "signInProviders.list");
      const params = { sign_in_provider_id: "work" };
      await member.fails("not-allowed", "signInProviders.remove", { params });
    });

    test("an address where no provider answers is not stored", async () => {
      const body = { ...providerBody(providers.work), name: "Nowhere" };
      for (const issuer of ["http://127.0.0.1:9", `${providers.work.issuer}/elsewhere`, server().url])
        await made.owner.fails("provider-not-usable", "signInProviders.create", {
          body: { ...body, issuer },
        });
      for (const issuer of [
        "http://id.example.com",
        "javascript:alert(1)",
        "https://user:pass@id.example.com",
        "",
      ])
        await made.owner.fails("bad-request", "signInProviders.create", { body: { ...body, issuer } });
    });

    test("with another issuer the secret must be entered again, and nobody stays connected", async () => {
      const id = await addProvider("work", "Moving");
      const who = person("work");
      const begun = await signInWith(who.login, { id, invitation: await invite() });
      expect(begun.answer.status).toBe(200);
      const params = { sign_in_provider_id: id };
      await made.owner.fails("bad-request", "signInProviders.update", {
        params,
        body: { issuer: providers.home.issuer },
      });
      const changed = await made.owner.call("signInProviders.update", {
        params,
        body: { issuer: providers.home.issuer, ...providers.home.client },
      });
      expect(changed).toMatchObject({ issuer: providers.home.issuer, people: 0 });
      await made.owner.call("signInProviders.remove", { params });
      expectProblem(
        await openBrowser(server().url).post("accounts.startProvider", {}, { provider: id }),
        "sign-in-provider-not-found",
      );
      // Their session goes on, and with a link they get a password.
      const { user_id: personId } = await begun.browser.call("auth.me");
      const { link } = await made.owner.call("people.createResetLink", { params: { person_id: personId } });
      const reset = await openBrowser(server().url).post("accounts.resetPassword", {
        token: link!.split("#")[1]!,
        password,
      });
      expect(reset.status).toBe(200);
      await signIn(server().url, who.email);
    });
  });
});
