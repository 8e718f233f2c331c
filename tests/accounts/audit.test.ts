import { beforeAll, expect, test } from "vitest";
import { limits } from "#contract/limits.ts";
import {
  createOwner,
  join,
  newEmail,
  openBrowser,
  openToEveryone,
  password,
  type Browser,
} from "../support/clients/browser.ts";
import { expectProblem } from "../support/clients/problem.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { describeServer } from "../support/servers/server.ts";

const idOf = async (who: Visitor) => (await who.call("auth.me")).user_id;

describeServer("the audit log", {}, (server) => {
  let owner: Browser;
  let admin: Browser;
  beforeAll(async () => {
    owner = await openToEveryone(await createOwner(server()));
    admin = await join(owner, { email: "admin@example.com", role: "admin" });
  });

  test("names the action, the actor, the target and the network address", async () => {
    const zedEmail = newEmail("zed");
    const nosyEmail = newEmail("nosy");
    const zed = await join(owner, { email: zedEmail });
    const person = await idOf(zed);
    await admin.call("people.update", { params: { person_id: person }, body: { role: "admin" } });
    const { entries } = await owner.call("audit.list", { query: { person } });
    expect(entries.map(({ action }) => action)).toEqual(["role-changed", "account-created"]);
    expect(entries[0]).toMatchObject({
      actor: await idOf(admin),
      actor_name: "admin",
      target: person,
      target_name: "zed",
      details: { from: "member", to: "admin" },
    });
    expect(entries[0]!.address).toMatch(/^10\./);
    const first = await owner.call("audit.list", { query: { limit: 1 } });
    const second = await owner.call("audit.list", { query: { limit: 1, after: first.next! } });
    expect(second.entries[0]!.id < first.entries[0]!.id).toBe(true);
    expect(
      (await owner.call("audit.list", { query: { action: "role-changed", limit: 1 } })).entries[0]!.action,
    ).toBe("role-changed");
    await (await join(owner, { email: nosyEmail })).fails("not-allowed", "audit.list");
  });

  test("is kept for as long as administrators choose, and has that choice", async () => {
    expect(await admin.call("audit.settings")).toEqual({ keep_days: null });
    for (const keep_days of [0, 29, 36_501, 1.5])
      await admin.fails("bad-request", "audit.changeSettings", { body: { keep_days } });
    await admin.call("audit.changeSettings", { body: { keep_days: 90 } });
    expect(await owner.call("audit.settings")).toEqual({ keep_days: 90 });
    const { entries } = await owner.call("audit.list", { query: { action: "audit-retention-changed" } });
    expect(entries.map(({ actor, details }) => [actor, details])).toEqual([
      [await idOf(admin), { from: null, to: 90 }],
    ]);
    // The other settings stay as they are, also when nobody has changed them before.
    const { settings } = await owner.call("signInSettings.get");
    expect(settings).toMatchObject({ joining: "invitation", guests: true, email_domains: [] });
    await owner.call("signInSettings.put", { body: settings });
    expect(await owner.call("audit.settings")).toEqual({ keep_days: 90 });
    await owner.call("audit.changeSettings", { body: { keep_days: null } });
  });

  test("is searched by name, address and time", async () => {
    const nora1Email = newEmail("nora_1");
    const nora = await join(owner, { email: nora1Email });
    const person = await idOf(nora);
    await owner.call("people.update", { params: { person_id: person }, body: { is_suspended: true } });
    const find = async (query: Record<string, string>) => (await owner.call("audit.list", { query })).entries;
    const [suspended, created] = await find({ person });
    expect(await find({ search: "NORA_1@" })).toEqual([suspended, created]);
    expect(await find({ search: "nora%1" })).toEqual([]);
    expect(await find({ search: created!.address! })).toContainEqual(created);
    const all = { search: "nora_1", action: "person-suspended", before: "2200-01-01T00:00:00Z" } as const;
    expect(await find({ ...all, from: suspended!.at })).toEqual([suspended]);
    expect(await find({ ...all, before: suspended!.at })).toEqual([]);
    expect(await find({ search: "nora_1", from: "2200-01-01T01:00:00+01:00" })).toEqual([]);
    const wrong = await owner.ask("audit.list", { query: { from: "yesterday" } });
    expectProblem(wrong, "bad-request");
    expect(wrong.text).toContain("must be a time such as");
  });

  test("has the same entries page by page as at once, with each filter", async () => {
    const email = newEmail("paula");
    const paula = await join(owner, { email });
    const person = await idOf(paula);
    for (const role of ["admin", "member"] as const)
      await owner.call("people.update", { params: { person_id: person }, body: { role } });
    await paula.call("accounts.update", { body: { name: "Paula the first" } });
    await owner.call("groups.create", { body: { name: "Crowd" } });
    const groups = Array.from(
      { length: 201 },
      (_, n) => `('grp_${n}', 'Crowd ${n}', 'crowd ${n}', '{}', 0, 0)`,
    );
    await rawSql(server().place, async (run) => {
      await run(
        `insert into user_groups (id, name, name_key, rights, created_at, updated_at) values ${groups.join(", ")}`,
      );
    });
    const filters = [
      {},
      { person },
      { action: "role-changed" },
      { person, action: "role-changed" },
      { person, search: "paula" },
      { search: "paula the" },
      // More than are looked up one by one.
      { search: "crowd" },
      { search: "10." },
      { from: new Date(server().clock.now() - 1_000).toISOString() },
    ];
    for (const filter of filters) {
      const all = (await owner.call("audit.list", { query: { ...filter, limit: 200 } })).entries;
      expect(all.length, JSON.stringify(filter)).toBeGreaterThan(0);
      const paged: typeof all = [];
      let after: string | null = null;
      do {
        const query: Record<string, string> = { ...filter, limit: "2", ...(after === null ? {} : { after }) };
        const page = await owner.call("audit.list", { query });
        paged.push(...page.entries);
        after = page.next;
      } while (after !== null);
      expect(paged, JSON.stringify(filter)).toEqual(all);
      expect(new Set(paged.map(({ id }) => id)).size).toBe(paged.length);
    }
    const { entries } = await owner.call("audit.list", { query: { person, search: "nobody else" } });
    expect(entries).toEqual([]);
    const mine = (await owner.call("audit.list", { query: { person } })).entries;
    expect(mine.map(({ action }) => action)).toEqual([
      "account-changed",
      "role-changed",
      "role-changed",
      "account-created",
    ]);
  });

  test("has what was done to assistants, and with which fields", async () => {
    const actor = await idOf(admin);
    const { assistant } = await admin.call("assistants.create", { body: { name: "Gardener" } });
    const params = { assistant_id: assistant.id };
    await admin.call("assistants.update", { params, body: { name: "Botanist", starters: ["Hello"] } });
    await admin.call("assistants.remove", { params });
    await admin.call("assistants.remove", { params });
    await admin.call("assistants.restore", { params });
    const { entries } = await owner.call("audit.list", { query: { person: actor, limit: 4 } });
    expect(entries.map(({ action, target, details }) => [action, target, details])).toEqual([
      ["assistant-restored", assistant.id, { name: "Botanist" }],
      ["assistant-removed", assistant.id, { name: "Botanist" }],
      ["assistant-changed", assistant.id, { name: "Botanist", fields: ["name", "starters"] }],
      ["assistant-created", assistant.id, { name: "Gardener" }],
    ]);
  });

  test("has failed sign-ins to an account once they are slowed down, and none to made-up addresses", async () => {
    const email = "guessed@example.com";
    const target = await idOf(await join(owner, { email }));
    const guesser = openBrowser(server().url);
    const guess = async (name: string) =>
      await guesser.post("accounts.signIn", { email: name, password: "a guess" });
    for (let tries = 0; tries < limits.passwordTriesPerAddress - 1; tries++)
      expectProblem(await guess(email), "wrong-password");
    const find = async () =>
      (await owner.call("audit.list", { query: { action: "sign-ins-slowed" } })).entries.map(
        ({ actor, target: of, details }) => [actor, of, details],
      );
    expect(await find()).toEqual([]);
    expectProblem(await guess(email), "wrong-password");
    for (let tries = 0; tries < 3; tries++) expectProblem(await guess(email), "too-many-attempts");
    const attempts = limits.passwordTriesPerAddress;
    expect(await find()).toEqual([["unknown", target, { method: "password", attempts }]]);
    for (let tries = 0; tries < limits.passwordTriesPerAddress; tries++) await guess("nobody@example.com");
    expect(await find()).toHaveLength(1);
  });

  test("has wrong passwords of signed-in people by their name, and no right ones", async () => {
    const email = "forgetful@example.com";
    const browser = await join(owner, { email });
    const target = await idOf(browser);
    const find = async () =>
      (await owner.call("audit.list", { query: { action: "sign-ins-slowed", person: target } })).entries.map(
        ({ actor }) => actor,
      );
    const confirm = async (guess: string) =>
      await browser.ask("accounts.confirm", { body: { password: guess } });
    for (let tries = 0; tries < limits.passwordTriesPerAddress - 1; tries++)
      expectProblem(await confirm("a guess"), "wrong-password");
    expect((await confirm(password)).status).toBe(200);
    expect(await find()).toEqual([]);
    for (let tries = 0; tries < limits.passwordTriesPerAddress; tries++)
      expectProblem(await confirm("a guess"), "wrong-password");
    expect(await find()).toEqual([target]);
  });

  test("names groups and apps, and finds what was done to them by their names", async () => {
    const { id: group_id } = await owner.call("groups.create", { body: { name: "Night Shift" } });
    await owner.call("groups.update", { params: { group_id }, body: { name: "Day Shift" } });
    const { app_id: app } = await owner.call("console.createApp", { body: { name: "Bakery" } });
    const find = async (search: string) =>
      (await owner.call("audit.list", { query: { search } })).entries.map((entry) => [
        entry.action,
        entry.target,
        entry.target_name,
      ]);
    expect(await find("day shift")).toEqual([
      ["group-changed", group_id, "Day Shift"],
      ["group-created", group_id, "Day Shift"],
    ]);
    expect(await find("baker")).toEqual([["app-created", app, "Bakery"]]);
    // Like deleted people, deleted groups keep their id.
    await owner.call("groups.remove", { params: { group_id } });
    expect(await find("shift")).toEqual([]);
    const { entries } = await owner.call("audit.list", { query: { action: "group-removed" } });
    expect(entries[0]).toMatchObject({ target: group_id, target_name: null, details: { name: "Day Shift" } });
  });
});
