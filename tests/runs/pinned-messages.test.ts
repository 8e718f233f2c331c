import { expect, test, vi } from "vitest";
import { separateTurns } from "#server/runs/compaction/request-room.ts";
import { newId } from "#contract/ids.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { branchOf, sendAndWait, type StartedRun } from "../support/clients/conversation.ts";
import { exportThread, importFile } from "../support/clients/transfer.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { describeServer, type TestServer } from "../support/servers/server.ts";

const patience = { timeout: 15_000, interval: 20 };
/** About 650 tokens. */
const filler = "and the garden needs water in the morning and again at night ".repeat(40);

async function talk(who: Visitor, count: number): Promise<StartedRun[]> {
  const talks: StartedRun[] = [];
  for (let number = 1; number <= count; number++) {
    const last = talks.at(-1);
    const to = last === undefined ? {} : { thread_id: last.thread_id, parent_id: last.reply_id };
    const question = `Question ${number}.\nFact ${number} is blue.\n${number === 2 ? "" : filler} tokens=3`;
    talks.push(await sendAndWait(who, question, to));
  }
  return talks;
}

const pin = async (who: Visitor, threadId: string, messageId: string, isPinned = true) =>
  await who.call("messages.pin", {
    params: { thread_id: threadId, message_id: messageId },
    body: { is_pinned: isPinned },
  });

/** Imports a copy of a thread that has other messages: each below the one before, or below the one that it names. */
async function importMessages(
  who: Visitor,
  like: string,
  messages: { text: string; isPinned?: boolean; below?: number | null }[],
): Promise<StartedRun> {
  const exported = await exportThread(who, like);
  const [model] = exported.messages;
  const ids = messages.map(() => newId("message"));
  const imported = messages.map(({ text, isPinned = false, below }, at) => ({
    ...model!,
    id: ids[at]!,
    parent_id: at === 0 || below === null ? null : ids[below ?? at - 1]!,
    external_id: null,
    role: at % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: { role: at % 2 === 0 ? "user" : "assistant", content: [{ type: "text", text }] },
    is_pinned: isPinned,
  }));
  const thread = { ...exported.thread, id: newId("thread"), external_id: null };
  const file = { ...exported, thread, shown: ids.at(-1)!, scores: [], files: [], messages: imported };
  const { threads } = await importFile(who, JSON.stringify(file));
  expect(threads[0]).toMatchObject({ outcome: "added", messages: messages.length });
  return { thread_id: threads[0]!.thread_id!, message_id: "", reply_id: ids.at(-1)! } as StartedRun;
}

/** Turns that do not matter, so that the ones above them are summarized. */
const laterTurns = [1, 2, 3].flatMap((number) => [
  { text: `Later ${number}. ${filler}` },
  { text: `Answer ${number}.` },
]);

async function ask(server: TestServer, who: Visitor, text: string, last: StartedRun) {
  await sendAndWait(who, `${text} tokens=2`, { thread_id: last.thread_id, parent_id: last.reply_id });
  const [request] = (await server.requestsWith(text)).slice(-1);
  return request!.body!.messages as { role: string; content: unknown }[];
}

describeServer("pinned messages", { model: { contextTokens: 100_000 } }, (server) => {
  test("stay whole when the messages around them are summarized, and only they do", async () => {
    const ada = await server().anonymous("ada");
    const talks = await talk(ada, 5);
    const { thread_id } = talks[0]!;
    await pin(ada, thread_id, talks[1]!.message_id);
    await pin(ada, thread_id, talks[2]!.reply_id);
    const { summary } = await ada.call("summaries.create", { params: { thread_id }, body: {} });
    expect(summary.text).toContain("Fact 1 is blue.");
    expect(summary.text).not.toContain("Fact 2 is blue.");
    const messages = await ask(server(), ada, "After the summary", talks.at(-1)!);
    const sent = JSON.stringify(messages);
    expect(sent).toContain("Question 2.");
    expect(sent).toContain("The person pinned 2 of these messages.");
    expect(sent).not.toContain("Question 1.");
    expect(sent).not.toContain("Question 3.");
    // Person and answer alternate, because some models require it.
    const roles = messages.map(({ role }) => role).filter((role) => role !== "system");
    expect(roles.every((role, at) => role !== roles[at + 1])).toBe(true);
    const { parts } = await ada.call("threads.context", { params: { thread_id } });
    expect(parts.map(({ kind }) => kind)).toContain("messages");
  });

  test("never begin a request with an answer, which some models refuse", async () => {
    const separated = separateTurns([
      { role: "system", text: "Be brief." },
      { role: "assistant", messageId: "1", isPinned: true, parts: [{ type: "text", text: "Blue." }] },
      { role: "user", parts: [{ type: "text", text: "Why?" }] },
    ]);
    expect(separated.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
  });

  test("are summarized again after they are unpinned", async () => {
    const ada = await server().anonymous("ada");
    const talks = await talk(ada, 5);
    const { thread_id } = talks[0]!;
    await pin(ada, thread_id, talks[1]!.message_id);
    await ada.call("summaries.create", { params: { thread_id }, body: {} });
    await pin(ada, thread_id, talks[1]!.message_id, false);
    expect((await ada.call("summaries.list", { params: { thread_id } })).summaries).toEqual([]);
    const { summary } = await ada.call("summaries.create", { params: { thread_id }, body: {} });
    expect(summary.text).toContain("Fact 2 is blue.");
  });

  test("are limited in number and length, because every request has them", async () => {
    const ada = await server().anonymous("ada");
    const { thread_id } = await ada.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    const add = async (text: string): Promise<string> =>
      (
        await ada.call("messages.add", {
          params: { thread_id },
          body: {
            parent_id: null,
            format: "aui/v0",
            content: { role: "user", content: [{ type: "text", text }] },
          },
        })
      ).message_id;
    const ask = async (messageId: string, isPinned = true) =>
      await ada.ask("messages.pin", {
        params: { thread_id, message_id: messageId },
        body: { is_pinned: isPinned },
      });
    const [long, half] = [await add("x".repeat(40_001)), await add("y".repeat(39_000))];
    expectProblem(await ask(long), "too-many-pins");
    expect((await ask(half)).status).toBe(200);
    const short: string[] = [];
    for (let count = 0; count < 20; count++) short.push(await add(`Short ${count}`));
    for (const id of short.slice(0, 19)) expect((await ask(id)).status).toBe(200);
    expectProblem(await ask(short[19]!), "too-many-pins");
    expect((await ask(half, false)).status).toBe(200);
    expect((await ask(short[19]!)).status).toBe(200);
  });

  test("are read whatever other branches have pinned, also in an imported chat", async () => {
    const ada = await server().anonymous("ada");
    const [like] = await talk(ada, 1);
    const others = Array.from({ length: 20 }, (_, at) => ({
      text: `Other ${at}.`,
      isPinned: true,
      below: 1,
    }));
    const last = await importMessages(ada, like!.thread_id, [
      { text: "Hello." },
      { text: "Good morning." },
      ...others,
      { text: "Question 1.\nFact 1 is blue.", below: 1 },
      { text: "Answer." },
      { text: "Question 2.\nFact 2 is blue.", isPinned: true },
      { text: "Answer." },
      ...laterTurns,
    ]);
    const { summary } = await ada.call("summaries.create", {
      params: { thread_id: last.thread_id },
      body: {},
    });
    expect(summary.text).toBe("Fact 1 is blue.");
    const sent = JSON.stringify(await ask(server(), ada, "After the branches", last));
    expect(sent).toContain("Question 2.");
    expect(sent).not.toContain("Other ");
  });

  test("of an imported chat are summarized like others where they exceed the limits", async () => {
    const ada = await server().anonymous("ada");
    const [like] = await talk(ada, 1);
    const long = "x".repeat(30_000);
    const short = Array.from({ length: 19 }, (_, at) => ({ text: `Short ${at}.`, isPinned: true }));
    const last = await importMessages(ada, like!.thread_id, [
      { text: `Question 1.\nFact 1 is blue.\n${long}`, isPinned: true },
      { text: "Answer." },
      { text: `Question 2.\nFact 2 is blue.\n${long}`, isPinned: true },
      ...short,
      { text: "Question 3.\nFact 3 is blue.", isPinned: true },
      { text: "Answer." },
      ...laterTurns,
    ]);
    const params = { thread_id: last.thread_id };
    const { summary } = await ada.call("summaries.create", { params, body: {} });
    expect(summary.text).toContain("Fact 2 is blue.\nFact 3 is blue.");
    expect(summary.text).not.toContain("Fact 1 is blue.");
    const sent = JSON.stringify(await ask(server(), ada, "After the import", last));
    expect(sent).toContain("Question 1.");
    expect(sent).toContain("Short 18.");
    expect(sent).toContain("The person pinned 20 of these messages.");
    expect(sent).not.toContain("Question 2.");
    expect(sent).not.toContain("Question 3.");
  });

  test("are marked in the branch, for every tab, and pinned at most once", async () => {
    const ada = await server().anonymous("ada");
    const [first] = await talk(ada, 1);
    const { thread_id, message_id } = first!;
    await pin(ada, thread_id, message_id);
    await pin(ada, thread_id, message_id);
    const branch = await branchOf(ada, thread_id);
    expect(branch.map(({ is_pinned }) => is_pinned)).toEqual([true, false]);
    const [stored] = branch;
    await pin(ada, thread_id, message_id, false);
    const [unpinned] = await branchOf(ada, thread_id);
    expect(unpinned).toEqual({ ...stored, is_pinned: false });
    const ben = await server().anonymous("ben");
    const body = { is_pinned: true };
    await ben.fails("thread-not-found", "messages.pin", { params: { thread_id, message_id }, body });
    await ada.fails("message-not-found", "messages.pin", {
      params: { thread_id, message_id: "msg_none" },
      body,
    });
  });
});

describeServer(
  "pinned messages of a thread that is too long for its model",
  { model: { contextTokens: 4_000 }, settings: { PARLANCE_SUMMARY_MODEL: "off" } },
  (server) => {
    test("are not left out, unlike older and newer ones", async () => {
      const ada = await server().anonymous("ada");
      await vi.waitFor(async () => {
        const { models } = await ada.call("models.list");
        expect(models[0]).toMatchObject({ context_tokens: 4_000 });
      }, patience);
      const talks = await talk(ada, 2);
      await pin(ada, talks[0]!.thread_id, talks[1]!.message_id);
      let last = talks.at(-1)!;
      for (let count = 3; count <= 7; count++)
        last = await sendAndWait(ada, `Question ${count}. ${filler} tokens=3`, {
          thread_id: last.thread_id,
          parent_id: last.reply_id,
        });
      const sent = JSON.stringify(await ask(server(), ada, "Too long", last));
      expect(sent).toContain("Question 2.");
      expect(sent).not.toContain("Question 1.");
      expect(sent).not.toContain("Question 3.");
    });
  },
);
