import { expect, test } from "vitest";
import type { JsonObject } from "#contract/json.ts";
import { everyPart } from "#fixtures/part-examples.ts";
import { userMessage } from "#fixtures/people.ts";
import { branchOf } from "../support/clients/conversation.ts";
import { describeServer } from "../support/servers/server.ts";

describeServer("every kind of part", {}, (server) => {
  async function threadWithAll() {
    const ada = server().inNewWorkspace();
    const { thread_id: threadId } = await ada.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    const add = async (parentId: string | null, content: JsonObject) => {
      const body = { parent_id: parentId, format: "aui/v0", content };
      return (await ada.call("messages.add", { params: { thread_id: threadId }, body })).message_id;
    };
    const first = await add(null, userMessage("What grows in the shade?"));
    const second = await add(first, { role: "assistant", content: [{ type: "text", text: "Ferns." }] });
    const answer = await add(second, { role: "assistant", content: everyPart });
    return { ada, threadId, second, answer, add };
  }
  const partsIn = async (ada: Awaited<ReturnType<typeof threadWithAll>>["ada"], threadId: string) =>
    JSON.stringify((await branchOf(ada, threadId)).at(-1)?.content["content"]);

  test("survives a copy of its branch", async () => {
    const { ada, threadId, answer } = await threadWithAll();
    const params = { thread_id: threadId, message_id: answer };
    const { thread_id: copyId } = await ada.call("messages.copyBranch", { params, body: {} });
    expect(await partsIn(ada, copyId)).toBe(JSON.stringify(everyPart));
  });

  test("survives the deletion of a message above it, and of its thread if that is undone", async () => {
    const { ada, threadId, second } = await threadWithAll();
    const params = { thread_id: threadId };
    await ada.call("messages.remove", { params, query: {}, body: { message_ids: [second] } });
    expect(await branchOf(ada, threadId)).toHaveLength(2);
    expect(await partsIn(ada, threadId)).toBe(JSON.stringify(everyPart));
    await ada.call("threads.remove", { params });
    await ada.call("threads.restore", { params });
    expect(await partsIn(ada, threadId)).toBe(JSON.stringify(everyPart));
  });

  test("survives a pin, and the deletion of another answer with everything below it", async () => {
    const { ada, threadId, second, answer, add } = await threadWithAll();
    const params = { thread_id: threadId };
    const pin = { ...params, message_id: answer };
    for (const isPinned of [true, false])
      await ada.call("messages.pin", { params: pin, body: { is_pinned: isPinned } });
    const other = await add(second, userMessage("And in the sun?"));
    await add(other, { role: "assistant", content: [{ type: "text", text: "Thyme." }] });
    await ada.call("messages.remove", {
      params,
      query: { descendants: true },
      body: { message_ids: [other] },
    });
    expect(await partsIn(ada, threadId)).toBe(JSON.stringify(everyPart));
  });
});
