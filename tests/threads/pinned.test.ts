import { expect } from "vitest";
import { describeServer, test } from "../support/servers/server.ts";
import type { Visitor } from "../support/clients/visitor.ts";

async function withThreads(who: Visitor, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number++) {
    const body = { last_message_at: new Date(number * 1_000).toISOString(), title: `Thread ${number}` };
    ids.push((await who.call("threads.create", { body })).thread_id);
  }
  return ids;
}

const listed = async (who: Visitor, query: Record<string, string> = {}) =>
  (await who.call("threads.list", { query })).threads.map(({ id }) => id);

describeServer("pinned threads", {}, (server) => {
  test("are listed whatever their age, newest message first, without changing the order of the main list", async () => {
    const ada = server().inNewWorkspace();
    const ids = await withThreads(ada, 25);
    const [oldest = "", older = ""] = ids;
    const before = await listed(ada, { limit: "100" });
    for (const thread_id of [oldest, older])
      await ada.call("threads.update", { params: { thread_id }, body: { is_pinned: true } });
    expect(await listed(ada, { is_pinned: "true" })).toEqual([older, oldest]);
    expect(await listed(ada, { is_pinned: "true", limit: "1" })).toEqual([older]);
    expect(await listed(ada, { is_pinned: "true", limit: "1", after: older })).toEqual([oldest]);
    expect(await listed(ada, { is_pinned: "false", limit: "100" })).toEqual(ids.slice(2).toReversed());
    expect(await listed(ada, { limit: "100" })).toEqual(before);
    expect(await listed(ada)).toEqual(before.slice(0, 20));
  });

  test("are listed for their owner only, and without archived and deleted ones", async ({ ada }) => {
    const ben = server().inNewWorkspace("ben");
    const [one = "", two = "", three = ""] = await withThreads(ada, 3);
    for (const thread_id of [one, two, three])
      await ada.call("threads.update", { params: { thread_id }, body: { is_pinned: true } });
    await ada.call("threads.update", { params: { thread_id: one }, body: { is_archived: true } });
    await ada.call("threads.remove", { params: { thread_id: two } });
    expect(await listed(ada, { is_pinned: "true" })).toEqual([three]);
    expect(await listed(ada, { is_pinned: "true", is_archived: "true" })).toEqual([one]);
    expect(await listed(ben, { is_pinned: "true" })).toEqual([]);
  });
});
