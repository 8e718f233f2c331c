import { expect, vi } from "vitest";
import type { SearchThreadsResponse, SearchThread } from "#contract/endpoints/search.ts";
import type { LabelKind } from "#contract/labels/endpoints.ts";
import { newId } from "#contract/ids.ts";
import { describeServer, test } from "../support/servers/server.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { storeFile } from "./store-files.ts";
import { storeMessages } from "./store-messages.ts";

async function search(
  who: Visitor,
  q: string,
  more: Record<string, string> = {},
): Promise<SearchThreadsResponse> {
  return await who.call("search.threads", { query: { q, ...more } });
}

const written = (pieces: SearchThread["marked_title"]) =>
  pieces.map(({ text, hit }) => (hit ? `[${text}]` : text)).join("");

/** Title, matches and excerpts of each result. */
async function found(who: Visitor, q: string, more: Record<string, string> = {}) {
  return (await search(who, q, more)).results.map((one) => [
    written(one.marked_title),
    one.matches,
    ...one.hits.map(({ excerpt }) => written(excerpt)),
  ]);
}

describeServer("search by thread", {}, (server) => {
  test("lists each thread once, with its title, its newest matches and how many there are", async () => {
    const ada = server().inNewWorkspace();
    const texts = ["A heron", "Two herons", "No bird", "Three herons", "Four herons", "Five herons"];
    const marsh = await storeMessages(ada, texts, { title: "Herons of the marsh" });
    await storeMessages(ada, ["The heron again"], { title: "Birds" });
    await storeMessages(ada, ["A kestrel"], { title: "Heron" });
    await storeMessages(ada, ["A grebe"], { title: "Other birds" });
    expect(await found(ada, "heron")).toEqual([
      ["[Heron]", 0],
      ["Birds", 1, "The [heron] again"],
      ["[Herons] of the marsh", 5, "Five [herons]", "Four [herons]", "Three [herons]"],
    ]);
    const { hits } = await ada.call("search.find", {
      query: { q: "heron", kind: "message", thread_id: marsh.threadId },
    });
    expect(hits.map(({ message_id }) => message_id)).toEqual(
      [5, 4, 3, 1, 0].map((index) => marsh.ids[index]),
    );
    expect(await found(ada, "heron", { kind: "title" })).toEqual([
      ["[Heron]", 0],
      ["[Herons] of the marsh", 0],
    ]);
    expect(await found(ada, "heron -marsh in:birds")).toEqual([["Birds", 1, "The [heron] again"]]);
    expect(await found(ada, "heron", { thread_id: marsh.threadId })).toHaveLength(1);
    expect(await found(ada, `heron in:${marsh.threadId}`, { thread_id: "thread_other" })).toEqual([]);
  });

  test("finds threads by tag and folder, of the own workspace only", async () => {
    const [ada, eve] = [server().inNewWorkspace(), server().inNewWorkspace()];
    const put = async (who: Visitor, kind: LabelKind, name: string) =>
      (await who.call("labels.put", { params: { label_id: newId("label") }, body: { kind, name } })).label.id;
    const disk = await put(ada, "tag", '5" «disk»');
    const [tax, old] = [await put(ada, "tag", "Income Tax"), await put(ada, "tag", "old")];
    const work = await put(ada, "folder", "My work");
    const store = async (title: string, body: { folder_id?: string; tag_ids?: string[] }) => {
      const { threadId } = await storeMessages(ada, ["A heron"], { title });
      await ada.call("threads.update", { params: { thread_id: threadId }, body });
    };
    await store("One", { tag_ids: [tax], folder_id: work });
    await store("Two", { tag_ids: [tax, old, disk] });
    await store("Three", { folder_id: work });
    await store("Of my work", { tag_ids: [] });
    const titles = async (who: Visitor, q: string) =>
      (await search(who, q)).results.map(({ title }) => title ?? "").toSorted((a, b) => a.localeCompare(b));
    expect(await titles(ada, 'tag:"income tax" heron')).toEqual(["One", "Two"]);
    expect(await titles(ada, 'tag:"INCOME tax" tag:old')).toEqual(["Two"]);
    const tags = (await search(ada, "heron")).results.map((result) => [result.title, result.tags]);
    expect(Object.fromEntries(tags)).toEqual({
      One: ["Income Tax"],
      Two: ['5" «disk»', "Income Tax", "old"],
      Three: [],
      "Of my work": [],
    });
    expect(await titles(ada, 'tag:"income tax" -tag:old')).toEqual(["One"]);
    expect(await titles(ada, "heron -tag:old")).toEqual(["Of my work", "One", "Three"]);
    expect(await titles(ada, 'in:"my work"')).toEqual(["Of my work", "One", "Three"]);
    expect(await titles(ada, 'in:"My work" tag:"income tax"')).toEqual(["One"]);
    expect(await titles(ada, 'tag:"5 disk"')).toEqual(["Two"]);
    expect(await titles(ada, "tag:unknown")).toEqual([]);
    expect((await search(ada, 'heron tag:""')).ignored).toEqual(["tag:"]);
    await storeMessages(eve, ["A heron"], { title: "Hers" });
    expect(await titles(eve, 'tag:"income tax"')).toEqual([]);
    expect(await titles(eve, 'in:"my work"')).toEqual([]);
    expect(await titles(eve, "heron -tag:old")).toEqual(["Hers"]);
    await ada.call("labels.remove", { params: { label_id: old } });
    expect(await titles(ada, "tag:old")).toEqual([]);
  });

  test("pages by thread, and shows none twice", async ({ ada }) => {
    const threads: string[] = [];
    for (let number = 0; number < 7; number++)
      threads.push(
        (await storeMessages(ada, ["A pebble", "Another pebble"], { title: `Shore ${number}` })).threadId,
      );
    // The newest hits of these are on the first page, and older ones among those of the second.
    for (const at of [0, 3]) await storeMessages(ada, ["One more pebble"], { id: threads[at]! });
    const seen: [string, number][] = [];
    let after: string | null = null;
    do {
      const page = await search(ada, "pebble", { limit: "2", ...(after === null ? {} : { after }) });
      seen.push(...page.results.map(({ thread_id, matches }): [string, number] => [thread_id, matches]));
      after = page.next;
    } while (after !== null);
    expect(seen).toEqual([3, 0, 6, 5, 4, 2, 1].map((at) => [threads[at], at === 0 || at === 3 ? 3 : 2]));
  });

  test("counts a long message once, and shows where it matches", async ({ ada }) => {
    const filler = Array.from({ length: 20_000 }, (_, index) => `word${index % 900}`).join(" ");
    await storeMessages(ada, [`alpha ${filler} omega`, "A short alpha and omega"], { title: "Letters" });
    const [[title, matches, ...excerpts] = []] = await found(ada, "alpha omega ");
    expect([title, matches]).toEqual(["Letters", 2]);
    expect(excerpts).toEqual(["A short [alpha] and [omega]", expect.stringMatching(/\[(?:alpha|omega)\]/)]);
  });

  test("finds the threads of older hits behind very many newer ones", async ({ ada }) => {
    const old = await storeMessages(ada, ["A pebble"], { title: "Old" });
    const body = {
      parent_id: null,
      format: "aui/v0",
      content: { role: "user", content: [{ type: "text", text: "A pebble" }] },
    };
    const { threadId } = await storeMessages(ada, [], { title: "Busy" });
    for (let number = 0; number < 60; number++)
      await ada.call("messages.add", { params: { thread_id: threadId }, body });
    const first = await search(ada, "pebble", { limit: "1" });
    expect(first.results).toMatchObject([{ thread_id: threadId, matches: 60 }]);
    const second = await search(ada, "pebble", { limit: "1", after: first.next! });
    expect(second).toMatchObject({ results: [{ thread_id: old.threadId, matches: 1 }], next: null });
  });

  test("lists each attached file as a result of its own", async ({ ada }) => {
    const kept = await storeFile(ada, "heron.txt", "Where herons nest", { title: "Birds", words: "A heron" });
    const results = await vi.waitFor(
      async () => {
        const found = await search(ada, "heron");
        expect(found.results).toHaveLength(2);
        return found.results;
      },
      { timeout: 30_000, interval: 50 },
    );
    expect(results).toContainEqual(
      expect.objectContaining({ thread_id: kept.threadId, file: null, matches: 1 }),
    );
    expect(results.find(({ file }) => file !== null)).toMatchObject({
      thread_id: kept.threadId,
      title: "Birds",
      file: { message_id: kept.messageId, file: { name: "heron.txt" } },
      hits: [],
      matches: 0,
    });
    expect((await search(ada, "heron has:file")).results).toHaveLength(1);
    const pages = await search(ada, "heron", { limit: "1" });
    expect((await search(ada, "heron", { limit: "1", after: pages.next! })).results).toHaveLength(1);
  });

  test("shows nothing of other workspaces and of the trash", async ({ ada, ben }) => {
    const stranger = await server().anonymous();
    const { threadId } = await storeMessages(ada, ["The password is swordfish"], { title: "Swordfish" });
    expect(await found(ben, "swordfish")).toHaveLength(1);
    expect(await search(stranger, "swordfish", { thread_id: threadId })).toEqual({
      results: [],
      next: null,
      ignored: [],
    });
    await server().guest.fails("not-signed-in", "search.threads", { query: { q: "swordfish" } });
    await ada.call("threads.remove", { params: { thread_id: threadId } });
    expect(await found(ada, "swordfish")).toEqual([]);
  });
});
