import { afterAll, beforeAll, expect } from "vitest";
import type { BodyInputOf, ResponseOf } from "#contract/api.ts";
import {
  startOpenIdProvider,
  type OpenIdPerson,
  type OpenIdProvider,
} from "#fixtures/openid-provider/openid-provider.ts";
import type { TestServer } from "../servers/server.ts";
import { createOwner, openBrowser, type Browser } from "./browser.ts";
import type { Answer } from "./visitor.ts";

/** Secrets can be stored on PostgreSQL too. A stream ends because it is notified, not by a check after an hour. */
export const providerServer = {
  heartbeatMs: 3_600_000,
  settings: { PARLANCE_SECRET: "a secret of the test's servers 123" },
};

type Finished = Answer<ResponseOf<"accounts.finishProvider">>;
type ProviderName = "work" | "home";

/** The body that adds a provider. */
export function providerBody({ issuer, client }: OpenIdProvider) {
  return {
    kind: "oidc" as const,
    name: "Provider",
    issuer,
    ...client,
    email_domains: [] as string[],
    trusts_email: false,
    admits_everyone: false,
  };
}

/** Two OpenID providers, of which the one at home has full ID tokens, both added to the server, and people who sign in with them. */
export function describeProviders(server: () => TestServer) {
  const providers = {} as Record<ProviderName, OpenIdProvider>;
  const made = {} as { owner: Browser };
  let count = 0;

  beforeAll(async () => {
    const owner = await createOwner(server());
    made.owner = owner;
    for (const name of ["work", "home"] as const) {
      providers[name] = await startOpenIdProvider({ name, hasFullIdTokens: name === "home" });
      await addProvider(name, name);
    }
  });
  afterAll(async () => {
    for (const provider of Object.values(providers)) await provider.close();
  });

  /** Adds the provider of a place, and returns its id. */
  async function addProvider(at: ProviderName, name: string): Promise<string> {
    const body = { ...providerBody(providers[at]), name };
    const added = await made.owner.call("signInProviders.create", { body });
    expect(added.redirect_uri).toBe(`${server().url}/sign-in/callback/${added.id}`);
    providers[at].allowRedirect(added.redirect_uri);
    return added.id;
  }

  /** A person with an account at the provider, different for each call. */
  function person(at: ProviderName, facts: OpenIdPerson = {}) {
    const login = `person${++count}`;
    const email = facts.email ?? `${login}@corp.example`;
    providers[at].people.set(login, { name: `Person ${count}`, email_verified: true, ...facts, email });
    return { login, email };
  }

  async function begin(browser: Browser, body: BodyInputOf<"accounts.startProvider"> = {}, id = "work") {
    const answer = await browser.post("accounts.startProvider", body, { provider: id });
    expect(answer.status, answer.text).toBe(200);
    return JSON.parse(answer.text) as ResponseOf<"accounts.startProvider">;
  }

  async function finish(browser: Browser, flow: string, response: string, id = "work"): Promise<Finished> {
    const params = { provider: id };
    const answer = await browser.post("accounts.finishProvider", { flow, response }, params);
    return answer as unknown as Finished;
  }

  async function signInWith(
    login: string,
    {
      browser = openBrowser(server().url),
      at = "work",
      id = at,
      ...body
    }: { browser?: Browser; at?: ProviderName; id?: string } & BodyInputOf<"accounts.startProvider"> = {},
  ): Promise<{ browser: Browser; answer: Finished }> {
    const { url, flow } = await begin(browser, body, id);
    const back = await providers[at].signIn(url, login);
    return { browser, answer: await finish(browser, flow, back.search, id) };
  }

  const invite = async () =>
    (await made.owner.call("invitations.create", { body: { role: "member" } })).link.split("#")[1]!;

  /** Somebody who has joined with the provider at work. */
  async function joined(facts: OpenIdPerson = {}) {
    const who = person("work", facts);
    const { browser, answer } = await signInWith(who.login, { invitation: await invite() });
    expect(answer.status, answer.text).toBe(200);
    return { ...who, browser };
  }

  return { providers, made, addProvider, person, begin, finish, signInWith, invite, joined };
}
