import { expect, test } from "vitest";
import { newId } from "#contract/ids.ts";
import { userMessage } from "#fixtures/people.ts";
import { branchOf } from "../support/clients/conversation.ts";
import { exportThread } from "../support/clients/transfer.ts";
import { describeServer } from "../support/servers/server.ts";

describeServer("an answer that a client stores with a lease and has not completed", {}, (server) => {
  /** A question, and the beginning of its answer. */
  async function begun() {
    const ada = server().inNewWorkspace();
    const { thread_id: threadId } = await ada.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    const params = { thread_id: threadId };
    const add = async (content: object, more: object) =>
      await ada.call("messages.add", { params, body: { format: "aui/v0", content, ...more } as never });
    const { message_id: question } = await add(userMessage("What grows here?"), { parent_id: null });
    const content = { role: "assistant", content: [{ type: "text", text: "Half of it" }] };
    const answer = await add(content, { parent_id: question, open_run: true, external_id: newId("message") });
    return { ada, threadId, answerId: answer.message_id, leaseId: answer.lease_id! };
  }

  test("is interrupted in a copy, because nobody writes the copy", async () => {
    const { ada, threadId, answerId } = await begun();
    const params = { thread_id: threadId, message_id: answerId };
    const { thread_id: copyId } = await ada.call("messages.copyBranch", { params, body: {} });
    const [question, answer] = await branchOf(ada, copyId);
    expect(question!.status.type).toBe("complete");
    expect(answer!.status).toEqual({ type: "incomplete", reason: "interrupted", error_code: null });
  });

  test("is interrupted in exports, and complete when its client has completed it", async () => {
    const { ada, threadId, leaseId } = await begun();
    const params = { thread_id: threadId };
    const markdown = async () =>
      (await ada.ask("exports.thread", { params, query: { format: "markdown" } })).text;
    const statusOf = async () => (await exportThread(ada, threadId)).messages[1]!.status!;
    expect(await statusOf()).toEqual({ type: "incomplete", reason: "interrupted", error_code: null });
    expect(await markdown()).toContain("*Broken off.*");
    await ada.call("clientLeases.end", {
      params: { ...params, lease_id: leaseId },
      body: { reason: "done" },
    });
    expect((await statusOf()).type).toBe("complete");
    expect(await markdown()).not.toContain("*Broken off.*");
  });
});
