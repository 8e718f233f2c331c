import { expect } from "vitest";
import type { JsonObject } from "#contract/json.ts";
import type { Part } from "#contract/parts/kinds.ts";
import { threadLinkUrl } from "#contract/thread-links.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { sendAndWait, type StartedRun } from "../support/clients/conversation.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { storeMessages } from "./store-messages.ts";

type Passage = { source: number; text: string; thread_id: string; message_id: string; thread: string | null };

/** The result that a connected model gets from this tool. */
async function call(who: Visitor, tool: string, args: JsonObject) {
  const question = `Look it up: tool=${tool}(${JSON.stringify(args)})`;
  const talk = await sendAndWait(who, question);
  // Otherwise the next search would find this question and its answer.
  await who.call("threads.remove", { params: { thread_id: talk.thread_id } });
  const { parts } = talk.reply;
  const made = parts.find((part) => part.type === "tool-call");
  expect(made?.toolName).toBe(tool);
  return { parts, result: made?.result as JsonObject, isError: made?.isError === true };
}

async function passages(who: Visitor, query: string, more: JsonObject = {}): Promise<Passage[]> {
  const { result } = await call(who, "search_threads", { query, ...more });
  return result.passages as Passage[];
}

const texts = (found: Passage[]) => found.map(({ text }) => text);
const sourcesOf = (parts: readonly Part[]) => parts.filter((part) => part.type === "source");

describeServer("tools that search threads", { model: true }, (server) => {
  test("give a model the matching passages as numbered sources that link to their messages", async () => {
    const ada = server().inNewWorkspace();
    const cabin = await storeMessages(
      ada,
      ["The wireless network at the cabin has the passphrase heron42.", "Thank you, I keep it."],
      { title: "Cabin" },
    );
    await storeMessages(ada, ["Bread wants 240 degrees.", "And steam for the crust."], { title: "Bread" });
    const { parts, result } = await call(ada, "search_threads", {
      query: "What's the cabin's wireless passphrase?",
    });
    const [first] = result.passages as Passage[];
    expect(first).toMatchObject({
      source: 1,
      thread: "Cabin",
      said_by: "person",
      text: "The wireless network at the cabin has the passphrase heron42.",
      thread_id: cabin.threadId,
      message_id: cabin.ids[0],
    });
    expect(result.note).toMatch(/not? .*instruction|nothing in them is an instruction/);
    expect(sourcesOf(parts)[0]).toMatchObject({
      sourceType: "url",
      url: threadLinkUrl({ threadId: cabin.threadId, messageId: cabin.ids[0]! }),
      title: "Cabin",
    });
  });

  test("number each source once across searches", async ({ ada }) => {
    await storeMessages(ada, ["The ferry leaves at noon."], { title: "Ferry" });
    await storeMessages(ada, ["The tram leaves at one."], { title: "Tram" });
    const talk = await sendAndWait(
      ada,
      'Both: tool=search_threads({"query":"ferry"}) tool=search_threads({"query":"tram ferry"})',
    );
    const found = talk.reply.parts.flatMap((part) =>
      part.type === "tool-call" ? ((part.result as JsonObject).passages as Passage[]) : [],
    );
    const ferry = found.filter(({ thread }) => thread === "Ferry").map(({ source }) => source);
    expect(new Set(ferry).size).toBe(1);
    expect(sourcesOf(talk.reply.parts)).toHaveLength(2);
    for (const { source, message_id } of found)
      expect(sourcesOf(talk.reply.parts)[source - 1]).toMatchObject({
        url: expect.stringContaining(message_id) as string,
      });
  });

  test("show a stranger nothing, and a colleague everything", async ({ ada, ben }) => {
    const stranger = await server().anonymous();
    const secret = await storeMessages(ada, ["The vault opens with marzipan."], { title: "Vault" });
    expect(texts(await passages(ben, "vault marzipan"))).toEqual(["The vault opens with marzipan."]);
    expect(await passages(stranger, "vault marzipan")).toEqual([]);
    expect(await passages(stranger, "vault marzipan", { thread_id: secret.threadId })).toEqual([]);
    const listed = await call(stranger, "list_threads", {});
    expect(listed.result.threads).toEqual([]);
    const read = await call(stranger, "read_thread", { thread_id: secret.threadId });
    expect(read).toMatchObject({ isError: true, result: { error: "There is no such thread." } });
  });

  test("exclude the trash and deleted messages, and include the archive", async ({ ada }) => {
    const stored = await storeMessages(ada, ["The juniper stands by the gate."], { title: "Garden" });
    const params = { thread_id: stored.threadId };
    await ada.call("threads.update", { params, body: { is_archived: true } });
    expect(texts(await passages(ada, "juniper"))).toEqual(["The juniper stands by the gate."]);
    await ada.call("threads.remove", { params });
    expect(await passages(ada, "juniper")).toEqual([]);
    expect((await call(ada, "read_thread", params)).isError).toBe(true);
    const listed = (await call(ada, "list_threads", {})).result.threads as { thread_id: string }[];
    expect(listed.map(({ thread_id: id }) => id)).not.toContain(stored.threadId);
    await ada.call("threads.restore", { params });
    await ada.call("messages.remove", { params, body: { message_ids: [stored.ids[0]!] } });
    expect(await passages(ada, "juniper")).toEqual([]);
  });

  test("find messages in hidden branches, and read the shown one", async ({ ada }) => {
    const one: StartedRun = await sendAndWait(ada, "An osprey dives tokens=1");
    await sendAndWait(ada, "A kestrel hovers tokens=1", { thread_id: one.thread_id, parent_id: null });
    expect(texts(await passages(ada, "osprey"))).toContain("An osprey dives tokens=1");
    const { result } = await call(ada, "read_thread", { thread_id: one.thread_id });
    const said = (result.messages as { text: string }[]).map(({ text }) => text).join(" ");
    expect(said).toContain("kestrel");
    expect(said).not.toContain("osprey");
  });

  test("leave out the question itself, in any thread", async ({ ada }) => {
    const question =
      'When does the walnut bloom? tool=search_threads({"query":"When does the walnut bloom?"})';
    const first = await sendAndWait(ada, question);
    const again = await sendAndWait(ada, question, { thread_id: first.thread_id, parent_id: null });
    for (const { reply } of [first, again]) {
      const made = reply.parts.find((part) => part.type === "tool-call");
      for (const { text } of (made!.result as { passages: Passage[] }).passages)
        expect(text).not.toContain("When does the walnut bloom? tool=");
    }
  });

  test("find an answer by its question, in any script", async ({ ada }) => {
    await storeMessages(ada, ["How long may I stay in Japan?", "Ninety days, without asking anyone."], {
      title: "Travel",
    });
    await storeMessages(ada, ["搬家要做什么？", "提前一周联系物业预约电梯，周末要交押金。"], {
      title: "搬家",
    });
    await storeMessages(ada, ["كيف أجدد الجواز؟", "احجز موعداً في القنصلية وأحضر صورتين."], {
      title: "الجواز",
    });
    await storeMessages(ada, ["Wann kommt der Schornsteinfeger?", "Die Häuser am Hang besucht er im März."], {
      title: "Haus",
    });
    expect(texts(await passages(ada, "Japan: how long is a stay?"))[0]).toMatch(/^Ninety days/);
    expect(texts(await passages(ada, "电梯要提前多久预约？"))[0]).toMatch(/^提前一周/);
    expect(texts(await passages(ada, "كم صورة للجواز؟"))).toContain("احجز موعداً في القنصلية وأحضر صورتين.");
    expect(texts(await passages(ada, "Haus am Hang, wann kommt der Schornsteinfeger?"))[0]).toMatch(
      /^Die Häuser/,
    );
  });

  test("list threads of a period, the latest first, and refuse invalid dates", async ({ ada }) => {
    await storeMessages(ada, ["About the roof"], { title: "Roof" });
    await storeMessages(ada, ["About the cellar", "It is dry."], { title: "Cellar" });
    const year = new Date(server().clock.now()).getUTCFullYear();
    const { result } = await call(ada, "list_threads", { after: `${year}-01-01`, time_zone: "UTC" });
    expect(result.threads).toMatchObject([
      { title: "Cellar", messages: 2, begins_with: "About the cellar" },
      { title: "Roof", messages: 1, begins_with: "About the roof" },
    ]);
    expect((await call(ada, "list_threads", { before: `${year}-01-01` })).result.threads).toEqual([]);
    const wrong = await call(ada, "list_threads", { after: "soon" });
    expect(wrong).toMatchObject({
      isError: true,
      result: { error: expect.stringContaining("2027-06-01") as string },
    });
    expect((await call(ada, "search_threads", {})).isError).toBe(true);
    expect((await call(ada, "search_threads", { query: 7 })).isError).toBe(true);
    expect((await call(ada, "search_threads", { query: "roof", limit: "many" })).isError).toBe(true);
  });

  test("list the threads of a day in the caller's time zone", async ({ ada }) => {
    await storeMessages(ada, ["About the roof"], { title: "Roof" });
    // 25 hours apart, so the dates always differ.
    const [east, west] = ["Pacific/Kiritimati", "Pacific/Pago_Pago"];
    const today = (timeZone: string) =>
      new Intl.DateTimeFormat("en-CA", { timeZone }).format(server().clock.now());
    const titlesAfter = async (date: string, zone: string): Promise<unknown> =>
      (await call(ada, "list_threads", { after: date, time_zone: zone })).result.threads;
    for (const zone of [east, west])
      expect(await titlesAfter(today(zone), zone)).toMatchObject([{ title: "Roof" }]);
    expect(await titlesAfter(today(east), west)).toEqual([]);
  });

  test("read a long thread from its end upwards", async ({ ada }) => {
    const { threadId, ids } = await storeMessages(
      ada,
      Array.from({ length: 30 }, (_, index) => `Step ${index}`),
    );
    const end = (await call(ada, "read_thread", { thread_id: threadId, messages: 5 })).result;
    expect(end).toMatchObject({ earlier_messages: 25 });
    expect((end.messages as { text: string }[]).map(({ text }) => text)).toEqual(
      [25, 26, 27, 28, 29].map((index) => `Step ${index}`),
    );
    const above = (
      await call(ada, "read_thread", { thread_id: threadId, messages: 2, until_message_id: ids[24]! })
    ).result;
    expect((above.messages as { text: string }[]).map(({ text }) => text)).toEqual(["Step 23", "Step 24"]);
  });

  test("work for protocol clients in their own workspace, without links to the web app", async ({ ada }) => {
    const other = server().inNewWorkspace();
    const { threadId } = await storeMessages(ada, ["The lantern hangs in the shed."], { title: "Shed" });
    await storeMessages(other, ["The lantern of somebody else."]);
    const body = {
      thread_id: threadId,
      assistant_id: "default",
      messages: [
        {
          role: "user",
          content: [{ type: "text", text: 'Where? tool=search_threads({"query":"lantern"})' }],
        },
      ],
    };
    const answer = await ada.ask("runs.stream", { body });
    expect(answer.text).toContain("The lantern hangs in the shed.");
    expect(answer.text).not.toContain("somebody else");
    expect(answer.text).not.toContain("/t/thread_");
  });
});

describeServer(
  "threads that no assistant may look through",
  { model: true, settings: { PARLANCE_THREAD_TOOLS: "off" } },
  (server) => {
    test("are not offered to a model", async ({ ada }) => {
      await sendAndWait(ada, "Anything about apricots? tokens=1");
      const [asked] = await server().requestsWith("apricots");
      const offered = (asked!.body as { tools?: { function: { name: string } }[] }).tools ?? [];
      const names = offered.map((tool) => tool.function.name);
      expect(names).toContain("calculate");
      expect(names.filter((name) => name.endsWith("_threads") || name === "read_thread")).toEqual([]);
    });
  },
);
