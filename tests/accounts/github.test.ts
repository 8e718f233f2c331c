import { afterAll, beforeAll, expect, test } from "vitest";
import type { ResponseOf } from "#contract/api.ts";
import { startGitHubServer, type GitHubServer } from "#fixtures/openid-provider/github-server.ts";
import { createOwner, openBrowser, type Browser } from "../support/clients/browser.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { providerServer } from "../support/clients/provider-sign-in.ts";
import { describeServer } from "../support/servers/server.ts";

describeServer("signing in with GitHub", providerServer, (server) => {
  let github: GitHubServer;
  let owner: Browser;
  const params = { provider: "github" };
  beforeAll(async () => {
    github = await startGitHubServer();
    owner = await createOwner(server());
    await owner.call("signInProviders.create", {
      body: {
        kind: "github",
        name: "GitHub",
        issuer: github.url,
        ...github.client,
        email_domains: [],
        trusts_email: false,
        admits_everyone: true,
      },
    });
  });
  afterAll(async () => await github.close());

  async function begin(browser: Browser) {
    const answer = await browser.post("accounts.startProvider", {}, params);
    return JSON.parse(answer.text) as ResponseOf<"accounts.startProvider">;
  }

  const personWith = (id: number, verified: boolean) => ({
    id,
    login: `person${id}`,
    name: null,
    emails: [
      { email: `other${id}@example.com`, primary: false, verified: true },
      { email: `person${id}@example.com`, primary: true, verified },
    ],
  });

  test("takes the name and the verified main address of the profile", async () => {
    const browser = openBrowser(server().url);
    const { url, flow } = await begin(browser);
    const response = github.agree(url, personWith(1, true)).search;
    const answer = await browser.post("accounts.finishProvider", { flow, response }, params);
    expect(answer.status, answer.text).toBe(200);
    expect(await browser.call("auth.me")).toMatchObject({
      role: "member",
      name: "person1",
      email: "person1@example.com",
    });
  });

  test("refuses an address that is not verified, a code of another sign-in, and a changed state", async () => {
    const browser = openBrowser(server().url);
    const first = await begin(browser);
    const unverified = github.agree(first.url, personWith(2, false)).search;
    expectProblem(
      await browser.post("accounts.finishProvider", { flow: first.flow, response: unverified }, params),
      "email-not-verified",
    );
    const victims = await begin(openBrowser(server().url));
    const code = github.agree(victims.url, personWith(3, true)).searchParams.get("code")!;
    const second = await begin(browser);
    const injected = github.agree(second.url, personWith(4, true));
    injected.searchParams.set("code", code);
    expectProblem(
      await browser.post("accounts.finishProvider", { flow: second.flow, response: injected.search }, params),
      "sign-in-failed",
    );
    const third = await begin(browser);
    const changed = github.agree(third.url, personWith(5, true));
    changed.searchParams.set("state", "x");
    expectProblem(
      await browser.post("accounts.finishProvider", { flow: third.flow, response: changed.search }, params),
      "sign-in-failed",
    );
  });
});
