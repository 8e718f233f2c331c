import { expect, vi } from "vitest";
import type { SearchResponse, SearchHit } from "#contract/endpoints/search.ts";
import { garden } from "#fixtures/office/documents.ts";
import { samples } from "#fixtures/pdf/corpus.ts";
import { document, line } from "#fixtures/pdf/write.ts";
import type { JsonObject } from "#contract/json.ts";
import { threadLinkUrl } from "#contract/thread-links.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { sendAndWait, textOf } from "../support/clients/conversation.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { storeFile, mentionFile } from "./store-files.ts";

async function search(who: Visitor, q: string, more: Record<string, string> = {}): Promise<SearchResponse> {
  return await who.call("search.find", { query: { q, ...more } });
}

const written = (pieces: SearchHit["excerpt"]) =>
  pieces.map(({ text, hit }) => (hit ? `[${text}]` : text)).join("");

/** The names of the found files. */
async function names(who: Visitor, q: string): Promise<string[]> {
  return (await search(who, q)).hits.flatMap(({ file }) => file?.name ?? []);
}

/** Files are indexed in the background. A broken one may hold up the ones behind it for 20 s. */
const soon = { timeout: 60_000, interval: 50 };

async function untilFound(who: Visitor, q: string, count = 1): Promise<SearchHit[]> {
  return await vi.waitFor(async () => {
    const { hits } = await search(who, q, { kind: "file" });
    expect(hits, `files found for ${q}`).toHaveLength(count);
    return hits;
  }, soon);
}

describeServer("searching files", { model: true }, (server) => {
  test("finds words of a PDF with the page, and links to its message", async ({ ada }) => {
    const pdf = document([
      { content: line("The lease begins in May") },
      { content: line("Deposits are returned by the heron") },
    ]);
    const stored = await storeFile(ada, "Lease 2027.pdf", pdf, { title: "Flat", words: "The contract" });
    const [hit] = await untilFound(ada, "deposits heron");
    expect(hit).toMatchObject({
      thread_id: stored.threadId,
      message_id: stored.messageId,
      title: "Flat",
      role: "user",
      file: { id: stored.fileId, name: "Lease 2027.pdf", type: "application/pdf", page: 2 },
    });
    expect(written(hit!.excerpt)).toContain("[Deposits] are returned by the [heron]");
    const [first] = await untilFound(ada, "begins");
    expect(first!.file!.page).toBe(1);
    expect(server().log.text()).not.toContain("lease begins");
  });

  test("finds texts, tables and office documents in any script, by words, prefixes and phrases", async () => {
    const ada = server().inNewWorkspace();
    await storeFile(ada, "notes.md", "# Roses\n\nWater the pergola on Café Monday.");
    await storeFile(ada, "prices.csv", "fruit,price\nquince,4.20\n");
    await storeFile(ada, "会议.txt", "我们明天在会议室讨论预算。");
    await storeFile(ada, "garden.docx", garden("docx"));
    await untilFound(ada, "pergola");
    expect(await names(ada, "perg")).toEqual(["notes.md"]);
    expect(await names(ada, "cafe monday")).toEqual(["notes.md"]);
    expect(await names(ada, '"monday cafe"')).toEqual([]);
    expect(await names(ada, "pergola -roses")).toEqual([]);
    await untilFound(ada, "quince");
    await untilFound(ada, "室讨");
    const [hit] = await untilFound(ada, "预算");
    expect(written(hit!.excerpt)).toBe("我们明天在会议室讨论[预算]。");
    await expect.poll(async () => await names(ada, "garden")).toContain("garden.docx");
    expect(await names(ada, "has:file")).toEqual(["garden.docx", "会议.txt", "prices.csv", "notes.md"]);
    expect(await names(ada, "has:file -pergola")).toEqual(["garden.docx", "会议.txt", "prices.csv"]);
  });

  test("finds a file by its name, even without text, and by name and text together", async ({ ada }) => {
    await storeFile(ada, "kestrel-nest.bin", new Uint8Array(400).fill(7));
    await storeFile(ada, "osprey.txt", "It dives for fish.");
    const [hit] = await untilFound(ada, "kestrel");
    expect(written(hit!.file!.marked_name)).toBe("[kestrel]-nest.bin");
    expect(hit!.excerpt).toEqual([]);
    const [both] = await untilFound(ada, "osprey fish");
    expect(written(both!.file!.marked_name)).toBe("[osprey].txt");
    expect(written(both!.excerpt)).toBe("It dives for [fish].");
    expect(await names(ada, '"fish osprey"')).toEqual([]);
  });

  test("filters by file, title, time and archive", async ({ ada }) => {
    const { threadId } = await storeFile(ada, "a.txt", "A lantern in the shed", {
      words: "The lantern",
      title: "Shed",
    });
    await untilFound(ada, "lantern");
    const kinds = async (q: string, more = {}) =>
      (await search(ada, q, more)).hits.map(({ file, message_id: id }) =>
        file === null ? (id === null ? "title" : "message") : "file",
      );
    expect((await kinds("lantern")).toSorted()).toEqual(["file", "message"]);
    expect(await kinds("lantern has:file")).toEqual(["file"]);
    expect(await kinds("lantern", { kind: "message" })).toEqual(["message"]);
    expect(await kinds("lantern has:file", { kind: "message" })).toEqual([]);
    expect((await search(ada, "lantern has:wings")).ignored).toEqual(["has:wings"]);
    expect(await kinds("lantern has:file in:shed")).toEqual(["file"]);
    expect(await kinds("lantern has:file in:barn")).toEqual([]);
    const year = new Date(server().clock.now()).getUTCFullYear();
    expect(await kinds(`lantern has:file after:${year}`)).toEqual(["file"]);
    expect(await kinds(`lantern has:file before:${year}`)).toEqual([]);
    expect(await kinds("lantern has:file archived:yes")).toEqual([]);
    await ada.call("threads.update", { params: { thread_id: threadId }, body: { is_archived: true } });
    expect(await kinds("lantern has:file archived:yes")).toEqual(["file"]);
  });

  test("shows a stranger and a guest nothing, and a colleague everything", async ({ ada, ben }) => {
    const stranger = await server().anonymous();
    const { publicUrl } = await storeFile(ada, "vault.txt", "The vault opens with marzipan.");
    await untilFound(ada, "marzipan");
    expect(await names(ben, "marzipan")).toEqual(["vault.txt"]);
    expect((await search(stranger, "marzipan")).hits).toEqual([]);
    // A message that contains the URL does not have the file.
    const { thread_id } = await stranger.call("threads.create", {
      body: { last_message_at: new Date(0).toISOString() },
    });
    await mentionFile(stranger, thread_id, publicUrl, { name: "vault.txt", words: "Mine?" });
    server().clock.advance(5_000);
    expect((await search(stranger, "marzipan")).hits).toEqual([]);
    await server().guest.fails("not-signed-in", "search.find", { query: { q: "marzipan" } });
  });

  test("finds the same file in each workspace that has it", async () => {
    const [ada, ben] = [server().inNewWorkspace(), server().inNewWorkspace("ben")];
    for (const who of [ada, ben]) {
      await storeFile(who, "minutes.txt", "The bittern was seen.");
      await untilFound(who, "bittern");
    }
  });

  test("does not find deleted files, and links to the newest message that has a file", async ({ ada }) => {
    const stored = await storeFile(ada, "juniper.txt", "The juniper stands by the gate.");
    const again = await mentionFile(ada, stored.threadId, stored.publicUrl, {
      name: "juniper.txt",
      words: "Once more",
    });
    const [hit] = await untilFound(ada, "gate");
    expect(hit!.message_id).toBe(again);
    const params = { thread_id: stored.threadId };
    await ada.call("messages.remove", { params, body: { message_ids: [again] } });
    expect((await search(ada, "gate")).hits[0]!.message_id).toBe(stored.messageId);
    await ada.call("threads.remove", { params });
    expect(await names(ada, "gate")).toEqual([]);
    await ada.call("threads.restore", { params });
    expect(await names(ada, "gate")).toEqual(["juniper.txt"]);
    await ada.call("files.remove", { params: { file_id: stored.fileId } });
    expect(await names(ada, "gate")).toEqual([]);
  });

  test("finds the person's own files by their text in the library", async ({ ada, ben }) => {
    await storeFile(ada, "notes.txt", "The nuthatch nests in the wall.");
    await storeFile(ben, "other.txt", "The nuthatch of a colleague.");
    await untilFound(ada, "nuthatch", 2);
    const listed = async (who: Visitor, q: string) =>
      (await who.call("files.list", { query: { q } })).files.map(({ name }) => name);
    expect(await listed(ada, "nuthatch wall")).toEqual(["notes.txt"]);
    expect(await listed(ada, "nutha")).toEqual(["notes.txt"]);
    expect(await listed(ben, "nuthatch")).toEqual(["other.txt"]);
    expect(await listed(ada, "otes.t")).toEqual(["notes.txt"]);
    expect(await listed(ada, "egret")).toEqual([]);
    expect(await listed(server().inNewWorkspace(), "nuthatch")).toEqual([]);
  });

  test("follows threads that are claimed", async ({ ada }) => {
    const signUp = await server().guest.call("auth.signUpAnonymous");
    const anonymous = server().withToken(signUp.access_token);
    await storeFile(anonymous, "hidden.txt", "A hidden hazel");
    await untilFound(anonymous, "hazel");
    await ada.call("threads.claim", { body: { refresh_token: signUp.refresh_token.token } });
    await untilFound(ada, "hazel");
    expect(await names(anonymous, "hazel")).toEqual([]);
  });

  test("finds text late in a long file once, and nothing beyond the limit", async ({ ada }) => {
    const filler = Array.from({ length: 60_000 }, (_, index) => `word${index % 900}`).join(" ");
    await storeFile(ada, "long.txt", `${filler} needle ${filler} ${filler.repeat(2)} lost`, {
      words: "Long",
    });
    await storeFile(ada, "short.txt", "word1", { words: "Short" });
    const [hit] = await untilFound(ada, "needle");
    expect(written(hit!.excerpt)).toContain("[needle]");
    await untilFound(ada, "word1 ", 2);
    expect(await names(ada, "word1 ")).toEqual(["short.txt", "long.txt"]);
    const one = await search(ada, "word1 ", { kind: "file", limit: "1" });
    expect(one.hits.map(({ file }) => file!.name)).toEqual(["short.txt"]);
    const two = await search(ada, "word1 ", { kind: "file", limit: "1", after: one.next! });
    expect(two).toMatchObject({ hits: [{ file: { name: "long.txt" } }], next: null });
    expect(await names(ada, "lost")).toEqual([]);
  });

  test("finds words in different parts of a long file, and shows the part that matches most", async () => {
    const ada = server().inNewWorkspace();
    const filler = Array.from({ length: 20_000 }, (_, index) => `word${index % 900}`).join(" ");
    const text = `An alpha here. ${filler} The beta and the gamma there. ${filler} No more`;
    await storeFile(ada, "far.txt", text);
    await storeFile(ada, "near.txt", "One alpha alone");
    await untilFound(ada, "alpha", 2);
    const [hit] = await untilFound(ada, "alpha beta gamma ");
    expect(hit!.file!.name).toBe("far.txt");
    expect(written(hit!.excerpt)).toContain("The [beta] and the [gamma] there.");
    expect(await names(ada, "alpha -gamma ")).toEqual(["near.txt"]);
    expect(await names(ada, "alpha absent ")).toEqual([]);
    expect(await names(ada, "word1 alpha ")).toEqual(["far.txt"]);
  });

  test("pages through messages and files together without repeats or gaps", async ({ ada }) => {
    for (let index = 0; index < 7; index++)
      await storeFile(ada, `pebble ${index}.txt`, "Round", { words: `Pebble ${index}` });
    await untilFound(ada, "pebble", 7);
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page: SearchResponse = await search(ada, "pebble", {
        limit: "3",
        ...(after === null ? {} : { after }),
      });
      seen.push(...page.hits.map(({ file, message_id: id }) => file?.id ?? id!));
      after = page.next;
    } while (after !== null);
    expect(seen).toHaveLength(14);
    expect(new Set(seen).size).toBe(14);
  });

  test("finds locked, broken and hostile files by their name", { timeout: 240_000 }, async ({ ada }) => {
    const bad = samples.filter(({ name }) => /lock|password/i.test(name)).slice(0, 1);
    expect(bad).toHaveLength(1);
    const files: [string, string | Uint8Array][] = [
      ["sealed.pdf", bad[0]!.bytes()],
      ["broken.pdf", "%PDF-1.7\nnothing of a heron"],
      ["broken.docx", Buffer.concat([garden("docx").subarray(0, 300), Buffer.from("heron")])],
    ];
    for (const [name, bytes] of files) await storeFile(ada, name, bytes, { words: "This" });
    await storeFile(ada, "whole.txt", "A whole heron", { words: "This" });
    await untilFound(ada, "heron");
    for (const [name] of files) await untilFound(ada, name);
    // Later files are extracted, and these are not retried.
    await expect
      .poll(
        () =>
          server()
            .log.text()
            .match(/could not be extracted/g)?.length,
      )
      .toBe(3);
    server().clock.advance(48 * 3_600_000);
    await storeFile(ada, "later.txt", "A later egret", { words: "This" });
    await untilFound(ada, "egret");
    expect(
      server()
        .log.text()
        .match(/could not be extracted/g),
    ).toHaveLength(3);
    expect(await names(ada, "heron")).toEqual(["whole.txt"]);
  });
});

const lease = () =>
  document([
    { content: line("This lease was made between the two parties.") },
    { content: line("The deposit is returned within thirty days of moving out.", 760, 12) },
  ]);

describeServer("a model that searches the contents of files", { model: true }, (server) => {
  const passagesOf = async (who: Visitor, args: JsonObject) => {
    const talk = await sendAndWait(who, `Look it up: tool=search_threads(${JSON.stringify(args)})`);
    await who.call("threads.remove", { params: { thread_id: talk.thread_id } });
    const made = talk.reply.parts.find((part) => part.type === "tool-call");
    return { parts: talk.reply.parts, passages: (made!.result as JsonObject).passages as JsonObject[] };
  };

  test("gets the passages with file and page, as sources that link to the message", async ({ ada }) => {
    const stored = await storeFile(ada, "Lease.pdf", lease(), { title: "Flat", words: "For the drawer" });
    await untilFound(ada, "deposit");
    const question = { query: "When is the deposit returned after moving out?" };
    const { parts, passages } = await passagesOf(ada, question);
    expect(passages[0]).toMatchObject({
      source: 1,
      thread: "Flat",
      file: "Lease.pdf",
      page: 2,
      text: "The deposit is returned within thirty days of moving out.",
      thread_id: stored.threadId,
      message_id: stored.messageId,
    });
    expect(parts.find((part) => part.type === "source")).toMatchObject({
      url: threadLinkUrl(stored),
      title: "Lease.pdf",
    });
    expect((await passagesOf(await server().anonymous(), question)).passages).toEqual([]);
    const other = server().inNewWorkspace("ben");
    expect((await passagesOf(other, { ...question, thread_id: stored.threadId })).passages).toEqual([]);
    await ada.call("threads.remove", { params: { thread_id: stored.threadId } });
    expect((await passagesOf(ada, question)).passages).toEqual([]);
  });

  test("gets the one page of a long file that answers, in any script", async ({ ada }) => {
    const filler = Array.from(
      { length: 4_000 },
      (_, index) => `Paragraph ${index} tells of the deposit of sand and of moving rivers.\n`,
    ).join("\n");
    await storeFile(ada, "rivers.txt", `${filler}\nThe ferryman's landlord keeps a tame otter.\n\n${filler}`);
    await storeFile(ada, "搬家.txt", "提前一周联系物业预约电梯，周末要交押金。");
    await untilFound(ada, "otter");
    await untilFound(ada, "电梯");
    const otter = await passagesOf(ada, { query: "Which animal does the landlord of the ferryman keep?" });
    expect(otter.passages[0]!.text).toContain("keeps a tame otter");
    const lift = await passagesOf(ada, { query: "电梯要提前多久预约？" });
    expect(lift.passages[0]).toMatchObject({ file: "搬家.txt" });
  });
});

describeServer("the built-in assistant, asked about files", {}, (server) => {
  test("quotes the passage with file and page, and links to its message", async ({ ada }) => {
    const stored = await storeFile(ada, "Lease.pdf", lease(), { title: "Flat", words: "For the drawer" });
    await untilFound(ada, "deposit");
    const { reply } = await sendAndWait(ada, "When is the deposit returned after moving out?");
    expect(textOf(reply.parts)).toContain("> The deposit is returned within thirty days of moving out.");
    expect(textOf(reply.parts)).toContain("**[1]** *Lease.pdf*, page 2 in *Flat*");
    expect(reply.parts.find((part) => part.type === "source")).toMatchObject({ url: threadLinkUrl(stored) });
    const { reply: none } = await sendAndWait(
      server().inNewWorkspace("ben"),
      "When is the deposit returned after moving out?",
    );
    expect(textOf(none.parts)).not.toContain("thirty days");
  });
});
