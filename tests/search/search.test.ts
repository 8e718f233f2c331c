import { expect } from "vitest";
import { newId } from "#contract/ids.ts";
import type { SearchResponse, SearchHit } from "#contract/endpoints/search.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { sendAndWait } from "../support/clients/conversation.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { storeMessages } from "./store-messages.ts";

async function search(who: Visitor, q: string, more: Record<string, string> = {}): Promise<SearchResponse> {
  return await who.call("search.find", { query: { q, ...more } });
}

/** The found texts with hits in brackets. */
async function found(who: Visitor, q: string, more: Record<string, string> = {}): Promise<string[]> {
  return (await search(who, q, more)).hits.map(written);
}

function written({ excerpt }: SearchHit): string {
  return excerpt.map(({ text, hit }) => (hit ? `[${text}]` : text)).join("");
}

describeServer("search", { model: true }, (server) => {
  test("finds new messages and answers, with their position", async ({ ada }) => {
    const talk = await sendAndWait(ada, "Where does the heron nest? tokens=3");
    const { hits, next } = await search(ada, "heron");
    expect(next).toBeNull();
    const message = hits.find(({ message_id }) => message_id === talk.message_id);
    expect(message).toMatchObject({
      thread_id: talk.thread_id,
      role: "user",
      is_archived: false,
      excerpt: [
        { text: "Where does the ", hit: false },
        { text: "heron", hit: true },
        { text: " nest? tokens=3", hit: false },
      ],
    });
  });

  test("finds titles, and messages of hidden branches", async ({ ada }) => {
    const one = await sendAndWait(ada, "An osprey tokens=1");
    await sendAndWait(ada, "A kestrel tokens=1", { thread_id: one.thread_id, parent_id: null });
    await ada.call("threads.update", {
      params: { thread_id: one.thread_id },
      body: { title: "Birds of prey" },
    });
    expect(await found(ada, "osprey", { kind: "message" })).toContain("An [osprey] tokens=1");
    const { hits } = await search(ada, "birds prey", { kind: "title" });
    expect(hits).toMatchObject([{ thread_id: one.thread_id, message_id: null, title: "Birds of prey" }]);
  });

  test("requires every word, in any order, accent and case, and treats the last as a prefix", async () => {
    const ada = server().inNewWorkspace();
    await storeMessages(ada, ["Café au lait in Genève", "Tea in Geneva", "Cafeteria"]);
    expect(await found(ada, "geneve CAFE ")).toEqual(["[Café] au lait in [Genève]"]);
    expect(await found(ada, "gen")).toEqual(["Tea in [Geneva]", "Café au lait in [Genève]"]);
    expect(await found(ada, "cafe ")).toEqual(["[Café] au lait in Genève"]);
    expect(await found(ada, "cafe")).toHaveLength(2);
    expect(await found(ada, "cafe tea ")).toEqual([]);
  });

  test("finds phrases, and excludes what follows a minus", async ({ ada }) => {
    await storeMessages(ada, ["hot green tea", "tea that is green", "green tea with mint"]);
    expect(await found(ada, '"green tea"')).toEqual(["[green tea] with mint", "hot [green tea]"]);
    expect(await found(ada, '"green tea" -mint')).toEqual(["hot [green tea]"]);
  });

  test("finds any part of a text without spaces", async ({ ada }) => {
    await storeMessages(ada, [
      "我们明天在会议室讨论预算。",
      "今日は東京タワーに行きました。",
      "오늘은 스키장에서 만나요",
    ]);
    expect(await found(ada, "会议室")).toEqual(["我们明天在[会议室]讨论预算。"]);
    expect(await found(ada, "预算")).toEqual(["我们明天在会议室讨论[预算]。"]);
    expect(await found(ada, "室讨")).toHaveLength(1);
    expect(await found(ada, "算")).toEqual(["我们明天在会议室讨论预[算]。"]);
    expect(await found(ada, "京タワ")).toEqual(["今日は東[京タワ]ーに行きました。"]);
    expect(await found(ada, "장에서")).toHaveLength(1);
    expect(await found(ada, "議会")).toEqual([]);
  });

  test("applies in:, before:, after: and archived:", async ({ ada }) => {
    const rome = await storeMessages(ada, ["Pack the lantern"], { title: "Trip to Rome" });
    const oslo = await storeMessages(ada, ["Another lantern"], { title: "Trip to Oslo" });
    await ada.call("threads.update", { params: { thread_id: oslo.threadId }, body: { is_archived: true } });
    const threads = async (q: string) =>
      (await search(ada, q, { kind: "message" })).hits.map(({ thread_id }) => thread_id);
    expect(await threads("lantern")).toEqual([oslo.threadId, rome.threadId]);
    expect(await threads("lantern in:rome")).toEqual([rome.threadId]);
    expect(await threads('lantern in:"trip to"')).toHaveLength(2);
    expect(await threads(`lantern in:${oslo.threadId}`)).toEqual([oslo.threadId]);
    expect(await threads("lantern in:paris")).toEqual([]);
    expect(await threads("lantern archived:yes")).toEqual([oslo.threadId]);
    expect(await threads("lantern archived:no")).toEqual([rome.threadId]);
    const year = new Date(server().clock.now()).getUTCFullYear();
    expect(await threads(`lantern after:${year}`)).toHaveLength(2);
    expect(await threads(`lantern before:${year}`)).toEqual([]);
    expect((await search(ada, "lantern before:soon")).ignored).toEqual(["before:soon"]);
  });

  test("lists what matches filters without words, the newest first", async ({ ada }) => {
    await storeMessages(ada, ["Pack the lantern", "And the map"], { title: "Trip to Rome" });
    const oslo = await storeMessages(ada, ["Another lantern"], { title: "Trip to Oslo" });
    await ada.call("threads.update", { params: { thread_id: oslo.threadId }, body: { is_archived: true } });
    await storeMessages(server().inNewWorkspace(), ["A stranger's"], { title: "Trip to Rome" });
    expect(await found(ada, "in:rome", { kind: "message" })).toEqual(["And the map", "Pack the lantern"]);
    expect(await found(ada, "in:rome -map")).toEqual(["Pack the lantern", "Trip to Rome"]);
    expect(await found(ada, `in:${oslo.threadId}`)).toEqual(["Another lantern", "Trip to Oslo"]);
    expect(await found(ada, "archived:yes")).toEqual(["Another lantern", "Trip to Oslo"]);
    expect(await found(ada, "archived:no", { kind: "title" })).toEqual(["Trip to Rome"]);
    const year = new Date(server().clock.now()).getUTCFullYear();
    expect(await found(ada, `after:${year} before:${year + 1}`)).toHaveLength(5);
    expect(await found(ada, `before:${year}`)).toEqual([]);
    expect(await found(ada, "in:paris")).toEqual([]);
    expect(await found(ada, "has:file")).toEqual([]);
    // An invalid filter is ignored.
    expect(await search(ada, "before:soon")).toMatchObject({ hits: [], ignored: ["before:soon"] });
    expect(await found(ada, "!!! ()")).toEqual([]);
    const first = await search(ada, "archived:no", { limit: "2" });
    const second = await search(ada, "archived:no", { limit: "2", after: first.next! });
    expect([...first.hits, ...second.hits].map(written)).toEqual([
      "And the map",
      "Pack the lantern",
      "Trip to Rome",
    ]);
    expect(second.next).toBeNull();
  });

  test("filters titles by the day that the thread was created", async ({ ada }) => {
    const { threadId } = await storeMessages(ada, ["A first word"], { title: "Trip to Lima" });
    const { thread } = await ada.call("threads.get", { params: { thread_id: threadId } });
    server().clock.advance(3 * 24 * 60 * 60_000);
    await storeMessages(ada, ["A later word"], { id: threadId });
    const title = { kind: "title" };
    expect((await search(ada, "lima", title)).hits).toMatchObject([{ created_at: thread.created_at }]);
    const later = new Date(server().clock.now()).toISOString().slice(0, 10);
    expect(await found(ada, `lima after:${later}`, title)).toEqual([]);
    expect(await found(ada, `lima before:${later}`, title)).toHaveLength(1);
    expect(await found(ada, `in:lima after:${later}`)).toEqual(["A later word"]);
  });

  test("follows changes, deletions, the trash and restoring", async ({ ada }) => {
    const { threadId, ids } = await storeMessages(ada, ["The first draft", "An answer", "A marmot"]);
    const params = { thread_id: threadId };
    await ada.call("messages.update", {
      params: { ...params, message_id: ids[0]! },
      body: { content: { role: "user", content: [{ type: "text", text: "The second version" }] } },
    });
    expect(await found(ada, "draft")).toEqual([]);
    expect(await found(ada, "version")).toEqual(["The second [version]"]);
    await ada.call("messages.remove", { params, body: { message_ids: [ids[2]!] } });
    expect(await found(ada, "marmot")).toEqual([]);
    // Messages that move up to a deleted message's parent are still found.
    await ada.call("messages.remove", { params, body: { message_ids: [ids[0]!] } });
    expect(await found(ada, "version")).toEqual([]);
    expect(await found(ada, "answer")).toEqual(["An [answer]"]);
    await ada.call("threads.remove", { params });
    expect(await found(ada, "answer")).toEqual([]);
    await ada.call("threads.restore", { params });
    expect(await found(ada, "answer")).toHaveLength(1);
  });

  test("finds text late in a long message, once", async ({ ada }) => {
    const long = Array.from({ length: 20_000 }, (_, index) => `word${index % 900}`);
    await storeMessages(ada, [`${long.join(" ")} needle ${long.join(" ")}`]);
    expect((await search(ada, "needle")).hits).toHaveLength(1);
    expect((await search(ada, "word1 ")).hits).toHaveLength(1);
  });

  test("finds words and phrases across the pieces of a long message, and shows where", async ({ ada }) => {
    const filler = (count: number) => Array.from({ length: count }, (_, index) => `word${index % 900}`);
    const words = [...filler(7_990), ...Array.from({ length: 20 }, (_, n) => `edge${n}`), ...filler(30_000)];
    words[3] = "alpha";
    words[words.length - 3] = "omega";
    const { ids } = await storeMessages(ada, [
      words.join(" "),
      "A short alpha",
      "A short omega, without the other",
    ]);
    const long = async (q: string) =>
      (await search(ada, q)).hits.filter(({ message_id }) => message_id === ids[0]).map(written);
    await expect.poll(async () => await long("alpha omega ")).toHaveLength(1);
    expect((await search(ada, "alpha omega ")).hits).toHaveLength(1);
    // Across the end of the first document, and of any other.
    for (const from of [0, 5, 8, 12])
      expect(await long(`"edge${from} edge${from + 1} edge${from + 2} edge${from + 3}"`)).toHaveLength(1);
    expect(await long('"edge1 edge3"')).toEqual([]);
    // After the first 200,000 characters.
    expect((await long("omega "))[0]).toContain("[omega]");
    expect((await long("alpha "))[0]).toContain("[alpha]");
    expect(await long("alpha -omega")).toEqual([]);
    expect(await found(ada, "alpha -omega")).toEqual(["A short [alpha]"]);
    expect(await long("alpha absent")).toEqual([]);
    // Once over all pages, even with filters alone.
    for (const q of ["word1 ", "in:word0", "after:2020", "alpha"]) {
      const seen: (string | null)[] = [];
      let after: string | null = null;
      do {
        const page: SearchResponse = await search(ada, q, {
          limit: "1",
          kind: "message",
          ...(after === null ? {} : { after }),
        });
        seen.push(...page.hits.map(({ message_id }) => message_id));
        after = page.next;
      } while (after !== null);
      expect(new Set(seen).size, q).toBe(seen.length);
    }
  });

  test("pages through all hits without repeats or gaps", async ({ ada }) => {
    const { ids } = await storeMessages(
      ada,
      Array.from({ length: 23 }, (_, index) => `Pebble ${index}`),
    );
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page: SearchResponse = await search(ada, "pebble", {
        limit: "5",
        ...(after === null ? {} : { after }),
      });
      seen.push(...page.hits.map(({ message_id }) => message_id!));
      after = page.next;
    } while (after !== null);
    expect(seen).toEqual(ids.toReversed());
  });

  test("shows a stranger nothing, and a colleague everything", async ({ ada, ben }) => {
    const stranger = await server().anonymous();
    await storeMessages(ada, ["The password is swordfish"], { title: "Swordfish" });
    expect(await found(ben, "swordfish")).toHaveLength(2);
    expect(await search(stranger, "swordfish")).toEqual({ hits: [], next: null, ignored: [] });
    await server().guest.fails("not-signed-in", "search.find", { query: { q: "swordfish" } });
  });

  test("follows threads that are claimed", async ({ ada }) => {
    const signUp = await server().guest.call("auth.signUpAnonymous");
    const anonymous = server().withToken(signUp.access_token);
    await storeMessages(anonymous, ["A hidden juniper"], { title: "Juniper" });
    expect(await found(anonymous, "juniper")).toHaveLength(2);
    await ada.call("threads.claim", { body: { refresh_token: signUp.refresh_token.token } });
    expect(await found(ada, "juniper")).toHaveLength(2);
    expect(await found(anonymous, "juniper")).toEqual([]);
  });

  test("accepts any input", async ({ ada }) => {
    await storeMessages(ada, ['Say "hello" (or not) 🎉 100% OR NEAR AND it\'s *fine*']);
    const typed = [
      '"',
      "'",
      "\\",
      "*",
      "a*",
      "AND",
      "NEAR(hello not)",
      "hello OR",
      "NOT",
      "(",
      "-",
      "--",
      ":*",
      "<->",
      "&|!",
      "hello & | !",
      "'; drop table messages; --",
      "\0",
      "\u{d800}",
      "%",
      "_",
      "🎉",
      "it's",
      "x".repeat(1_000),
      "a ".repeat(499),
      "日".repeat(1_000),
    ];
    for (const q of typed) expect((await search(ada, q)).hits.length, q).toBeLessThanOrEqual(1);
    expect(await found(ada, "🎉")).toHaveLength(1);
    expect(await found(ada, "it's")).toHaveLength(1);
    expect(await found(ada, "near and")).toHaveLength(1);
  });

  test("reports what is wrong with a query", async ({ ada }) => {
    const refused = async (query: Record<string, string>, field: string) => {
      const answer = await ada.ask("search.find", { query });
      expectProblem(answer, "bad-request");
      expect(answer.text).toContain(field);
    };
    await refused({}, "q");
    await refused({ q: "" }, "q");
    await refused({ q: "a".repeat(10_000) }, "at most 1000 characters");
    await refused({ q: "a", limit: "0" }, "limit");
    await refused({ q: "a", after: "-1" }, "after");
    await refused({ q: "a", kind: "thread" }, "kind");
    await refused({ q: "a", time_zone: "Mars/Olympus" }, "time_zone");
    // A thread that was created meanwhile is not in the pages.
    expect(await search(ada, "a", { after: "0" })).toMatchObject({ hits: [], next: null });
  });

  test("finds nothing in threads that do not exist", async ({ ada }) => {
    expect(await found(ada, `anything in:${newId("thread")}`)).toEqual([]);
  });
});
