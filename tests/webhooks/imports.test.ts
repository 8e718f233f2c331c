import { afterAll, beforeEach, expect } from "vitest";
import { newId } from "#contract/ids.ts";
import { userMessage } from "#fixtures/people.ts";
import { startWebhookTarget } from "#fixtures/webhook-target.ts";
import { createOwner, join } from "../support/clients/browser.ts";
import { importFile, outcomesOf } from "../support/clients/transfer.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { describeServer, test } from "../support/servers/server.ts";

const target = await startWebhookTarget();
afterAll(async () => await target.close());
const settings = { FETCH_ALLOWED_HOSTS: `127.0.0.1:${target.port}` };

/** A thread of long ago, with more messages than one transaction stores. */
function longThread() {
  const id = newId("thread");
  const ids = Array.from({ length: 1_200 }, (_, n) => `${id}-${n}`);
  return {
    format: "parlance-thread",
    version: 1,
    thread: { id, title: "Long ago", created_at: "2020-01-31T12:00:00.000Z" },
    messages: ids.map((message, n) => ({
      id: message,
      parent_id: ids[n - 1] ?? null,
      role: "user",
      format: "aui/v0",
      created_at: "2020-01-31T12:00:00.000Z",
      content: userMessage(message),
    })),
  };
}

async function bringIn(who: Visitor): Promise<string> {
  const report = await importFile(who, JSON.stringify(longThread()));
  expect(outcomesOf(report)).toEqual(["added"]);
  return (await who.call("threads.list")).threads[0]!.id;
}

describeServer("webhooks of imported chats", { settings }, (server) => {
  beforeEach(() => {
    target.received = [];
    target.answer = (response) => void response.writeHead(204).end();
  });

  test("tell of a thread of the app when all of it is there, and of no account's", async ({ ada }) => {
    const owner = await createOwner(server());
    const { id: app_id } = (await owner.call("console.apps")).apps[0]!;
    await owner.call("webhooks.create", {
      params: { app_id },
      body: { url: `${target.url}/`, events: ["thread.created"] },
    });
    const member = await join(owner, { email: `${newId("user")}@example.com`, role: "member" });
    await bringIn(member);
    target.answer = (response) => void response.writeHead(500).end();
    const thread_id = await bringIn(ada);
    await expect.poll(() => target.received.length).toBe(1);
    // It happened long ago, and is not forgotten before it has arrived.
    target.answer = (response) => void response.writeHead(204).end();
    server().clock.advance(11 * 60_000);
    await expect.poll(() => target.received.length).toBe(2);
    expect(target.received.map(({ event }) => event.data["thread_id"])).toEqual([thread_id, thread_id]);
  });
});
