import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { BodyInputOf } from "#contract/api.ts";
import type { Tokens } from "#contract/endpoints/auth.ts";
import { limits } from "#contract/limits.ts";
import { newId } from "#contract/ids.ts";
import { userMessage } from "#fixtures/people.ts";
import { anonymousCloud, clients, inBrowser } from "../protocol/clients.ts";
import { createOwner, join, openBrowser, password, type Browser } from "../support/clients/browser.ts";
import { readWholeLog, sendAndWait, startRun, waitForFirstWord } from "../support/clients/conversation.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { bearer, keyHeaders, newAddress, visitor, type Visitor } from "../support/clients/visitor.ts";
import { runCommandJson } from "../support/servers/cli.ts";
import { engines } from "../support/postgres/postgres.ts";
import { describeServer, type EngineName, type TestServer } from "../support/servers/server.ts";
import { serverForTest } from "../support/test-scope.ts";

const first = `proj_0${"0".repeat(24)}`;
const none = { tokens_per_day: null, tokens_per_month: null, usd_per_day: null, usd_per_month: null };
type Access = BodyInputOf<"console.putAnonymousTokens">;
const issued: Access = { is_on: true, models: null, budget: null };

async function start(engine: EngineName, settings: Record<string, string> = {}): Promise<TestServer> {
  const server = await serverForTest({ engine, settings });
  return server;
}

/** A request of a program without a credential, from a page of this origin if there is one. */
async function curl(
  server: TestServer,
  path: string,
  { body, origin }: { body?: object; origin?: string } = {},
) {
  return await server.guest.send("POST", path, {
    headers: {
      ...newAddress(),
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(origin === undefined ? {} : { Origin: origin }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
const anonymously = async (server: TestServer, origin?: string) =>
  await curl(server, "/v1/auth/tokens/anonymous", origin === undefined ? {} : { origin });
const question = (model?: string) => ({
  thread_id: "unstable_todo",
  assistant_id: "default",
  messages: [userMessage("Hello tokens=2")],
  ...(model === undefined ? {} : { model }),
});

async function createAccount(server: TestServer, more: object = {}): Promise<Browser> {
  const browser = openBrowser(server.url);
  const owner_secret = server.ownerLink.split("#")[1]!;
  const account = { name: "Olga", email: "olga@example.com", password, owner_secret, ...more };
  const made = await browser.post("accounts.signUp", account);
  expect(made.status, made.text).toBe(200);
  return browser;
}
const openGuest = async (server: TestServer) => await openBrowser(server.url).post("auth.openSession", {});
const putTokens = async (owner: Visitor, body: Access, app_id = first) =>
  await owner.call("console.putAnonymousTokens", { params: { app_id }, body });
const putGuests = async (owner: Visitor, guests: boolean) =>
  await owner.call("signInSettings.put", { body: { joining: "invitation", guests, email_domains: [] } });

describe.each(engines)("the first account (%s)", (engine) => {
  test("closes the server to everybody without one, at once and for every way in", async () => {
    const server = await start(engine);
    // Until then visitors can chat, in the web app and in apps.
    const guest = openBrowser(server.url);
    await guest.post("auth.openSession", {});
    const before = (await anonymously(server)).body as Tokens;
    const app = server.withToken(before.access_token);
    expect((await app.ask("runs.stream", { body: question() })).status).toBe(200);
    const [pages, programs] = [await guest.live(), await app.live()];
    await Promise.all([pages.next(), programs.next()]);

    const owner = await createAccount(server);
    await Promise.all([pages.rest(), programs.rest()]);
    expect(await owner.call("accounts.options")).toMatchObject({ has_accounts: true, guests: false });
    expect(await owner.call("signInSettings.get")).toMatchObject({
      settings: { guests: false },
      anonymous_projects: [],
    });
    expectProblem(await openGuest(server), "anonymous-off");
    await guest.fails("anonymous-off", "threads.list");
    expectProblem(await anonymously(server), "anonymous-off");
    await app.fails("anonymous-off", "threads.list");
    await app.fails("anonymous-off", "runs.stream", { body: question() });
    const { refresh_token } = before;
    expectProblem(
      await curl(server, "/v1/auth/tokens/refresh", { body: { refresh_token: refresh_token.token } }),
      "anonymous-off",
    );
    expectProblem(await curl(server, "/v1/runs/stream", { body: question() }), "not-signed-in");
    expect((await owner.call("auth.me")).role).toBe("owner");
    // Invited people still bring along what they had.
    expect(
      (await (await join(owner, { email: "gus@example.com", browser: guest })).call("auth.me")).role,
    ).toBe("member");
  });

  test("can leave the web app open to guests, who then share a budget; apps still issue no tokens", async () => {
    const server = await start(engine);
    const owner = await createAccount(server, { open_to: "anyone", guest_tokens_per_day: 1_000 });
    expect((await openGuest(server)).body).toMatchObject({ role: "guest" });
    const budgetOf = async (who: Visitor) =>
      (await who.call("budgets.list")).common.find(({ id }) => id === "guests")!.limits;
    expect(await budgetOf(owner)).toEqual({ ...none, tokens_per_day: 1_000 });
    expectProblem(await anonymously(server), "anonymous-off");
    expect(await owner.call("signInSettings.get")).toMatchObject({
      settings: { guests: true },
      anonymous_projects: [],
    });
    const { entries } = await owner.call("audit.list");
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(["account-created", "sign-in-settings-changed", "budget-set"]),
    );

    const other = await start(engine);
    expect(await budgetOf(await createAccount(other, { open_to: "anyone" }))).toEqual({
      ...none,
      tokens_per_day: limits.guestTokensPerDay,
    });
  });

  test("keeps the anonymous tokens of an app for which somebody decided before", async () => {
    const server = await start(engine);
    await putTokens(await server.owner(), issued);
    const owner = await createAccount(server);
    expect((await anonymously(server)).status).toBe(200);
    expectProblem(await openGuest(server), "anonymous-off");
    expect((await owner.call("signInSettings.get")).anonymous_projects).toEqual([
      { id: first, name: "Parlance", has_budget: false },
    ]);
  });

  test("of somebody else decides nothing", async () => {
    const server = await start(engine);
    const owner = await createAccount(server);
    const { link } = await owner.call("invitations.create", { body: { role: "member" } });
    const invitation = link.split("#")[1]!;
    const account = { name: "Mia", email: "mia@example.com", password, invitation };
    const made = await openBrowser(server.url).post("accounts.signUp", { ...account, open_to: "anyone" });
    expect(made.status).toBe(200);
    expectProblem(await openGuest(server), "anonymous-off");
  });
});

describeServer("anonymous tokens of an app", { model: true }, (server) => {
  let owner: Browser;
  beforeAll(async () => {
    owner = await createOwner(server());
  });
  afterEach(async () => {
    await putTokens(owner, { is_on: false, models: null, budget: null });
    await putGuests(owner, false);
  });
  const tokens = async (origin?: string) => {
    const answer = await anonymously(server(), origin);
    expect(answer.status, answer.text).toBe(200);
    return answer.body as Tokens;
  };
  const newVisitor = async (origin?: string) => {
    const { access_token } = await tokens(origin);
    return visitor(server().url, "a visitor", { ...bearer(access_token), ...newAddress() });
  };
  const stream = async (who: Visitor, model?: string) =>
    await who.ask("runs.stream", { body: question(model) });
  const ask = async (who: Visitor, model?: string) => {
    const params = { thread_id: newId("thread") };
    const message = { parent_id: null, content: userMessage("Hello tokens=2") };
    const asked = await who.ask("runs.start", { params, body: { message, ...(model && { model }) } });
    if (asked.status === 201) await readWholeLog(who, asked.body.run_id);
    return asked;
  };
  const app = async () => (await owner.call("console.app", { params: { app_id: first } })).anonymous_tokens;

  test("are turned on without opening the web app, and the other way round", async () => {
    await putTokens(owner, issued);
    const program = await newVisitor();
    expect((await stream(program)).status).toBe(200);
    expectProblem(await openGuest(server()), "anonymous-off");

    await putGuests(owner, true);
    await putTokens(owner, { ...issued, is_on: false });
    expect((await openGuest(server())).status).toBe(200);
    for (const answer of [
      await anonymously(server()),
      await stream(program),
      await program.ask("threads.list"),
    ])
      expectProblem(answer, "anonymous-off");
    // As before, with what it had.
    await putTokens(owner, issued);
    expect((await program.ask("threads.list")).status).toBe(200);
  });

  test.each(clients)(
    "serve apps with `anonymous: true`, and none that are turned off: %s",
    async (_, client) => {
      const stored = new Map<string, string>();
      const list = async () =>
        await inBrowser(stored, async () => (await anonymousCloud(client, server()).threads.list()).threads);
      await expect(list()).rejects.toThrow("Authorization failed");
      await putTokens(owner, issued);
      await inBrowser(
        stored,
        async () => await anonymousCloud(client, server()).threads.create({ last_message_at: new Date() }),
      );
      expect(await list()).toHaveLength(1);
      await putTokens(owner, { ...issued, is_on: false });
      await expect(list()).rejects.toThrow();
      await putTokens(owner, issued);
      await list();
    },
  );

  test("end with their streams when they are turned off", async () => {
    await putTokens(owner, issued);
    const feed = await (await newVisitor()).live();
    await feed.next();
    await putTokens(owner, { ...issued, is_on: false });
    await feed.rest();
  });

  test("work with the models of the app alone", async () => {
    await putGuests(owner, true);
    await putTokens(owner, { ...issued, models: ["builtin"] });
    const [program, guest] = [await newVisitor(), openBrowser(server().url)];
    await guest.post("auth.openSession", {});
    for (const way of [stream, ask]) {
      expectProblem(await way(program, "env/fixture-1"), "model-not-allowed");
      expect((await way(guest, "env/fixture-1")).status, way.name).toBeLessThan(300);
    }
    expect((await stream(program, "builtin")).status).toBe(200);
    expect((await program.call("models.list")).models.map(({ id }) => id)).toEqual(["builtin"]);
    await putTokens(owner, issued);
    expect((await stream(program, "env/fixture-1")).status).toBe(200);
  });

  test("share a budget of their own, besides that of guests in the web app", async () => {
    await putGuests(owner, true);
    await putTokens(owner, { ...issued, budget: { ...none, tokens_per_day: 10_000_000 } });
    const usedByGuests = async () =>
      (await owner.call("budgets.list")).common.find(({ id }) => id === "guests")!.used!.tokens_per_day;
    const [program, guest, before] = [await newVisitor(), openBrowser(server().url), await usedByGuests()];
    await guest.post("auth.openSession", {});
    const usedBefore = (await app()).used.tokens_per_day;
    expect((await stream(program)).status).toBe(200);
    const usedNow = async () => (await app()).used.tokens_per_day;
    await expect.poll(usedNow).toBeGreaterThan(usedBefore);
    const used = await usedNow();
    expect(await usedByGuests()).toBe(before);
    expect(await program.call("budgets.own")).toMatchObject({
      budgets: [{ limit: "tokens_per_day", amount: 10_000_000, used, of_guests: true }],
    });
    expect(await guest.call("budgets.own")).toEqual({ budgets: [] });

    await putTokens(owner, { ...issued, budget: { ...none, tokens_per_day: used } });
    for (const answer of [await ask(program), await stream(await newVisitor())])
      expectProblem(answer, "budget-used");
    expect((await stream(guest)).status).toBe(200);
    await expect.poll(usedByGuests).toBeGreaterThan(before);
    expect(await usedNow()).toBe(used);

    // Users of a backend can have any name, and be erased.
    const { key } = await owner.call("console.createKey", {
      params: { app_id: first },
      body: { name: "backend" },
    });
    for (const userId of ["guests", `guests:${first}`]) {
      const named = visitor(server().url, userId, keyHeaders(key, { userId, workspaceId: "org_guests" }));
      expect((await stream(named)).status).toBe(200);
      await named.call("apps.eraseUser", { params: { user_id: userId } });
    }
    expect(await usedNow()).toBe(used);

    await owner.call("budgets.put", {
      params: { budget_id: "guests" },
      body: { ...none, tokens_per_day: 1 },
    });
    expectProblem(await ask(guest), "budget-used");
    await putTokens(owner, issued);
    expect((await stream(program)).status).toBe(200);
    await owner.call("budgets.remove", { params: { budget_id: "guests" } });
  });

  test("count all of a long answer, and wait for the answers of the app's other visitors alone", async () => {
    await putGuests(owner, true);
    await putTokens(owner, { ...issued, budget: { ...none, tokens_per_day: 10_000_000 } });
    const [ada, ben, guest] = [await newVisitor(), await newVisitor(), openBrowser(server().url)];
    await guest.post("auth.openSession", {});
    const usedNow = async () => (await app()).used.tokens_per_day;
    const before = await usedNow();
    // It takes longer than several commits.
    await sendAndWait(ada, "Long tokens=40 gap=20");
    expect(await usedNow()).toBeGreaterThan(before + 30);

    await putTokens(owner, { ...issued, budget: { ...none, tokens_per_day: (await usedNow()) + 5_000 } });
    const open = await startRun(ada, "Open\nendless gap=20");
    (await waitForFirstWord(ada, open.run_id)).stream.close();
    for (const way of [ask, stream]) {
      expectProblem(await way(ben), "budget-wait");
      expect((await way(guest)).status, way.name).toBeLessThan(300);
    }
    await ada.call("runs.stop", { params: { run_id: open.run_id } });
    await readWholeLog(ada, open.run_id);
    expect((await stream(ben)).status).toBe(200);
    await putTokens(owner, issued);
  });

  test("are those of the app that lists the page, else of the first", async () => {
    const shopOrigin = "https://shop.example";
    const { id: shop } = await runCommandJson<{ id: string }>(server().place, "app", "create", "shop");
    await owner.call("console.addOrigin", { params: { app_id: shop }, body: { origin: shopOrigin } });
    server().clock.advance(1_000);
    expectProblem(await anonymously(server(), shopOrigin), "anonymous-off");
    await putTokens(owner, { ...issued, models: ["builtin"] }, shop);
    expectProblem(await anonymously(server()), "anonymous-off");
    expectProblem(await anonymously(server(), "https://evil.example"), "origin-not-allowed");
    const { access_token, refresh_token } = await tokens(shopOrigin);
    const shopper = visitor(server().url, "a shopper", { ...bearer(access_token), Origin: shopOrigin });
    expectProblem(await stream(shopper, "env/fixture-1"), "model-not-allowed");
    expect((await ask(shopper, "builtin")).status).toBe(201);
    const body = { refresh_token: refresh_token.token };
    expect((await curl(server(), "/v1/auth/tokens/refresh", { body, origin: shopOrigin })).status).toBe(200);
    const { users } = await owner.call("console.users", { params: { app_id: shop } });
    expect(users.map(({ id }) => id)).toEqual([(await shopper.call("auth.me")).user_id]);
    await putTokens(owner, { ...issued, is_on: false }, shop);
    expectProblem(await stream(shopper), "anonymous-off");
  });

  test("are for administrators to decide, and the audit log has it", async () => {
    const member = await join(owner, { email: "mia@example.com" });
    const request = { params: { app_id: first }, body: issued };
    await member.fails("not-allowed", "console.putAnonymousTokens", request);
    await server().person("ada").fails("not-allowed", "console.putAnonymousTokens", request);
    await server().guest.fails("not-signed-in", "console.putAnonymousTokens", request);
    const unknown = { ...request, params: { app_id: "proj_x" } };
    await owner.fails("app-not-found", "console.putAnonymousTokens", unknown);
    const wrong = { ...request, body: { ...issued, budget: { ...none, tokens_per_day: 0 } } };
    const refused = await owner.ask("console.putAnonymousTokens", wrong);
    expectProblem(refused, "bad-request");
    expect(refused.text).toContain("body.budget.tokens_per_day");
    await putTokens(owner, { ...issued, models: ["builtin"] });
    const [entry] = (
      await owner.call("audit.list", { query: { action: "app-anonymous-tokens-changed", limit: 1 } })
    ).entries;
    expect(entry).toMatchObject({
      target: first,
      details: { is_on: true, models: ["builtin"], budget: null },
    });
    expect(await app()).toMatchObject({ is_on: true, models: ["builtin"], budget: null, is_allowed: true });
  });
});

test.each(engines)(
  "the operator's setting turns off guests and the tokens of every app (%s)",
  async (engine) => {
    const server = await start(engine, { PARLANCE_ANONYMOUS: "off" });
    const owner = await createAccount(server, { open_to: "anyone" });
    await putTokens(owner, issued);
    expectProblem(await openGuest(server), "anonymous-off");
    expectProblem(await anonymously(server), "anonymous-off");
    expect(await owner.call("signInSettings.get")).toMatchObject({
      guests_allowed: false,
      anonymous_projects: [],
    });
    const { anonymous_tokens } = await owner.call("console.app", { params: { app_id: first } });
    expect(anonymous_tokens).toMatchObject({ is_on: true, is_allowed: false });
  },
);
