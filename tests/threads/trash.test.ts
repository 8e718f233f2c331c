import { expect } from "vitest";
import { describeServer, test } from "../support/servers/server.ts";
import { sendAndWait } from "../support/clients/conversation.ts";
import type { Visitor } from "../support/clients/visitor.ts";

async function moveToTrash(who: Visitor, words: string): Promise<string> {
  const { thread_id } = await sendAndWait(who, `${words} tokens=1`);
  await who.call("threads.remove", { params: { thread_id } });
  return thread_id;
}

async function trashOf(who: Visitor, query: Record<string, string> = {}): Promise<string[]> {
  return (await who.call("trash.list", { query })).threads.map(({ id }) => id);
}

describeServer("the trash", { model: true }, (server) => {
  test("lists deleted threads, last deleted first, until they are restored", async ({ ada }) => {
    const one = await moveToTrash(ada, "One");
    server().clock.advance(1_000);
    const two = await moveToTrash(ada, "Two");
    expect(await trashOf(ada)).toEqual([two, one]);
    expect(await trashOf(ada, { limit: "1" })).toEqual([two]);
    expect(await trashOf(ada, { limit: "1", after: two })).toEqual([one]);
    expect(await trashOf(ada, { after: one })).toEqual([]);
    await ada.call("threads.restore", { params: { thread_id: two } });
    expect(await trashOf(ada)).toEqual([one]);
    await ada.fails("bad-cursor", "trash.list", { query: { after: two } });
  });

  test("deletes one thread permanently, if it is in the trash", async ({ ada }) => {
    const deleted = await moveToTrash(ada, "Gone");
    const kept = await moveToTrash(ada, "Kept");
    const live = (await sendAndWait(ada, "Live tokens=1")).thread_id;
    await ada.call("trash.remove", { params: { thread_id: deleted } });
    expect(await trashOf(ada)).toEqual([kept]);
    for (const thread_id of [deleted, live])
      await ada.fails("thread-not-found", "trash.remove", { params: { thread_id } });
    await ada.fails("thread-not-found", "threads.restore", { params: { thread_id: deleted } });
    await ada.call("threads.get", { params: { thread_id: live } });
  });

  test("is emptied without affecting other threads", async ({ ada }) => {
    const ben = server().inNewWorkspace("ben");
    const bens = await moveToTrash(ben, "Ben's");
    const live = (await sendAndWait(ada, "Live tokens=1")).thread_id;
    for (let number = 0; number < 23; number++) {
      const { thread_id } = await ada.call("threads.create", {
        body: { last_message_at: new Date(0).toISOString(), title: `Thread ${number}` },
      });
      await ada.call("threads.remove", { params: { thread_id } });
    }
    expect(await ada.call("trash.empty")).toEqual({ deleted: 23 });
    expect(await trashOf(ada)).toEqual([]);
    expect(await ada.call("trash.empty")).toEqual({ deleted: 0 });
    await ada.call("threads.get", { params: { thread_id: live } });
    expect(await trashOf(ben)).toEqual([bens]);
  });

  test("is not accessible to strangers", async ({ ada }) => {
    const thread_id = await moveToTrash(ada, "Mine");
    const stranger = await server().anonymous();
    expect(await trashOf(stranger)).toEqual([]);
    await stranger.fails("thread-not-found", "trash.remove", { params: { thread_id } });
    await stranger.fails("bad-cursor", "trash.list", { query: { after: thread_id } });
    await stranger.call("trash.empty");
    expect(await trashOf(ada)).toEqual([thread_id]);
    await server().guest.fails("not-signed-in", "trash.list");
  });
});
