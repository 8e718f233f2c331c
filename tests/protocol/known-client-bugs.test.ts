import { afterEach, describe, expect } from "vitest";
import type { JsonObject } from "#contract/json.ts";
import { createCuttableProxy } from "#storage/testing/cuttable-proxy.ts";
import { engines } from "../support/postgres/postgres.ts";
import { describeServer, newPlace, startTestServer } from "../support/servers/server.ts";
import { sendAndWait } from "../support/clients/conversation.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import {
  anonymousCloud,
  clients,
  newestClient,
  inBrowser,
  storedToken,
  keyCloud,
  type Cloud,
  test,
} from "./clients.ts";

/** Bugs that users of the protocol's clients have reported. Each test checks that one does not occur with this server. */

const content = (text: string): JsonObject => ({ role: "user", content: [{ type: "text", text }] });

async function newThread(cloud: Cloud): Promise<string> {
  return (await cloud.threads.create({ last_message_at: new Date() })).thread_id;
}

describeServer("a known bug of protocol clients", { model: true }, (server) => {
  describe.for(clients)("%s", ([, client]) => {
    test("two tabs became two users", async () => {
      const stored = new Map<string, string>();
      await inBrowser(stored, async () => void (await newThread(anonymousCloud(client, server()))));
      const { token } = storedToken(server(), stored);
      // Two tabs without a lock: each reads the same storage and refreshes its token.
      const tabs = [new Map(stored), new Map(stored)];
      for (const tab of tabs) {
        await inBrowser(tab, async () =>
          expect((await anonymousCloud(client, server()).threads.list()).threads).toHaveLength(1),
        );
        expect(storedToken(server(), tab).token).toBe(token);
      }
    });

    test("a message was stored twice by two concurrent calls, and a grandchild's parent was a local id", async () => {
      const cloud = keyCloud(client, server());
      const threadId = await newThread(cloud);
      const persistence = new client.CloudMessagePersistence(cloud);
      await Promise.all([
        persistence.append(threadId, "local-1", null, "aui/v0", content("one") as never),
        persistence.append(threadId, "local-1", null, "aui/v0", content("one") as never),
        persistence.append(threadId, "local-2", "local-1", "aui/v0", content("two") as never),
        persistence.append(threadId, "local-3", "local-2", "aui/v0", content("three") as never),
      ]);
      const { messages } = await cloud.threads.messages.list(threadId);
      expect(messages.map(({ height }) => height)).toEqual([2, 1, 0]);
      expect(messages.map(({ content }) => content)).toEqual([
        content("three"),
        content("two"),
        content("one"),
      ]);
    });

    test("an update of a message with children was refused, and repeated forever", async () => {
      const cloud = keyCloud(client, server());
      const threadId = await newThread(cloud);
      const persistence = new client.CloudMessagePersistence(cloud);
      await persistence.append(threadId, "local-1", null, "aui/v0", content("one"));
      await persistence.append(threadId, "local-2", "local-1", "aui/v0", content("two"));
      await persistence.update(threadId, "local-1", "aui/v0", content("changed"));
      const { messages } = await cloud.threads.messages.list(threadId);
      expect(messages.at(-1)?.content).toEqual(content("changed"));
    });

    test("parents were lost, with the rest of the batch, when the client object was replaced", async () => {
      const cloud = keyCloud(client, server());
      const threadId = await newThread(cloud);
      await new client.CloudMessagePersistence(cloud).append(
        threadId,
        "V1StGXR",
        null,
        "aui/v0",
        content("one"),
      );
      const swapped = new client.CloudMessagePersistence(cloud);
      await swapped.append(threadId, "Z5eh3Kx", "V1StGXR", "aui/v0", content("two"));
      await swapped.append(threadId, "A1b2C3d", "Z5eh3Kx", "aui/v0", content("three"));
      const { messages } = await cloud.threads.messages.list(threadId);
      // The newest one sends its own ids with the messages, so that the server finds the parent.
      expect(messages.map(({ height }) => height)).toEqual(client === newestClient ? [2, 1, 0] : [1, 0, 0]);
    });

    test("a title was requested and billed again and again", async () => {
      const cloud = keyCloud(client, server());
      const threadId = await newThread(cloud);
      const words = `Why is it ${crypto.randomUUID()}? status=500 retry-after=60`;
      const messages = [{ role: "user", content: [{ type: "text" as const, text: words }] }];
      const first = await client.generateThreadTitle(cloud, { threadId, messages });
      const asked = (await server().titleRequestsWith(words)).length;
      expect(first).toMatch(/^Why is it /);
      expect(await client.generateThreadTitle(cloud, { threadId, messages })).toBe(first);
      expect(await server().titleRequestsWith(words)).toHaveLength(asked);
    });
  });

  test("a message was stored in the wrong thread after a quick switch", async ({ cloud }) => {
    const threads = await Promise.all(Array.from({ length: 6 }, async () => await newThread(cloud)));
    await Promise.all(
      threads.flatMap((threadId) =>
        [1, 2, 3].map(
          async (n) =>
            await cloud.threads.messages.create(threadId, {
              parent_id: null,
              format: "aui/v0",
              content: { threadId, n },
            }),
        ),
      ),
    );
    for (const threadId of threads) {
      const { messages } = await cloud.threads.messages.list(threadId);
      expect(messages.map(({ content }) => content.threadId)).toEqual([threadId, threadId, threadId]);
    }
  });

  test("a broken link was attached after a failed upload", async () => {
    const wanted = { filename: "garden.png", content_length: 10 };
    const upload = await keyCloud(newestClient, server()).files.generatePresignedUploadUrl(wanted);
    const put = await fetch(upload.signedUrl, { method: "PUT", body: "more than ten bytes" });
    expect(put.status).toBe(400);
    expect((await fetch(upload.publicUrl)).status).toBe(404);
  });

  test("one malformed message made a whole thread unreadable", async ({ ada }) => {
    const { thread_id } = await ada.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    const malformed: JsonObject[] = [
      {},
      { role: 7, content: 7 },
      {
        role: "user",
        content: [
          null,
          1,
          "x",
          [],
          { type: 1 },
          { type: "text" },
          { type: "text", text: 7 },
          { type: "tool-call" },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: 1, toolName: null, args: "x", result: undefined as never },
        ],
        status: "running",
      },
      { role: "system", parts: [{ type: "text", text: null }], content: "text" },
      { role: "user", attachments: [null, { content: null }, { content: [{ type: "image" }] }], content: [] },
      { role: "__proto__", content: { length: 1 } },
    ];
    let parent_id: string | null = null;
    for (const [index, body] of malformed.entries()) {
      const format = ["aui/v0", "ai-sdk/v6", "unknown"][index % 3]!;
      parent_id = (await addTo(ada, thread_id, parent_id, format, body)).message_id;
    }
    const { messages } = await ada.call("messages.list", { params: { thread_id } });
    expect(messages.map(({ content }) => content).toReversed()).toEqual(
      malformed.map((each) => JSON.parse(JSON.stringify(each)) as unknown),
    );
    expect((await ada.call("messages.branch", { params: { thread_id } })).messages).toHaveLength(
      malformed.length,
    );
    const { reply } = await sendAndWait(ada, "And now? tokens=3", { thread_id, parent_id });
    expect(reply.end?.state).toBe("completed");
  });

  test("an empty response body crashed the client", async ({ ada }) => {
    const { thread_id } = await ada.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    const { message_id } = await addTo(ada, thread_id, null, "aui/v0", content("x"));
    for (const answer of [
      await ada.ask("threads.update", { params: { thread_id }, body: { title: "x" } }),
      await ada.ask("messages.update", { params: { thread_id, message_id }, body: { content: {} } }),
      await ada.ask("threads.remove", { params: { thread_id } }),
    ]) {
      expect([answer.status, answer.text]).toEqual([200, "{}"]);
      expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    }
  });

  test("a timestamp was not what toISOString() prints", async ({ ada }) => {
    const { thread_id } = await ada.call("threads.create", {
      body: { last_message_at: "2026-01-31T12:00:00+02:00" },
    });
    await addTo(ada, thread_id, null, "aui/v0", content("x"));
    const { run_id } = await sendAndWait(ada, "tokens=1", { thread_id, parent_id: null });
    const texts = [
      (await ada.ask("threads.list")).text,
      (await ada.ask("threads.get", { params: { thread_id } })).text,
      (await ada.ask("messages.list", { params: { thread_id } })).text,
      (await ada.ask("messages.branch", { params: { thread_id } })).text,
      (await ada.ask("runs.get", { params: { run_id } })).text,
      (await server().guest.ask("auth.signUpAnonymous")).text,
    ];
    const instants = texts.flatMap((text) =>
      [...text.matchAll(/"\w+_at":"([^"]*)"/g)].map(([, instant]) => instant!),
    );
    expect(instants.length).toBeGreaterThan(15);
    for (const instant of instants) expect(new Date(instant).toISOString()).toBe(instant);
  });
});

describe.runIf(engines.includes("postgres"))(
  "a known bug of protocol clients while the database is down",
  () => {
    const undo: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (let last = undo.pop(); last !== undefined; last = undo.pop()) await last();
    });

    test.for(clients)("%s: one failed refresh made all threads inaccessible", async ([, client]) => {
      const place = await newPlace("postgres");
      undo.push(place.remove);
      const proxy = await createCuttableProxy(place.databaseUrl!);
      const server = await startTestServer({
        engine: "postgres",
        place: { ...place, databaseUrl: proxy.url },
      });
      undo.push(server.close, proxy.close, async () => void server.log.takeErrors());
      const stored = new Map<string, string>();
      const threadId = await inBrowser(stored, async () => await newThread(anonymousCloud(client, server)));
      const before = storedToken(server, stored);
      await proxy.cut();
      await inBrowser(
        stored,
        async () => await expect(anonymousCloud(client, server).threads.list()).rejects.toThrow(/503/),
      );
      await proxy.restore();
      expect(storedToken(server, stored)).toEqual(before);
      await inBrowser(stored, async () => {
        const { threads } = await anonymousCloud(client, server).threads.list();
        expect(threads.map(({ id }) => id)).toEqual([threadId]);
      });
    });
  },
);

async function addTo(
  who: Visitor,
  thread_id: string,
  parent_id: string | null,
  format: string,
  content: JsonObject,
) {
  return await who.call("messages.add", { params: { thread_id }, body: { parent_id, format, content } });
}
