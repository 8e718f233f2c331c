import { expect } from "vitest";
import { describeServer, test } from "../support/servers/server.ts";

describeServer("a thread's newest message", {}, () => {
  test("is at most a day ahead", async ({ ada }) => {
    const { thread_id } = await ada.call("threads.create", {
      body: { last_message_at: "+275760-09-13T00:00:00.000Z" },
    });
    const { thread } = await ada.call("threads.get", { params: { thread_id } });
    expect(Date.parse(thread.last_message_at)).toBeLessThan(Date.now() + 25 * 3_600_000);
  });
});

describeServer("a page of very large messages", {}, () => {
  test("is refused, and can be read with a smaller limit", { timeout: 60_000 }, async ({ ada }) => {
    const { thread_id } = await ada.call("threads.create", {
      body: { last_message_at: "2020-01-01T00:00:00Z" },
    });
    const params = { thread_id };
    const content = { role: "user", content: [{ type: "text", text: "x".repeat(8_000_000) }] };
    let parent_id: string | null = null;
    for (let n = 0; n < 5; n++) {
      const added: { message_id: string } = await ada.call("messages.add", {
        params,
        body: { parent_id, format: "aui/v0", content },
      });
      parent_id = added.message_id;
    }
    const refused = await ada.ask("messages.list", { params });
    expect(refused.status).toBe(413);
    expect(refused.body).toMatchObject({ code: "page-too-large" });
    expect((await ada.call("messages.list", { params, query: { limit: "2" } })).messages).toHaveLength(2);
    const branch = await ada.call("messages.branch", { params });
    expect(branch.has_more).toBe(true);
    expect(branch.messages.length).toBeGreaterThan(1);
    expect(branch.messages.length).toBeLessThan(5);
  });
});
