import { beforeAll, expect, test } from "vitest";
import type { EndpointName } from "#contract/api.ts";
import { createOwner, join, openBrowser, openToEveryone, type Browser } from "../support/clients/browser.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { describeServer } from "../support/servers/server.ts";
import { ask, groupOf, idOf, shareWith, unshare, uploadPicture } from "../shares/sharing.ts";
import { storeMessages } from "./store-messages.ts";

type Found = { titles: (string | null)[]; texts: string[] };

/** What a person finds, as texts with hits in brackets, by both endpoints. */
async function find(who: Visitor, q: string, more: Record<string, string> = {}): Promise<Found> {
  const { hits } = await who.call("search.find", { query: { q, ...more } });
  const { results } = await who.call("search.threads", { query: { q, ...more } });
  expect([...new Set(hits.map(({ thread_id: id }) => id))].toSorted()).toEqual(
    [...new Set(results.map(({ thread_id: id }) => id))].toSorted(),
  );
  return {
    titles: [...new Set(hits.map(({ title }) => title))],
    texts: hits.map(({ excerpt }) => excerpt.map(({ text, hit }) => (hit ? `[${text}]` : text)).join("")),
  };
}

const nothing: Found = { titles: [], texts: [] };

describeServer("search in threads that others share", { model: true }, (server) => {
  let owner: Browser;
  let ada: Browser;
  let ben: Browser;
  let cleo: Browser;
  beforeAll(async () => {
    owner = await openToEveryone(await createOwner(server()));
    ada = await join(owner, { email: "ada@example.com" });
    ben = await join(owner, { email: "ben@example.com" });
    cleo = await join(owner, { email: "cleo@example.com" });
  });

  test("finds texts, titles and files as long as they are shared, with a person or a group", async () => {
    const { threadId } = await storeMessages(ada, ["A heron nests here", "So does a bittern"], {
      title: "Marsh birds",
    });
    await storeMessages(ada, ["Another heron, which is private"], { title: "Private birds" });
    await storeMessages(ben, ["My own heron"], { title: "My birds" });
    const picture = await uploadPicture(ada);
    await ask(ada, "Look at this", { threadId, file: picture.url });
    expect(await find(ben, "bittern")).toEqual(nothing);
    expect((await find(ben, "garden")).texts).toEqual([]);

    await shareWith(ada, threadId, ben, "read");
    expect((await find(ben, "bittern ")).texts).toEqual(["So does a [bittern]"]);
    expect(await find(ben, "heron ")).toEqual({
      titles: ["My birds", "Marsh birds"],
      texts: ["My own [heron]", "A [heron] nests here"],
    });
    expect((await find(ben, "birds", { kind: "title" })).titles).toEqual(["My birds", "Marsh birds"]);
    expect((await find(ben, "heron in:marsh ")).titles).toEqual(["Marsh birds"]);
    expect((await find(ben, "heron ", { thread_id: threadId })).titles).toEqual(["Marsh birds"]);
    const { hits } = await ben.call("search.find", { query: { q: "garden has:file" } });
    expect(hits).toMatchObject([
      { thread_id: threadId, file: { id: picture.id }, shared_by: { name: "ada" }, is_archived: false },
    ]);
    expect((await ben.ask("files.read", { params: { file_id: picture.id } })).status).toBe(200);

    await unshare(ada, threadId, ben);
    expect((await find(ben, "heron ")).titles).toEqual(["My birds"]);
    expect((await find(ben, "garden has:file")).texts).toEqual([]);

    const group = await groupOf(owner, "Birders", ben);
    await owner.call("groups.addMember", { params: { group_id: group, person_id: await idOf(ada) } });
    await shareWith(ada, threadId, group);
    expect((await find(ben, "heron ")).titles).toEqual(["My birds", "Marsh birds"]);
    expect(await find(cleo, "heron")).toEqual(nothing);
    await owner.call("groups.removeMember", { params: { group_id: group, person_id: await idOf(ben) } });
    expect((await find(ben, "heron ")).titles).toEqual(["My birds"]);
    expect((await find(ada, "heron ")).titles).toEqual(["Private birds", "Marsh birds"]);
  });

  test("is continued after the last result, and hides how the owner keeps the thread", async () => {
    const threads = [];
    for (const [number, who] of [ada, ben, ada, cleo, ben].entries()) {
      const { threadId } = await storeMessages(who, [`A dunlin, number ${number}`], { title: `D${number}` });
      threads.push(threadId);
      if (who !== ben) await shareWith(who, threadId, ben);
    }
    await ada.call("threads.update", { params: { thread_id: threads[0]! }, body: { is_archived: true } });
    for (const name of ["search.find", "search.threads"] as const) {
      const found: unknown[] = [];
      let after: string | null = "";
      while (after !== null) {
        const query = { q: "dunlin", limit: "2", ...(after === "" ? {} : { after }) };
        const page = await pageOf(ben, name, query);
        found.push(
          ...page.found.map(({ title, is_archived, shared_by }) => [title, is_archived, shared_by?.name]),
        );
        after = page.next;
      }
      expect(found).toEqual([
        ["D4", false, undefined],
        ["D3", false, "cleo"],
        ["D2", false, "ada"],
        ["D1", false, undefined],
        ["D0", false, "ada"],
      ]);
    }
    expect((await find(ben, 'number dunlin -"3" ')).titles).toEqual(["D4", "D2", "D1", "D0"]);
    expect((await find(ben, '"dunlin number" 2 ')).titles).toEqual(["D2"]);
    expect((await find(ben, "dunlin archived:yes")).titles).toEqual([]);
    await ada.call("threads.remove", { params: { thread_id: threads[2]! } });
    expect((await find(ben, "dunlin archived:no ")).titles).toEqual(["D4", "D3", "D1", "D0"]);
  });

  test("shows no address of a file to members, and nothing to guests", async () => {
    const picture = await uploadPicture(ada);
    const secret = new URL(picture.url).pathname.split("/").at(-1)!.replace(".png", "");
    const { threadId } = await storeMessages(ada, [`The plover is at ${picture.url}`, "A plover answers"], {
      title: "Plovers",
    });
    await shareWith(ada, threadId, ben);
    expect((await find(ada, secret.slice(0, 3))).titles).toEqual(["Plovers"]);
    expect(await find(ben, secret.slice(0, 3))).toEqual(nothing);
    expect((await find(ben, "plover ")).texts).toEqual(["A [plover] answers"]);
    expect((await ben.call("search.threads", { query: { q: "plover " } })).results).toMatchObject([
      { matches: 1, hits: [{ role: "assistant" }] },
    ]);
    const guest = openBrowser(server().url);
    await guest.post("auth.openSession", {});
    expect(await find(guest, "plover")).toEqual(nothing);
  });
});

async function pageOf(
  who: Visitor,
  name: Extract<EndpointName, `search.${string}`>,
  query: Record<string, string>,
) {
  if (name === "search.find") {
    const { hits, next } = await who.call(name, { query: query });
    return { found: hits, next };
  }
  const { results, next } = await who.call(name, { query: query });
  return { found: results, next };
}
