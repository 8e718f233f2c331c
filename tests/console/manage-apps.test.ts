import { beforeAll, expect, test } from "vitest";
import { createOwner, join, type Browser } from "../support/clients/browser.ts";
import { bearer, keyHeaders, visitor } from "../support/clients/visitor.ts";
import { runCommand, runCommandJson } from "../support/servers/cli.ts";
import { providerOf } from "../support/servers/provider.ts";
import { describeServer } from "../support/servers/server.ts";

const now = () => new Date().toISOString();

describeServer("apps, managed by an administrator,", {}, (server) => {
  let owner: Browser;
  let admin: Browser;
  beforeAll(async () => {
    owner = await createOwner(server());
    admin = await join(owner, { email: "admin@example.com", role: "admin" });
  });
  const create = async (name: string) => (await admin.call("console.createApp", { body: { name } })).app_id;
  const audited = async (target: string) =>
    (await owner.call("audit.list", { query: { person: target } })).entries.map(
      ({ action, actor, details }) => ({
        action,
        actor,
        details,
      }),
    );

  test("are those of the command line: each sees what the other created", async () => {
    const app_id = await create("  The shop ");
    await admin.fails("app-exists", "console.createApp", { body: { name: "The shop" } });
    for (const name of ["", "  ", "two\nlines", "x".repeat(256)])
      await admin.fails("bad-request", "console.createApp", { body: { name } });
    const listed = await runCommandJson<{ id: string; name: string }[]>(server().place, "app", "list");
    expect(listed).toContainEqual(expect.objectContaining({ id: app_id, name: "The shop" }));
    expect((await runCommand(server().place, ["app", "create", "The shop"])).code).toBe(1);

    const { id } = await runCommandJson<{ id: string }>(server().place, "app", "create", "by command");
    const { apps } = await admin.call("console.apps");
    expect(apps.map(({ name }) => name)).toEqual(["Parlance", "The shop", "by command"]);
    const { user_id } = await admin.call("auth.me");
    const action = "app-created";
    expect(await audited(app_id)).toEqual([{ action, actor: user_id, details: { name: "The shop" } }]);
    expect(await audited(id)).toMatchObject([{ action, actor: "operator" }]);
  });

  test("have keys that are shown once, work at once, and are refused after they are revoked or expired", async () => {
    const app_id = await create("keys");
    const params = { app_id };
    const made = await admin.call("console.createKey", { params, body: { name: "my app" } });
    expect(made).toMatchObject({ name: "my app", is_active: true, expires_at: null, last_used_at: null });
    const app = visitor(server().url, "app", keyHeaders(made.key, { userId: "u1", workspaceId: "w1" }));
    await app.call("threads.create", { body: { last_message_at: now() } });
    const listed = await admin.call("console.keys", { params });
    expect(listed.keys).toMatchObject([{ id: made.id, prefix: made.key.slice(0, 16), is_active: true }]);
    expect(listed.keys[0]!.last_used_at).not.toBeNull();
    expect(JSON.stringify(listed)).not.toContain(made.key);
    expect((await admin.call("console.apps")).apps.at(-1)).toMatchObject({ active_keys: 1 });

    const elsewhere = await create("elsewhere");
    const other = { app_id: elsewhere, key_id: made.id };
    await admin.fails("key-not-found", "console.revokeKey", { params: other });
    await admin.call("console.revokeKey", { params: { app_id, key_id: made.id } });
    await admin.call("console.revokeKey", { params: { app_id, key_id: made.id } });
    await app.fails("invalid-api-key", "threads.list");
    expect((await audited(made.id)).map(({ action }) => action)).toEqual([
      "app-key-revoked",
      "app-key-created",
    ]);
    expect(JSON.stringify(await audited(made.id))).not.toContain(made.key);

    const expires_at = new Date(server().clock.now() + 60_000).toISOString();
    const short = await admin.call("console.createKey", { params, body: { name: "short", expires_at } });
    const past = new Date(server().clock.now() - 1).toISOString();
    await admin.fails("bad-request", "console.createKey", {
      params,
      body: { name: "late", expires_at: past },
    });
    server().clock.advance(60_001);
    await visitor(server().url, "late", bearer(short.key)).fails("invalid-api-key", "apps.threads");
    const first = await admin.call("console.keys", { params, query: { limit: "1" } });
    expect(first.keys).toMatchObject([{ name: "short", is_active: false, revoked_at: null }]);
    const second = await admin.call("console.keys", { params, query: { limit: "1", after: first.next! } });
    expect(second).toMatchObject({ keys: [{ id: made.id, is_active: false }], next: null });
    await admin.fails("bad-cursor", "console.keys", {
      params: { app_id: elsewhere },
      query: { after: made.id },
    });
  });

  test("list the origins whose pages may call, as the command line does", async () => {
    const params = { app_id: await create("origins") };
    const origin = "https://app.example.com";
    for (const body of [{ origin: "https://APP.example.com/" }, { origin }])
      await admin.call("console.addOrigin", { params, body });
    for (const wrong of ["app.example.com", "https://a.example.com/path", "https://*.example.com", "null"])
      await admin.fails("bad-request", "console.addOrigin", { params, body: { origin: wrong } });
    expect(await admin.call("console.app", { params })).toMatchObject({
      origins: [origin],
      origins_for_all: [],
    });
    const [listed] = await runCommandJson<object[]>(server().place, "origin", "list", "--app", params.app_id);
    expect(listed).toMatchObject({ origins: [origin] });
    for (let index = 1; index < 100; index++)
      await admin.call("console.addOrigin", { params, body: { origin: `https://app${index}.example.com` } });
    const tooMany = { params, body: { origin: "https://more.example.com" } };
    await admin.fails("too-many-origins", "console.addOrigin", tooMany);
    for (let twice = 0; twice < 2; twice++)
      await admin.call("console.removeOrigin", { params, query: { origin } });
    expect((await admin.call("console.app", { params })).origins).toHaveLength(99);
    const actions = (await audited(params.app_id)).map(({ action }) => action);
    expect(actions.filter((action) => action === "app-origin-removed")).toHaveLength(1);
  });

  test("accept tokens by rules, whose unreachable keys are named at once, and end them with the rule", async () => {
    const issuer = await providerOf(server());
    const params = { app_id: await create("tokens") };
    const body = { issuer: issuer.issuer, jwks_url: issuer.jwksUrl, audience: "shop" };
    // Only the owner names a server in the operator's own network.
    await admin.fails("provider-private", "console.addJwtRule", { params, body });
    const { rule, keys_problem } = await owner.call("console.addJwtRule", { params, body });
    expect(keys_problem).toBeNull();
    await owner.fails("bad-request", "console.addJwtRule", { params, body });
    const token = await issuer.sign({ sub: "cleo", aud: "shop" });
    const cleo = visitor(server().url, "cleo", bearer(token));
    const { thread_id } = await cleo.call("threads.create", { body: { last_message_at: now() } });
    const { threads } = await admin.call("console.threads", { params });
    expect(threads.map(({ id }) => id)).toEqual([thread_id]);

    const wrong = { issuer: "https://elsewhere.example/", jwks_url: "http://localhost:1/nothing" };
    const added = await owner.call("console.addJwtRule", { params, body: wrong });
    expect(added.keys_problem).toMatch(/\S/);
    for (const bad of [
      { ...wrong, jwks_url: "http://login.example.com/jwks" },
      { ...wrong, jwks_url: "nothing" },
      { ...wrong, issuer: "two words" },
      { ...wrong, algorithms: ["HS256"] },
      { ...wrong, algorithms: [] },
    ])
      await owner.fails("bad-request", "console.addJwtRule", { params, body: bad as never });
    expect((await owner.call("console.app", { params })).jwt_rules).toHaveLength(2);
    const other = { app_id: await create("other tokens"), jwt_rule_id: rule.id };
    await admin.fails("jwt-rule-not-found", "console.removeJwtRule", { params: other });
    await admin.call("console.removeJwtRule", { params: { ...params, jwt_rule_id: rule.id } });
    await cleo.fails("unknown-issuer", "threads.list");
    await issuer.close();
  });
});
