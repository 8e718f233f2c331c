import { createServer } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { listenLocally } from "#fixtures/local-server.ts";
import { limits } from "#contract/limits.ts";
import { join, openBrowser, type Browser } from "../support/clients/browser.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeProviders, providerBody, providerServer } from "../support/clients/provider-sign-in.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { describeServer } from "../support/servers/server.ts";

describeServer("a sign-in with an OpenID provider that somebody attacks", providerServer, (server) => {
  const { providers, made, addProvider, person, begin, finish, signInWith, invite, joined } =
    describeProviders(server);

  test("a response cannot be used twice, with another flow, or in a browser that did not begin it (CVE-2026-31944)", async () => {
    const ada = await joined();
    const browser = openBrowser(server().url);
    const { url, flow } = await begin(browser);
    const back = await providers.work.signIn(url, ada.login);
    // Another browser has its own flow, whose state and nonce are others.
    const victim = openBrowser(server().url);
    const own = await begin(victim);
    expectProblem(await finish(victim, own.flow, back.search), "sign-in-failed");
    expectProblem(await finish(victim, "flow_0guessed", back.search), "sign-in-expired");
    expect((await finish(browser, flow, back.search)).status).toBe(200);
    expectProblem(await finish(browser, flow, back.search), "sign-in-expired");
    const anew = await begin(browser);
    expectProblem(await finish(browser, anew.flow, back.search), "sign-in-failed");
  });

  test("a changed state, a missing one, and a refusal fail", async () => {
    const ada = await joined();
    for (const change of [
      (query: URLSearchParams) => query.set("state", "x".repeat(43)),
      (query: URLSearchParams) => query.delete("state"),
      (query: URLSearchParams) => query.delete("code"),
      (query: URLSearchParams) => query.set("code", "guessed"),
      (query: URLSearchParams) => query.set("error", "access_denied"),
    ]) {
      const browser = openBrowser(server().url);
      const { url, flow } = await begin(browser);
      const back = await providers.work.signIn(url, ada.login);
      change(back.searchParams);
      expectProblem(await finish(browser, flow, back.search), "sign-in-failed");
      expectProblem(await finish(browser, flow, back.search), "sign-in-expired");
    }
  });

  test("a response of one provider is never taken for another's", async () => {
    const ada = await joined();
    providers.home.people.set(ada.login, { email: ada.email, email_verified: true });
    const browser = openBrowser(server().url);
    const { url, flow } = await begin(browser, {}, "work");
    const back = await providers.work.signIn(url, ada.login);
    // To the other provider's address.
    expectProblem(await finish(browser, flow, back.search, "home"), "sign-in-expired");
    const second = await begin(browser, {}, "work");
    const mixed = await providers.work.signIn(second.url, ada.login);
    // With the name of the other issuer, and with none.
    mixed.searchParams.set("iss", providers.home.issuer);
    expectProblem(await finish(browser, second.flow, mixed.search), "sign-in-failed");
    const third = await begin(browser, {}, "work");
    const silent = await providers.work.signIn(third.url, ada.login);
    silent.searchParams.delete("iss");
    expectProblem(await finish(browser, third.flow, silent.search), "sign-in-failed");
  });

  test.for(["alg: none", "no signature", "another nonce", "another subject", "another audience"] as const)(
    "an ID token with %s is refused",
    async (attack) => {
      const ada = await joined();
      const replayed = attack;
      providers.work.tamper((idToken) => forged(idToken, replayed));
      const { answer } = await signInWith(ada.login);
      providers.work.tamper(undefined);
      expectProblem(answer, "sign-in-failed");
      expect((await signInWith(ada.login)).answer.status).toBe(200);
    },
  );

  test("a sign-in that took too long is refused", async () => {
    const ada = await joined();
    const browser = openBrowser(server().url);
    const { url, flow } = await begin(browser);
    const back = await providers.work.signIn(url, ada.login);
    server().clock.advance(limits.signInFlowMs + 1);
    expectProblem(await finish(browser, flow, back.search), "sign-in-expired");
  });

  test("only the web app's own page begins and finishes a sign-in", async () => {
    const { guest } = server();
    for (const headers of [{}, { "Parlance-Client": "web", "Sec-Fetch-Site": "cross-site" }]) {
      const params = { provider: "work" };
      await guest.fails("not-allowed", "accounts.startProvider", { params, body: {}, headers });
      const body = { flow: "flow_0x", response: "?code=x" };
      await guest.fails("not-allowed", "accounts.finishProvider", { params, body, headers });
    }
  });

  /** Somebody who has joined with a provider of their own, which is at work. */
  async function joinedAt(name: string) {
    const id = await addProvider("work", name);
    const who = person("work");
    const { browser, answer } = await signInWith(who.login, { id, invitation: await invite() });
    expect(answer.status, answer.text).toBe(200);
    return { ...who, browser, params: { sign_in_provider_id: id } };
  }
  const atHome = () => ({ issuer: providers.home.issuer, ...providers.home.client });
  const makeOwner = async (browser: Browser) => {
    const { user_id: id } = await browser.call("auth.me");
    await made.owner.call("people.update", { params: { person_id: id }, body: { role: "owner" } });
  };

  describe("and an administrator, who controls what a provider says", () => {
    test("cannot sign in to the account of an owner, who connects a provider by hand", async () => {
      const ada = await joined();
      await makeOwner(ada.browser);
      providers.home.people.set(ada.login, { email: ada.email, email_verified: true });
      expectProblem((await signInWith(ada.login, { at: "home" })).answer, "account-exists");
      expect((await ada.browser.call("accounts.methods")).identities).toHaveLength(1);
      const byHand = await signInWith(ada.login, { at: "home", browser: ada.browser, connect: true });
      expect(byHand.answer.body).toEqual({ status: "connected", me: null });
      expect((await signInWith(ada.login, { at: "home" })).answer.status).toBe(200);
    });

    test("cannot connect a provider in the server's own network", async () => {
      const admin = await join(made.owner, { email: "admin@example.com", role: "admin" });
      const body = { ...providerBody(providers.work), name: "Cellar" };
      for (const kind of ["oidc", "github"] as const)
        for (const issuer of [providers.work.issuer, "https://localhost:1", "https://169.254.169.254"])
          await admin.fails("provider-private", "signInProviders.create", {
            body: { ...body, kind, issuer },
          });
      const id = await addProvider("work", "Attic");
      const params = { sign_in_provider_id: id };
      await admin.fails("provider-private", "signInProviders.update", { params, body: atHome() });
      // The owner's choice stays while an administrator changes the rest.
      const { issuer } = providers.work;
      const renamed = await admin.call("signInProviders.update", { params, body: { name: "Loft", issuer } });
      expect(renamed).toMatchObject({ name: "Loft", issuer });
    });

    test("cannot sign people in with an issuer that moved into that network until the owner saves it", async () => {
      const id = await addProvider("work", "Moving");
      await rawSql(server().place, async (run) => {
        await run(`update sign_in_providers set public_only = 1 where id = '${id}'`);
      });
      const admin = await join(made.owner, { email: "moving@example.com", role: "admin" });
      const params = { sign_in_provider_id: id };
      const body = { name: "Moved", issuer: providers.work.issuer };
      const begins = async () =>
        (
          await openBrowser(server().url).ask("accounts.startProvider", {
            params: { provider: id },
            body: {},
          })
        ).status;
      await admin.call("signInProviders.update", { params, body });
      expect(await begins()).not.toBe(200);
      await made.owner.call("signInProviders.update", { params, body: { name: "Far" } });
      expect(await begins()).not.toBe(200);
      await made.owner.call("signInProviders.update", { params, body });
      expect(await begins()).toBe(200);
      expect(server().log.takeErrors()).toHaveLength(2);
    });

    test("cannot take an owner's only way to sign in", async () => {
      const ada = await joinedAt("Only");
      await makeOwner(ada.browser);
      const { params } = ada;
      await made.owner.fails("last-sign-in-method", "signInProviders.remove", { params });
      await made.owner.fails("last-sign-in-method", "signInProviders.update", { params, body: atHome() });
      expect((await signInWith(ada.login, { id: params.sign_in_provider_id })).answer.status).toBe(200);
      providers.home.people.set(ada.login, { email: ada.email, email_verified: true });
      await signInWith(ada.login, { at: "home", browser: ada.browser, connect: true });
      await made.owner.call("signInProviders.remove", { params });
      expect((await signInWith(ada.login, { at: "home" })).answer.status).toBe(200);
    });
  });

  describe("opens no account to the next person with the same address", () => {
    const succeed = async (email: string, id: string) => {
      const login = `successor-${email}`;
      providers.home.people.set(login, { email, email_verified: true });
      return (await signInWith(login, { at: "home", id })).answer;
    };

    test("after a provider got another issuer", async () => {
      const { email, params } = await joinedAt("Moved");
      const { redirect_uri } = await made.owner.call("signInProviders.update", { params, body: atHome() });
      providers.home.allowRedirect(redirect_uri);
      expectProblem(await succeed(email, params.sign_in_provider_id), "account-exists");
    });

    test("after a provider was removed", async () => {
      const { email, params } = await joinedAt("Gone");
      await made.owner.call("signInProviders.remove", { params });
      expectProblem(await succeed(email, "home"), "account-exists");
    });

    test("after the person disconnected it", async () => {
      const { browser, email, login, params } = await joinedAt("Left");
      await signInWith(login, { browser, connect: true });
      await browser.call("accounts.removeIdentity", { params });
      expectProblem(await succeed(email, "home"), "account-exists");
    });
  });

  describe("while an owner gives a provider another issuer", () => {
    test.for(["joins", "connects", "signs in"] as const)(
      "somebody who %s is not taken for a person of that issuer",
      async (what) => {
        const ada = await joinedAt(`Race ${what}`);
        const desk = await join(made.owner, { email: `desk-${ada.login}@example.com` });
        const id = ada.params.sign_in_provider_id;
        providers.work.tamper(async (idToken) => {
          await made.owner.call("signInProviders.update", { params: ada.params, body: atHome() });
          return idToken;
        });
        const who = what === "signs in" ? ada.login : person("work").login;
        const { answer } = await signInWith(who, {
          id,
          ...(what === "joins" ? { invitation: await invite() } : {}),
          ...(what === "connects" ? { browser: desk, connect: true } : {}),
        });
        providers.work.tamper(undefined);
        expect(answer.status).toBeGreaterThanOrEqual(400);
        if (what !== "signs in") expectProblem(answer, "sign-in-failed");
        const { providers: listed } = await made.owner.call("signInProviders.list");
        expect(listed.find((provider) => provider.id === id)).toMatchObject({
          issuer: providers.home.issuer,
          people: 0,
        });
      },
    );

    test("another change of the issuer is refused", async () => {
      const id = await addProvider("work", "Twice");
      const params = { sign_in_provider_id: id };
      const slow = createServer((_, response) => {
        void made.owner.call("signInProviders.update", { params, body: atHome() }).then(() => {
          response.setHeader("Content-Type", "application/json");
          response.end(JSON.stringify({ issuer, authorization_endpoint: issuer, token_endpoint: issuer }));
        });
      });
      const { url: issuer, close } = await listenLocally(slow);
      onTestFinished(close);
      await made.owner.fails("provider-changed", "signInProviders.update", {
        params,
        body: { ...atHome(), issuer },
      });
      const { providers: listed } = await made.owner.call("signInProviders.list");
      expect(listed.find((provider) => provider.id === id)).toMatchObject({ issuer: providers.home.issuer });
    });
  });
});

function forged(idToken: string, attack: string): string {
  const [head = "", body = "", signature = ""] = idToken.split(".");
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as Record<string, unknown>;
  if (attack === "alg: none") return `${encode({ alg: "none" })}.${body}.`;
  if (attack === "no signature") return `${head}.${body}.`;
  const change = {
    "another nonce": { nonce: "replayed" },
    "another subject": { sub: "owner" },
    "another audience": { aud: "another-client" },
  }[attack];
  return `${head}.${encode({ ...claims, ...change })}.${signature}`;
}
