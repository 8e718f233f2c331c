import { beforeAll, expect } from "vitest";
import { openWebUiChat } from "../support/data/chat-products.ts";
import { webUiDatabase, type WebUi } from "../support/data/webui-db.ts";
import {
  createOwner,
  join,
  openBrowser,
  openToEveryone,
  password,
  type Browser,
} from "../support/clients/browser.ts";
import { pass, soon } from "../console/app-with-retention.ts";
import { zipped } from "../support/data/zips.ts";
import { importEveryone, importFile } from "../support/clients/transfer.ts";
import { describeServer, test } from "../support/servers/server.ts";

/** Two people with chats, in groups, and an assistant. */
function office(database: WebUi): void {
  database.person("u1", "Ben", "ben@office.example");
  database.person("u2", "Cy", "cy@office.example");
  database.insert("folder", { id: "f1", user_id: "u1", name: "Plants" });
  database.chat("u1", "bens", { folder_id: "f1" });
  database.insert("prompt", {
    command: "/plant",
    user_id: "u1",
    title: "Plant",
    content: "Plant it",
    timestamp: 1,
  });
  database.insert("memory", { id: "m1", user_id: "u1", content: "Likes ferns" });
  database.chat("u2", "cys");
  database.chat("u2", "cys-other");
  const group = { permissions: "{}", user_ids: '["u1","u2"]' };
  database.insert("group", { id: "g1", name: "Gardeners", ...group });
  // Here, a group of this name has rights.
  database.insert("group", { id: "g2", name: "Admins", ...group });
  database.insert("model", {
    id: "gardener",
    base_model_id: "llama3:8b",
    name: "Gardener",
    params: '{"system":"You know plants."}',
    meta: "{}",
  });
  const florist = { base_model_id: "Fixture-1:latest", name: "Florist", params: "{}", meta: "{}" };
  database.insert("model", { id: "florist", ...florist });
}

async function signUp(url: string, link: string | null, email: string, browser = openBrowser(url)) {
  const invitation = link!.split("#")[1]!;
  return {
    browser,
    made: await browser.post("accounts.signUp", { name: "Me", email, password, invitation }),
  };
}

const titles = async (who: Browser) =>
  (await who.call("threads.list", { query: { is_archived: true } })).threads
    .map(({ title }) => title ?? "")
    .toSorted((a, b) => a.localeCompare(b));

describeServer("an import of everybody from another server", { model: true }, (server) => {
  let owner: Browser;
  let file: Buffer;
  beforeAll(async () => {
    owner = await openToEveryone(await createOwner(server()));
    file = await webUiDatabase(office);
    const rights = { models: null, assistants: null, tools: null, permissions: ["threads.share" as const] };
    await owner.call("groups.create", { body: { name: "Admins", rights } });
  });

  test("gives each person what is theirs once they use the invitation, and adds nothing twice", async () => {
    const preview = await importEveryone(owner, file, "?preview=true");
    expect(preview.start).toMatchObject({ threads: 3, people: 2 });
    expect(preview.people).toMatchObject([
      { name: "Ben", outcome: "invited", link: null, counts: { added: 1 }, folders: 1, prompts: 1 },
      { name: "Cy", outcome: "invited", link: null, counts: { added: 2 }, folders: 0, prompts: 0 },
    ]);
    expect(preview.end).toMatchObject({
      prompts: 1,
      server: { groups: 2, assistants: 2, models: ["llama3:8b"] },
      skipped: [{ reason: "not-yet", name: "memories", count: 1 }],
    });
    expect((await owner.call("preparedPeople.list")).people).toEqual([]);
    expect((await owner.call("invitations.list")).invitations).toEqual([]);

    const first = await importEveryone(owner, file);
    expect(first.people).toMatchObject([
      { name: "Ben", outcome: "invited", counts: { added: 1 } },
      { name: "Cy", outcome: "invited", counts: { added: 2 } },
    ]);
    // A group with rights is left out.
    expect(first.end).toMatchObject({ added: 3, prompts: 1, server: { groups: 1, assistants: 2 } });
    // An administrator does not learn what the chats are about.
    expect(first.text).not.toContain("About");
    const second = await importEveryone(owner, file);
    expect(second.people.map(({ counts }) => [counts.added, counts.unchanged])).toEqual([
      [0, 1],
      [0, 2],
    ]);
    // The invitations of the first import are void.
    const late = await signUp(owner.url, first.people[0]!.link, "ben@office.example");
    expect(late.made.status).toBeGreaterThanOrEqual(400);

    // A guest with a chat of their own keeps it.
    const guest = openBrowser(owner.url);
    await guest.post("auth.openSession");
    await importFile(guest, JSON.stringify([openWebUiChat("own")]));
    const { browser: ben, made } = await signUp(
      owner.url,
      second.people[0]!.link,
      "ben@office.example",
      guest,
    );
    expect(made.status, made.text).toBe(200);
    expect(await titles(ben)).toEqual(["About bens", "About own"]);
    const { browser: cy } = await signUp(owner.url, second.people[1]!.link, "cy@office.example");
    expect(await titles(cy)).toEqual(["About cys", "About cys-other"]);
    const { people } = await owner.call("people.list", { query: { search: "office.example" } });
    expect(people.map(({ groups }) => groups)).toEqual([["Gardeners"], ["Gardeners"]]);
    // With the connected model, or the name of the one that they want.
    const { assistants } = await owner.call("assistants.list");
    expect(assistants.map(({ name, model }) => [name, model])).toEqual(
      expect.arrayContaining([
        ["Gardener", "llama3:8b"],
        ["Florist", "env/fixture-1"],
      ]),
    );
    // Whoever has joined is found again.
    for (const query of ["?preview=true", ""])
      expect((await importEveryone(owner, file, query)).people).toMatchObject([
        { outcome: "existing", link: null, counts: { added: 0, unchanged: 1 } },
        { outcome: "existing", link: null, counts: { added: 0, unchanged: 2 } },
      ]);
  });

  test("keeps what waits for somebody although guests' chats are deleted after some days", async () => {
    const database = await webUiDatabase((each) => {
      each.person("u7", "Fay", "fay@office.example");
      each.chat("u7", "fays");
    });
    const { people } = await importEveryone(owner, database);
    const guest = openBrowser(owner.url);
    await guest.post("auth.openSession");
    await importFile(guest, JSON.stringify([openWebUiChat("guests")]));
    expect(await titles(guest)).toEqual(["About guests"]);
    const { apps } = await owner.call("console.apps");
    const rules = { keep_threads_days: 1, keep_span_texts_days: null, keep_steps_days: null };
    for (const { id: app_id } of apps)
      await owner.call("console.putRetention", { params: { app_id }, body: rules });
    await pass([server()], 30, owner);
    await soon([server()], async () => expect(await titles(guest)).toEqual([]));
    const { browser: fay } = await signUp(owner.url, people[0]!.link, "fay@office.example");
    expect(await titles(fay)).toEqual(["About fays"]);
  });

  test("lists who has not come, makes new links, and removes what waits for somebody", async () => {
    const database = await webUiDatabase((each) => {
      each.person("u8", "Gus", "gus@office.example");
      each.chat("u8", "gus");
    });
    const first = await importEveryone(owner, database);
    const find = async () =>
      (await owner.call("preparedPeople.list")).people.find(({ email }) => email === "gus@office.example");
    const gus = (await find())!;
    expect(gus).toMatchObject({ name: "Gus", threads: 1, mailed_at: null });
    const params = { person_id: gus.id };
    await owner.fails("mail-not-set", "preparedPeople.invite", { params, body: { send: true } });
    const { link } = await owner.call("preparedPeople.invite", { params, body: {} });
    const check = async (given: string | null) =>
      (await server().guest.ask("accounts.checkInvitation", { body: { token: given!.split("#")[1]! } }))
        .status;
    expect(await check(first.people[0]!.link)).toBeGreaterThanOrEqual(400);
    expect(await check(link)).toBe(200);
    await owner.call("preparedPeople.remove", { params });
    expect(await find()).toBeUndefined();
    expect(await check(link)).toBeGreaterThanOrEqual(400);
    await owner.fails("person-not-found", "preparedPeople.invite", { params, body: {} });
    // Nothing was left, so that it all comes again.
    const again = await importEveryone(owner, database);
    expect(again.people).toMatchObject([{ outcome: "invited", counts: { added: 1 } }]);
    const { browser } = await signUp(owner.url, again.people[0]!.link, "gus@office.example");
    expect(await titles(browser)).toEqual(["About gus"]);
    // Somebody with an account is not removed here.
    await owner.fails("person-not-found", "preparedPeople.remove", { params });
  });

  test("counts what is refused for each person, with the reason, and imports the others", async () => {
    const suspended = await join(owner, { email: "hal@office.example" });
    const database = await webUiDatabase((each) => {
      each.person("u4", "Hal", "hal@office.example");
      each.chat("u4", "hals");
      each.person("u5", "Ivy", "ivy@office.example");
      each.chat("u5", "broken", {
        chat: { history: { messages: { a: { id: "a", role: "user", content: "?" } } } },
      });
      each.insert("chat", {
        id: "nothing",
        user_id: "u5",
        title: "Nothing",
        chat: "[]",
        meta: "{}",
        created_at: 1,
      });
      each.chat("u5", "ivys");
    });
    const first = await importEveryone(owner, database);
    expect(first.people).toMatchObject([
      { name: "Hal", is_address_unproved: true, refusals: [] },
      { name: "Ivy", counts: { refused: 1 }, refusals: [{ error: { code: "import-unknown" }, count: 1 }] },
    ]);
    const { browser: hal } = await signUp(owner.url, first.people[0]!.link, "hal-at-home@office.example");
    const { user_id: id } = await hal.call("auth.me");
    await owner.call("people.update", { params: { person_id: id }, body: { is_suspended: true } });
    expect((await importEveryone(owner, database)).people).toMatchObject([
      { name: "Hal", outcome: "refused", refusals: [{ error: { code: "account-suspended" }, count: 1 }] },
      { name: "Ivy", outcome: "invited" },
    ]);
    expect(await titles(suspended)).toEqual([]);
  });

  test("brings everything once if two administrators import at the same time", async () => {
    const other = await join(owner, { email: "admin@office.example", role: "admin" });
    const database = await webUiDatabase((each) => {
      for (const key of ["a", "b", "c"]) {
        each.person(key, key.toUpperCase(), `${key}@both.example`);
        for (let number = 0; number < 5; number++) each.chat(key, `${key}${number}`);
      }
    });
    const both = await Promise.all([importEveryone(owner, database), importEveryone(other, database)]);
    for (const { people } of both)
      expect(people.map(({ outcome, counts }) => [outcome, counts.refused])).toEqual(
        Array.from({ length: 3 }, () => ["invited", 0]),
      );
    const waiting = (await owner.call("preparedPeople.list")).people.filter(({ email }) =>
      email.endsWith("@both.example"),
    );
    expect(waiting.map(({ threads }) => threads)).toEqual([5, 5, 5]);
    const { people } = await importEveryone(owner, database);
    expect(people.map(({ counts }) => [counts.added, counts.unchanged])).toEqual(
      Array.from({ length: 3 }, () => [0, 5]),
    );
  });

  test("brings nobody of a database that is cut, in use, or whose archive lies", async () => {
    const before = (await owner.call("preparedPeople.list", { query: { limit: "200" } })).people.length;
    const database = await webUiDatabase((each) => {
      each.person("z", "Zed", "zed@office.example");
      for (let number = 0; number < 50; number++) each.chat("z", `z${number}`);
    });
    const cut = await importEveryone(owner, database.subarray(0, database.length / 2));
    expect(cut.text).toContain("import-damaged");
    const inUse = await zipped({ "webui.db": database, "webui.db-wal": "changes" });
    expect((await importEveryone(owner, inUse)).text).toContain("import-in-use");
    const lying = await zipped({
      "users.bson": "\u00ff\u00ff\u00ff\u007f",
      "conversations.bson": "",
      "messages.bson": "",
    });
    expect((await importEveryone(owner, lying)).text).toContain("import-damaged");
    const after = (await owner.call("preparedPeople.list", { query: { limit: "200" } })).people.length;
    expect(after).toBe(before);
  });

  test("leaves out what belongs to nobody, and imports the rest", async () => {
    const database = await webUiDatabase((each) => {
      each.person("y", "Yui", "yui@office.example");
      each.chat("y", "yuis", { folder_id: "gone" });
      each.chat("nobody", "orphan");
      each.insert("group", { id: "gone", name: "Ghosts", user_ids: '["nobody","y"]' });
    });
    const { people, end } = await importEveryone(owner, database);
    expect(people).toMatchObject([{ name: "Yui", counts: { added: 1 } }]);
    expect(end).toMatchObject({
      server: { groups: 1 },
      skipped: [{ reason: "unknown", name: "chats of people who were deleted", count: 1 }],
    });
  });

  test("does not sign anybody in with an imported password, nor give chats to an address that is not proved", async () => {
    const mallory = await join(owner, { email: "dee@office.example" });
    const database = await webUiDatabase((each) => {
      each.person("u9", "Dee", "dee@office.example");
      each.chat("u9", "dees");
    });
    const { people } = await importEveryone(owner, database);
    expect(people).toMatchObject([{ outcome: "invited", counts: { added: 1 } }]);
    expect(await titles(mallory)).toEqual([]);
    const answer = await openBrowser(owner.url).post("accounts.signIn", {
      email: "dee@office.example",
      password: "a-hash-that-must-not-come-along",
    });
    expect(answer.status).toBeGreaterThanOrEqual(400);
  });

  test("is for administrators alone", async ({ ada, eve }) => {
    const member = await join(owner, { email: "eve@office.example" });
    for (const who of [member, ada, eve]) {
      const { status } = await who.send("POST", "/v1/people/import", {
        body: file as unknown as string,
        headers: { "Content-Type": "application/octet-stream" },
      });
      expect([401, 403]).toContain(status);
    }
    const alone = await importFile(owner, JSON.stringify([]));
    expect(alone.start).toMatchObject({ kind: null });
  });
});
