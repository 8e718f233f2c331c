import { afterEach, describe, expect, test } from "vitest";
import type { Tokens } from "#contract/endpoints/auth.ts";
import { idPrefixes } from "#contract/facts/id-prefixes.ts";
import { hashOf } from "#server/sign-in/secrets.ts";
import { openDatabase } from "#storage/database/open.ts";
import { migrations } from "#storage/migrations/list.ts";
import { openBrowser, password } from "../support/clients/browser.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { newAddress, type Visitor } from "../support/clients/visitor.ts";
import { engines } from "../support/postgres/postgres.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { emptyPlace, startTestServer, type TestServer } from "../support/servers/server.ts";

const zeros = "0".repeat(24);
const first = idPrefixes.app + zeros;
const owner = idPrefixes.user + zeros;
const workspace = idPrefixes.workspace + zeros;
const budget = { tokens_per_day: 5_000_000, tokens_per_month: null, usd_per_day: null, usd_per_month: null };

const refreshToken = `refresh_0${"a".repeat(48)}`;
const sessionToken = `session_0${"b".repeat(48)}`;

/** A server as every start of it leaves it, with its owner. */
const started = [
  `insert into projects (id, name, allowed_origins, created_at) values ('${first}', 'Parlance', '[]', 1)`,
  `insert into workspaces (id, project_id, realm, name, created_at) values ('${workspace}', '${first}', 'own', '${owner}', 1)`,
  `insert into users (id, kind, is_owner, workspace_id, created_at, last_seen_at)
   values ('${owner}', 'admin', 1, '${workspace}', 1, 1)`,
];
/** The owner's account, in which a browser is signed in. */
const account = [
  `update users set email = 'olga@example.com', email_key = 'olga@example.com', joined_at = 1 where id = '${owner}'`,
  session("ses_0olga", owner, sessionToken),
];
/** A visitor of an app, who has a token. */
const visitor = [
  `insert into workspaces (id, project_id, realm, name, created_at) values ('wsp_0vera', '${first}', 'own', 'usr_anon_0vera', 1)`,
  `insert into users (id, kind, workspace_id, created_at, last_seen_at)
   values ('usr_anon_0vera', 'anonymous', 'wsp_0vera', 1, 1)`,
  session("ses_0vera", "usr_anon_0vera", refreshToken),
];
const settings = (guests: 0 | 1) =>
  `insert into auth_settings (id, joining, guests, email_domains, updated_at)
   values ('server', 'approval', ${guests}, '["example.com"]', 1)`;

function session(id: string, userId: string, token: string): string {
  const inTenYears = Date.now() + 3_650 * 86_400_000;
  return `insert into sessions (id, token_hash, user_id, created_at, expires_at)
    values ('${id}', '${hashOf(token)}', '${userId}', 1, ${inTenYears})`;
}

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (let last = undo.pop(); last !== undefined; last = undo.pop()) await last();
});

describe.each(engines)("a server from before apps had their own switch is upgraded (%s)", (engine) => {
  async function upgraded(...statements: string[]): Promise<TestServer> {
    const place = await emptyPlace(engine);
    undo.push(place.remove);
    const name = "0049-anonymous-tokens";
    const later = Object.entries(migrations).filter((entry) => entry[0] >= name);
    for (const [each] of later) delete migrations[each];
    try {
      await (await openDatabase(place)).close();
    } finally {
      Object.assign(migrations, Object.fromEntries(later));
    }
    await rawSql(place, async (run) => {
      for (const statement of [...started, ...visitor, ...statements]) await run(statement);
    });
    const server = await startTestServer({ engine, place, model: true });
    undo.push(server.model.close, server.close);
    return server;
  }

  const withCookie = (server: TestServer): Visitor => {
    const browser = openBrowser(server.url);
    Object.assign(browser.headers, { Cookie: `parlance_${server.port}=${sessionToken}` });
    return browser;
  };
  const openGuest = async (server: TestServer) => await openBrowser(server.url).post("auth.openSession", {});
  const anonymously = async (server: TestServer) =>
    await server.guest.send("POST", "/v1/auth/tokens/anonymous", { headers: newAddress() });
  const refresh = async (server: TestServer) =>
    await server.guest.ask("auth.refresh", {
      body: { refresh_token: refreshToken },
      headers: newAddress(),
    });
  const appOf = async (who: Visitor) =>
    (await who.call("console.app", { params: { app_id: first } })).anonymous_tokens;

  test("without an account: everybody can chat until the first one is made", async () => {
    const server = await upgraded();
    expect((await openGuest(server)).status).toBe(200);
    expect((await anonymously(server)).status).toBe(200);
    const owner_secret = server.ownerLink.split("#")[1]!;
    const body = { name: "Olga", email: "olga@example.com", password, owner_secret };
    expect((await openBrowser(server.url).post("accounts.signUp", body)).status).toBe(200);
    for (const answer of [await openGuest(server), await anonymously(server), await refresh(server)])
      expectProblem(answer, "anonymous-off");
  });

  test("with an account and no row of settings: both stay on, as a row, and are shown", async () => {
    const server = await upgraded(...account);
    const olga = withCookie(server);
    expect(await olga.call("signInSettings.get")).toMatchObject({
      settings: { guests: true, joining: "invitation" },
      anonymous_projects: [{ id: first, name: "Parlance", has_budget: false }],
    });
    expect(await rawSql(server.place, (run) => run("select guests from auth_settings"))).toEqual([
      { guests: 1 },
    ]);
    expect(await appOf(olga)).toMatchObject({ is_on: true, models: null, budget: null });
    expect((await openGuest(server)).status).toBe(200);
    expect((await anonymously(server)).status).toBe(200);
  });

  test("with an account and guests off: both stay off", async () => {
    const server = await upgraded(...account, settings(0));
    const olga = withCookie(server);
    expect(await olga.call("signInSettings.get")).toMatchObject({
      settings: { guests: false, joining: "approval", email_domains: ["example.com"] },
      anonymous_projects: [],
    });
    for (const answer of [await openGuest(server), await anonymously(server), await refresh(server)])
      expectProblem(answer, "anonymous-off");
    const body = { joining: "invitation" as const, guests: true, email_domains: [] };
    await olga.call("signInSettings.put", { body });
    expect((await openGuest(server)).status).toBe(200);
    expectProblem(await anonymously(server), "anonymous-off");
  });

  test("with guests on: apps keep the models and the budget that guests have", async () => {
    const rights = (models: string[] | null) =>
      JSON.stringify({ models, assistants: null, tools: null, permissions: [] });
    const server = await upgraded(
      ...account,
      settings(1),
      `insert into access_settings (id, member_rights, guest_rights, link_sharing, updated_at)
       values ('server', '${rights(null)}', '${rights(["builtin"])}', 1, 1)`,
      `insert into budgets (id, limits, updated_at) values ('guests', '${JSON.stringify(budget)}', 1)`,
    );
    expect(await appOf(withCookie(server))).toMatchObject({ is_on: true, models: ["builtin"], budget });
  });

  test("with visitors of an app: their tokens go on, as those of the app", async () => {
    const server = await upgraded(...account);
    const olga = withCookie(server);
    const signedIn = { joining: "invitation" as const, guests: false, email_domains: [] };
    await olga.call("signInSettings.put", { body: signedIn });
    const access = { is_on: true, models: ["builtin"], budget };
    await olga.call("console.putAnonymousTokens", { params: { app_id: first }, body: access });
    const { body } = (await refresh(server)) as { body: Tokens };
    const vera = server.withToken(body.access_token);
    expect((await vera.call("auth.me")).user_id).toBe("usr_anon_0vera");
    expect((await vera.call("models.list")).models.map(({ id }) => id)).toEqual(["builtin"]);
    expect(await vera.call("budgets.own")).toMatchObject({ budgets: [{ amount: 5_000_000 }] });
  });
});
