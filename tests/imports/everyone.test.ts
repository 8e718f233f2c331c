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
import { importFile } from "../support/clients/transfer.ts";
import { describeServer, test } from "../support/servers/server.ts";

type Person = {
  name: string;
  outcome: string;
  link: string | null;
  counts: { added: number; unchanged: number };
};

/** Two people with chats, in groups, and an assistant. */
function office(database: WebUi): void {
  database.person("u1", "Ben", "ben@office.example");
  database.person("u2", "Cy", "cy@office.example");
  database.chat("u1", "bens");
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
}

async function importAll(
  who: Browser,
  file: Uint8Array,
  query = "",
): Promise<{ status: number; people: Person[]; text: string }> {
  const { status, text } = await who.send("POST", `/v1/people/import${query}`, {
    body: file as unknown as string,
    headers: { "Content-Type": "application/octet-stream" },
  });
  const events = text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice("data: ".length)) as { type: string } & Person);
  return { status, text, people: events.filter(({ type }) => type === "import-person") };
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

describeServer("an import of everybody from another server", {}, (server) => {
  let owner: Browser;
  let file: Buffer;
  beforeAll(async () => {
    owner = await openToEveryone(await createOwner(server()));
    file = await webUiDatabase(office);
    const rights = { models: null, assistants: null, tools: null, permissions: ["threads.share" as const] };
    await owner.call("groups.create", { body: { name: "Admins", rights } });
  });

  test("gives each person what is theirs once they use the invitation, and adds nothing twice", async () => {
    const preview = await importAll(owner, file, "?preview=true");
    expect(preview.people).toMatchObject([
      { name: "Ben", outcome: "invited", link: null, counts: { added: 1 } },
      { name: "Cy", outcome: "invited", link: null, counts: { added: 2 } },
    ]);
    expect((await owner.call("invitations.list")).invitations).toEqual([]);

    const first = await importAll(owner, file);
    expect(first.people).toMatchObject([
      { name: "Ben", outcome: "invited", counts: { added: 1 } },
      { name: "Cy", outcome: "invited", counts: { added: 2 } },
    ]);
    // An administrator does not learn what the chats are about.
    expect(first.text).not.toContain("About");
    const second = await importAll(owner, file);
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
    const { assistants } = await owner.call("assistants.list");
    expect(assistants.map(({ name }) => name)).toContain("Gardener");
    // Whoever has joined is found again.
    for (const query of ["?preview=true", ""])
      expect((await importAll(owner, file, query)).people).toMatchObject([
        { outcome: "existing", link: null, counts: { added: 0, unchanged: 1 } },
        { outcome: "existing", link: null, counts: { added: 0, unchanged: 2 } },
      ]);
  });

  test("keeps what waits for somebody although guests' chats are deleted after some days", async () => {
    const database = await webUiDatabase((each) => {
      each.person("u7", "Fay", "fay@office.example");
      each.chat("u7", "fays");
    });
    const { people } = await importAll(owner, database);
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

  test("does not sign anybody in with an imported password, nor give chats to an address that is not proved", async () => {
    const mallory = await join(owner, { email: "dee@office.example" });
    const database = await webUiDatabase((each) => {
      each.person("u9", "Dee", "dee@office.example");
      each.chat("u9", "dees");
    });
    const { people } = await importAll(owner, database);
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
