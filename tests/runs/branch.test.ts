import { expect } from "vitest";
import type { BodyInputOf } from "#contract/api.ts";
import { seedLongThread } from "../support/data/seed.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { branchOf, sendAndWait, textOfMessage, below } from "../support/clients/conversation.ts";
import type { Visitor } from "../support/clients/visitor.ts";

async function branchIds(who: Visitor, threadId: string): Promise<string[]> {
  return (await branchOf(who, threadId)).map(({ id }) => id);
}

describeServer("the visible branch", { model: true }, () => {
  test("ends in the last message of the person who reads it", async ({ ada, ben }) => {
    const one = await sendAndWait(ada, "One tokens=1");
    const two = await sendAndWait(ada, "Two tokens=1", below(one));
    expect(await branchIds(ada, one.thread_id)).toEqual([
      one.message_id,
      one.reply_id,
      two.message_id,
      two.reply_id,
    ]);
    const other = await sendAndWait(ben, "Instead tokens=1", below(one));
    expect(await branchIds(ben, one.thread_id)).toEqual([
      one.message_id,
      one.reply_id,
      other.message_id,
      other.reply_id,
    ]);
    expect(await branchIds(ada, one.thread_id)).toEqual([
      one.message_id,
      one.reply_id,
      two.message_id,
      two.reply_id,
    ]);
  });

  test("is switched with any message of another branch, and stays switched", async ({ ada }) => {
    const one = await sendAndWait(ada, "One tokens=1");
    const two = await sendAndWait(ada, "Two tokens=1", below(one));
    const edit = await sendAndWait(ada, "Edited tokens=1", { thread_id: one.thread_id, parent_id: null });
    const params = { thread_id: one.thread_id };
    expect(await branchIds(ada, one.thread_id)).toEqual([edit.message_id, edit.reply_id]);
    // The response has the whole branch through the message, to its end.
    const { head_id } = await ada.call("messages.setHead", { params, body: { message_id: one.message_id } });
    expect(head_id).toBe(two.reply_id);
    const branch = await ada.call("messages.branch", { params });
    expect(branch.head_id).toBe(two.reply_id);
    expect(branch.messages.map(({ siblings }) => siblings)).toEqual([
      [one.message_id, edit.message_id],
      [],
      [],
      [],
    ]);
    const looked = await branchOf(ada, one.thread_id, { head: edit.message_id });
    expect(looked.map(({ id }) => id)).toEqual([edit.message_id, edit.reply_id]);
    expect(await branchIds(ada, one.thread_id)).toHaveLength(4);
    // One message of another branch, without those below it.
    const pageTo = async (last: string, limit = "200") =>
      (await ada.call("messages.branch", { params, query: { last, limit } })).messages.map(({ id }) => id);
    expect(await pageTo(edit.message_id, "1")).toEqual([edit.message_id]);
    expect(await pageTo(two.message_id)).toEqual([one.message_id, one.reply_id, two.message_id]);
  });

  test("continues below the stored head when another person continues there", async ({ ada, ben }) => {
    const one = await sendAndWait(ada, "One tokens=1");
    const two = await sendAndWait(ben, "Two tokens=1", below(one));
    expect(await branchIds(ada, one.thread_id)).toEqual([
      one.message_id,
      one.reply_id,
      two.message_id,
      two.reply_id,
    ]);
  });

  test("is the deepest branch for a person without a stored head", async ({ ada, ben }) => {
    const one = await sendAndWait(ada, "One tokens=1");
    const two = await sendAndWait(ada, "Two tokens=1", below(one));
    await sendAndWait(ada, "Newer but not so deep tokens=1", { thread_id: one.thread_id, parent_id: null });
    expect(await branchIds(ben, one.thread_id)).toEqual([
      one.message_id,
      one.reply_id,
      two.message_id,
      two.reply_id,
    ]);
  });

  test("has messages of protocol clients in their format, with their roles", async ({ ada }) => {
    const { thread_id } = await ada.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    const params = { thread_id };
    let parent_id: string | null = null;
    for (const role of ["user", "assistant", "system", "wizard"]) {
      const body: BodyInputOf<"messages.add"> = {
        parent_id,
        format: "ai-sdk/v6",
        content: { role, parts: [] },
      };
      parent_id = (await ada.call("messages.add", { params, body })).message_id;
    }
    const branch = await branchOf(ada, thread_id);
    expect(branch.map(({ role }) => role)).toEqual(["user", "assistant", "system", "user"]);
    expect(branch.map(({ format, status }) => [format, status.type])).toEqual(
      Array.from({ length: 4 }, () => ["ai-sdk/v6", "complete"]),
    );
  });

  test("of an empty thread is empty", async ({ ada }) => {
    const { thread_id } = await ada.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    expect(await ada.call("messages.branch", { params: { thread_id } })).toEqual({
      thread_id,
      head_id: null,
      messages: [],
      has_more: false,
      queue: [],
      summary: null,
    });
  });

  test("answers 200 or 404 when a message is selected and deleted at the same time", async ({ ada }) => {
    const { thread_id } = await ada.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    const params = { thread_id };
    const add = async () =>
      (
        await ada.call("messages.add", {
          params,
          body: { parent_id: null, format: "aui/v0", content: { role: "user", content: [] } },
        })
      ).message_id;
    for (let round = 0; round < 20; round++) {
      const message_id = await add();
      await add();
      const [selected] = await Promise.all([
        ada.ask("messages.setHead", { params, body: { message_id } }),
        ada.ask("messages.remove", { params, body: { message_ids: [message_id] } }),
      ]);
      expect([200, 404]).toContain(selected.status);
    }
  });
});

let long: Awaited<ReturnType<typeof seedLongThread>>;

describeServer(
  "a thread of 1,000 messages",
  { model: true, seed: async (place) => (long = await seedLongThread(place, "org_long", 1_000)) },
  (server) => {
    const reader = () => server().inWorkspace("org_long");

    test("is listed page by page from its end to its start", async () => {
      const ada = reader();
      const { threadId: thread_id } = long;
      const texts: string[] = [];
      let before: string | undefined;
      for (let pages = 0; ; pages++) {
        const page = await ada.call("messages.branch", {
          params: { thread_id },
          query: { limit: "120", ...(before === undefined ? {} : { before }) },
        });
        texts.unshift(...page.messages.map(textOfMessage));
        expect(page.messages.length).toBe(page.has_more ? 120 : 1_000 % 120);
        if (!page.has_more) break;
        before = page.messages[0]!.id;
        expect(pages).toBeLessThan(10);
      }
      expect(texts).toEqual(Array.from({ length: 1_000 }, (_, height) => `message ${height}`));
    });

    test("has its last hundred messages on the first page", async () => {
      const ada = reader();
      const { threadId: thread_id } = long;
      const page = await ada.call("messages.branch", { params: { thread_id } });
      expect(page).toMatchObject({ has_more: true });
      expect([textOfMessage(page.messages[0]), textOfMessage(page.messages.at(-1))]).toEqual([
        "message 900",
        "message 999",
      ]);
      const top = await ada.call("messages.branch", {
        params: { thread_id },
        query: { before: page.messages[0]!.id, limit: "1" },
      });
      expect(top.messages.map(textOfMessage)).toEqual(["message 899"]);
    });

    test("has no page before its first message", async () => {
      const ada = reader();
      const { threadId: thread_id, messageIds } = long;
      const page = await ada.call("messages.branch", {
        params: { thread_id },
        query: { before: messageIds[0]! },
      });
      expect(page).toMatchObject({ messages: [], has_more: false, head_id: messageIds.at(-1) });
      const first = await ada.call("messages.branch", {
        params: { thread_id },
        query: { before: messageIds[1]! },
      });
      expect(first).toMatchObject({ has_more: false, messages: [{ id: messageIds[0] }] });
    });

    test("is sent to the model completely, and can be continued", async () => {
      const ada = reader();
      const { threadId: thread_id } = long;
      const head = (await ada.call("messages.branch", { params: { thread_id } })).head_id!;
      const { reply } = await sendAndWait(ada, "And now? tokens=2", { thread_id, parent_id: head });
      expect(reply.end?.state).toBe("completed");
      const [request] = await server().requestsWith("And now?");
      const contents = (request!.body!.messages as { content: string }[]).map(({ content }) => content);
      expect(contents.slice(1, -1)).toEqual(
        Array.from({ length: 1_000 }, (_, height) => `message ${height}`),
      );
    });
  },
);
