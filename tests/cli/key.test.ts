import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiKey } from "#fixtures/people.ts";
import { startChildServer, type ChildServer } from "../support/servers/child-server.ts";
import { runCommand, runCommandJson } from "../support/servers/cli.ts";
import { engines } from "../support/postgres/postgres.ts";
import { emptyPlace, newPlace, type ServerPlace } from "../support/servers/server.ts";
import { bearer, keyHeaders, visitor, type Visitor } from "../support/clients/visitor.ts";

type Made = { id: string; key: string; project_id: string; expires_at: string | null };
type Listed = { id: string; prefix: string; name: string; state: string; last_used_at: string | null };

describe.each(engines)("API keys at the command line, beside a running server (%s)", (engine) => {
  let place: ServerPlace;
  let server: ChildServer;
  beforeAll(async () => {
    place = await newPlace(engine);
    server = await startChildServer(place, undefined);
  });
  afterAll(async () => {
    await server.end("SIGKILL");
    await place.remove();
  });

  const withKey = (key: string): Visitor =>
    visitor(server.url, "ada", keyHeaders(key, { userId: "user_ada", workspaceId: "org_engines" }));

  test("work at once, and are refused at once when they are revoked, with the tokens that they minted", async () => {
    const { key } = await runCommandJson<Made>(place, "key", "create", "my app");
    const ada = withKey(key);
    const { thread_id } = await ada.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    const { token } = await ada.call("auth.mint");
    const browser = visitor(server.url, "ada's browser", bearer(token));
    expect((await browser.call("threads.list")).threads.map(({ id }) => id)).toEqual([thread_id]);

    const revoked = await runCommand(place, ["key", "revoke", "my app"]);
    expect(revoked).toMatchObject({ code: 0, err: "" });
    expect(revoked.out).not.toContain(key);
    await ada.fails("invalid-api-key", "threads.list");
    await browser.fails("invalid-token", "threads.list");
    // Revoking it again succeeds.
    expect((await runCommand(place, ["key", "revoke", "my app"])).code).toBe(0);
    expect((await withKey(apiKey).ask("threads.list")).status).toBe(200);
  });

  test("are shown once, and then only their beginnings", async () => {
    const made = await runCommand(place, ["key", "create", "shown once", "--expires", "90d"]);
    const key = /^sk_aui_proj_[a-z0-9]{40}$/m.exec(made.out)?.[0] ?? "";
    expect(key).not.toBe("");
    await withKey(key).call("threads.list");
    for (const words of [
      ["key", "list"],
      ["key", "list", "--all"],
      ["key", "list", "--json"],
    ]) {
      const { code, out } = await runCommand(place, words);
      expect(code).toBe(0);
      expect(out).toContain(key.slice(0, 16));
      expect(out).not.toContain(key.slice(0, 20));
    }
    const [listed] = await runCommandJson<Listed[]>(place, "key", "list");
    expect(listed).toMatchObject({ name: "shown once", prefix: key.slice(0, 16), state: "active" });
    expect(Date.parse(listed?.last_used_at ?? "")).toBeGreaterThan(Date.now() - 60_000);
  });

  test("can be revoked by id, beginning, name or the key itself", async () => {
    const make = async () => await runCommandJson<Made>(place, "key", "create", "one of three");
    const [first, second, third] = [await make(), await make(), await make()];
    const ambiguous = await runCommand(place, ["key", "revoke", "one of three"]);
    expect(ambiguous).toMatchObject({ code: 1, out: "" });
    expect(ambiguous.err).toContain(`3 keys match "one of three". Use an id: `);
    for (const { id } of [first, second, third]) expect(ambiguous.err).toContain(id);

    await runCommandJson(place, "key", "revoke", first.key);
    await runCommandJson(place, "key", "revoke", second.id);
    await withKey(first.key).fails("invalid-api-key", "threads.list");
    await withKey(second.key).fails("invalid-api-key", "threads.list");
    expect((await withKey(third.key).ask("threads.list")).status).toBe(200);
    await runCommandJson(place, "key", "revoke", `${third.key.slice(0, 16)}…`);
    await withKey(third.key).fails("invalid-api-key", "threads.list");

    const all = await runCommandJson<Listed[]>(place, "key", "list", "--all");
    const states = all.filter(({ name }) => name === "one of three").map(({ state }) => state);
    expect(states).toEqual(["revoked", "revoked", "revoked"]);
    const remaining = await runCommandJson<Listed[]>(place, "key", "list");
    expect(remaining.map(({ name }) => name)).not.toContain("one of three");
    const unknown = await runCommand(place, ["key", "revoke", `${third.key}x`]);
    expect(unknown.code).toBe(1);
    expect(unknown.err).not.toContain(third.key);
  });

  test("need an existing app", async () => {
    const ran = await runCommand(place, ["key", "create", "my app", "--app", "attic"]);
    expect(ran).toEqual({
      code: 1,
      out: "",
      err: `--app: there is no app "attic". There are "Parlance".\n`,
    });
    for (const app of ["Parlance", "proj_0000000000000000000000000"])
      await runCommandJson<Made>(place, "key", "create", "my app", "--app", app);
  });

  test("of the setting are valid again while it is set, which the command says", async () => {
    const ran = await runCommand(place, ["key", "revoke", "PARLANCE_API_KEY"]);
    expect(ran.code).toBe(0);
    expect(ran.err).toContain("the next start of the server adds it again");
    await withKey(apiKey).fails("invalid-api-key", "threads.list");
  });
});

test("a key that was created before the server's first start is valid when it starts", async () => {
  const place = await emptyPlace("sqlite");
  const { key } = await runCommandJson<Made>(place, "key", "create", "my app");
  const server = await startChildServer(place, undefined);
  const ada = visitor(server.url, "ada", keyHeaders(key, { userId: "user_ada", workspaceId: "org_engines" }));
  expect((await ada.ask("threads.list")).status).toBe(200);
  await server.end("SIGTERM");
  await place.remove();
});
