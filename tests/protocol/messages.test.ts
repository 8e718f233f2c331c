import * as fc from "fast-check";
import { describe, expect } from "vitest";
import type { JsonObject } from "#contract/json.ts";
import { anyContent, hostileContents, nested } from "../support/data/hostile-contents.ts";
import { describeServer } from "../support/servers/server.ts";
import {
  clients,
  newestClient,
  isFirstLine,
  keyCloud,
  errorOf,
  expectedError,
  type Cloud,
  test,
} from "./clients.ts";

const userMessage = (text: string): JsonObject => ({ role: "user", content: [{ type: "text", text }] });

async function newThread(cloud: Cloud): Promise<string> {
  return (await cloud.threads.create({ last_message_at: new Date() })).thread_id;
}

async function add(
  cloud: Cloud,
  threadId: string,
  parentId: string | null,
  content: JsonObject = userMessage("x"),
  more: object = {},
): Promise<string> {
  const body = { parent_id: parentId, format: "aui/v0", content, ...more };
  return (await cloud.threads.messages.create(threadId, body)).message_id;
}

async function list(cloud: Cloud, threadId: string, query: object = {}) {
  return (await cloud.threads.messages.list(threadId, query)).messages;
}

/** 205 messages, created once for all clients of a server. */
const longThreads: Record<string, ReturnType<typeof longThread>> = {};

async function longThread(cloud: Cloud): Promise<{ threadId: string; root: string; created: string[] }> {
  const threadId = await newThread(cloud);
  const root = await add(cloud, threadId, null);
  const created = await Promise.all(
    Array.from({ length: 204 }, async () => await add(cloud, threadId, root)),
  );
  return { threadId, root, created };
}

describeServer("the protocol's messages", {}, (server) => {
  describe.for(clients)("%s", ([, client]) => {
    test("are returned unchanged, whatever their content", async () => {
      const cloud = keyCloud(client, server());
      const threadId = await newThread(cloud);
      await fc.assert(
        fc.asyncProperty(anyContent, async (content) => {
          const id = await add(cloud, threadId, null, content);
          const stored = (await list(cloud, threadId, { limit: 5 })).find((message) => message.id === id);
          expect(JSON.stringify(stored?.content)).toBe(JSON.stringify(content));
        }),
        { numRuns: 25 },
      );
    });

    test("that have children can be updated, and keep their position and time", async () => {
      const cloud = keyCloud(client, server());
      const threadId = await newThread(cloud);
      const root = await add(cloud, threadId, null);
      const child = await add(cloud, threadId, root);
      const before = await list(cloud, threadId);
      const thread = await cloud.threads.get(threadId);
      await cloud.threads.messages.update(threadId, root, { content: userMessage("changed") });
      const after = await list(cloud, threadId);
      expect(after.map(({ id }) => id)).toEqual([child, root]);
      expect(after[1]).toEqual({
        ...before[1],
        content: userMessage("changed"),
        updated_at: after[1]!.updated_at,
      });
      expect(after[1]!.updated_at.getTime()).toBeGreaterThanOrEqual(before[1]!.updated_at.getTime());
      expect((await cloud.threads.get(threadId)).last_message_at).toEqual(thread.last_message_at);
    });

    test("are listed to the first one, page by page", async () => {
      const workspaceId = `long_${server().port}`;
      const cloud = keyCloud(client, server(), { workspaceId });
      const { threadId, root, created } = await (longThreads[workspaceId] ??= longThread(cloud));
      const first = await list(cloud, threadId);
      expect(first).toHaveLength(200);
      const rest = await list(cloud, threadId, { after: first.at(-1)!.id });
      expect(rest).toHaveLength(5);
      expect(new Set([...first, ...rest].map(({ id }) => id))).toEqual(new Set([root, ...created]));
      expect(rest.at(-1)?.id).toBe(root);
      const small: string[] = [];
      for (let after: string | undefined; ;) {
        const page = await list(cloud, threadId, { limit: 41, ...(after === undefined ? {} : { after }) });
        small.push(...page.map(({ id }) => id));
        if (page.length < 41) break;
        after = page.at(-1)!.id;
      }
      expect(small).toEqual([...first, ...rest].map(({ id }) => id));
      if (!isFirstLine(client)) {
        const loaded = await new client.CloudMessagePersistence(cloud).load(threadId, "aui/v0");
        expect(loaded).toHaveLength(205);
      }
      expect(await list(cloud, threadId, { after: "msg_0nobody" })).toEqual(first);
    });
  });

  test.for(Object.entries(hostileContents))("are returned unchanged: %s", async ([, content], { cloud }) => {
    const threadId = await newThread(cloud);
    const id = await add(cloud, threadId, null, content);
    const [stored] = await list(cloud, threadId);
    expect(JSON.stringify(stored?.content)).toBe(JSON.stringify(content));
    const turned = { again: content };
    await cloud.threads.messages.update(threadId, id, { content: turned });
    expect(JSON.stringify((await list(cloud, threadId))[0]?.content)).toBe(JSON.stringify(turned));
  });

  test("may nest 490 levels deep, and are refused beyond 500", async ({ cloud }) => {
    const threadId = await newThread(cloud);
    await add(cloud, threadId, null, nested(490));
    expect(JSON.stringify((await list(cloud, threadId))[0]?.content)).toBe(JSON.stringify(nested(490)));
    expect(await errorOf(add(cloud, threadId, null, nested(501)))).toEqual(
      expectedError(newestClient, "bad-request"),
    );
    expect(await errorOf(add(cloud, threadId, null, nested(5_000)))).toEqual(
      expectedError(newestClient, "bad-request"),
    );
  });

  test("may have several megabytes, and are refused beyond eight", async ({ cloud }) => {
    const threadId = await newThread(cloud);
    const large = { data: "é".repeat(3 * 1024 * 1024) };
    await add(cloud, threadId, null, large);
    expect((await list(cloud, threadId))[0]?.content).toEqual(large);
    expect(await errorOf(add(cloud, threadId, null, { data: "x".repeat(8 * 1024 * 1024) }))).toEqual(
      expectedError(newestClient, "too-large"),
    );
    expect(await errorOf(add(cloud, threadId, null, { data: "x".repeat(17 * 1024 * 1024) }))).toEqual(
      expectedError(newestClient, "too-large"),
    );
  });

  test("have their parents and heights", async ({ cloud }) => {
    const threadId = await newThread(cloud);
    const root = await add(cloud, threadId, null);
    const child = await add(cloud, threadId, root);
    const grandchild = await add(cloud, threadId, child);
    const sibling = await add(cloud, threadId, root);
    const places = (await list(cloud, threadId)).map(({ id, parent_id, height }) => [id, parent_id, height]);
    expect(places).toEqual([
      [grandchild, child, 2],
      [sibling, root, 1],
      [child, root, 1],
      [root, null, 0],
    ]);
    for (const id of [root, child, grandchild, sibling]) expect(id).toMatch(/^msg_0[0-9a-z]{24}$/);
  });

  test("become roots if their parent is a local id of the client", async ({ cloud }) => {
    const threadId = await newThread(cloud);
    for (const local of ["V1StGXR", "", "msg", "thread_0123", "\u0000", "日本"])
      await add(cloud, threadId, local);
    expect((await list(cloud, threadId)).map(({ parent_id, height }) => [parent_id, height])).toEqual(
      Array.from({ length: 6 }, () => [null, 0]),
    );
  });

  test("are refused with a parent of another thread, or one that does not exist", async ({ cloud }) => {
    const stranger = keyCloud(newestClient, server());
    const threadId = await newThread(cloud);
    const own = await add(cloud, await newThread(cloud), null);
    const foreign = await add(stranger, await newThread(stranger), null);
    for (const parent of [own, foreign, "msg_0nobody", "msg_", "msg_\u0000", `msg_${"x".repeat(1_000)}`]) {
      expect(await errorOf(add(cloud, threadId, parent))).toEqual(
        expectedError(newestClient, "parent-not-in-thread"),
      );
    }
    expect(await list(cloud, threadId)).toEqual([]);
  });

  test("with equal content are separate messages", async ({ cloud }) => {
    const threadId = await newThread(cloud);
    const ids = await Promise.all(
      [1, 2, 3].map(async () => await add(cloud, threadId, null, userMessage("same"))),
    );
    expect(new Set(ids).size).toBe(3);
    expect(await list(cloud, threadId)).toHaveLength(3);
  });

  test("that do not exist cannot be updated", async ({ cloud }) => {
    const stranger = keyCloud(newestClient, server());
    const threadId = await newThread(cloud);
    const elsewhere = await add(cloud, await newThread(cloud), null);
    const content = userMessage("x") as never;
    expect(await errorOf(cloud.threads.messages.update(threadId, "msg_0nobody", { content }))).toEqual(
      expectedError(newestClient, "message-not-found"),
    );
    expect(await errorOf(cloud.threads.messages.update(threadId, elsewhere, { content }))).toEqual(
      expectedError(newestClient, "message-not-found"),
    );
    expect(await errorOf(stranger.threads.messages.update(threadId, elsewhere, { content }))).toEqual(
      expectedError(newestClient, "thread-not-found"),
    );
  });

  test("move their thread to the top, and never back in time", async ({ cloud }) => {
    const old = (await cloud.threads.create({ last_message_at: new Date(0) })).thread_id;
    // A browser whose clock is ahead.
    const soon = new Date(Date.now() + 3_600_000);
    const future = (await cloud.threads.create({ last_message_at: soon })).thread_id;
    const before = Date.now();
    await add(cloud, old, null);
    await add(cloud, future, null);
    expect((await cloud.threads.get(old)).last_message_at.getTime()).toBeGreaterThanOrEqual(before);
    expect((await cloud.threads.get(future)).last_message_at).toEqual(soon);
  });

  test("have a thread time of at most a day ahead, and not before 1970", async ({ cloud }) => {
    const far = await cloud.threads.create({ last_message_at: new Date("2100-01-01") });
    const ahead = (await cloud.threads.get(far.thread_id)).last_message_at.getTime() - Date.now();
    expect(Math.abs(ahead - 24 * 3_600_000)).toBeLessThan(60_000);
    const { thread_id } = await cloud.threads.create({ last_message_at: new Date(-1) });
    expect((await cloud.threads.get(thread_id)).last_message_at).toEqual(new Date(0));
  });

  test("of a thread that does not exist are empty, and cannot be added", async ({ cloud }) => {
    const stranger = keyCloud(newestClient, server());
    const threadId = await newThread(cloud);
    await add(cloud, threadId, null);
    expect(await list(stranger, threadId)).toEqual([]);
    expect(await list(cloud, "thread_0nobody")).toEqual([]);
    expect(await errorOf(add(stranger, threadId, null))).toEqual(
      expectedError(newestClient, "thread-not-found"),
    );
    await cloud.threads.delete(threadId);
    expect(await list(cloud, threadId)).toEqual([]);
    expect(await errorOf(add(cloud, threadId, null))).toEqual(
      expectedError(newestClient, "thread-not-found"),
    );
  });

  test("keep any format, and are all listed, whichever format is requested", async ({ cloud }) => {
    const threadId = await newThread(cloud);
    for (const format of ["aui/v0", "ai-sdk/v5", "ai-sdk/v6", "my own\u00e9"])
      await add(cloud, threadId, null, { role: "user", parts: [] }, { format });
    const formats = async (query: { format?: string }) =>
      (await list(cloud, threadId, query)).map(({ format }) => format);
    const stored = ["my own\u00e9", "ai-sdk/v6", "ai-sdk/v5", "aui/v0"];
    for (const query of [{}, { format: "aui/v0" }, { format: "ai-sdk/v5" }, { format: "other" }]) {
      expect(await formats(query)).toEqual(stored);
    }
    // Only the ai-sdk/v5 message can be converted; the aui/v0 one has no valid content.
    expect(await formats({ format: "ai-sdk/v6" })).toEqual([
      "my own\u00e9",
      "ai-sdk/v6",
      "ai-sdk/v6",
      "aui/v0",
    ]);
  });

  describe("with an external id", () => {
    test("are stored once, however often they are sent, with the newest content", async ({ cloud }) => {
      const threadId = await newThread(cloud);
      const ids = await Promise.all(
        Array.from(
          { length: 8 },
          async (_, index) =>
            await add(cloud, threadId, null, userMessage(`try ${index}`), { external_id: "local-1" }),
        ),
      );
      expect(new Set(ids).size).toBe(1);
      await add(cloud, threadId, null, userMessage("last"), { external_id: "local-1" });
      const messages = await list(cloud, threadId);
      expect(messages.map(({ content }) => content)).toEqual([userMessage("last")]);
      expect(messages[0]).not.toHaveProperty("external_id", undefined);
    });

    test("move their thread when content or format changes, and not when repeated unchanged", async () => {
      const cloud = keyCloud(newestClient, server());
      const threadId = (await cloud.threads.create({ last_message_at: new Date(0) })).thread_id;
      const lastMessageAt = async () => (await cloud.threads.get(threadId)).last_message_at.getTime();
      const repeat = async (text: string, format: string) => {
        const before = await lastMessageAt();
        await expect.poll(() => Date.now()).toBeGreaterThan(before);
        await add(cloud, threadId, null, userMessage(text), { external_id: "local-1", format });
        return (await lastMessageAt()) > before ? "moved" : "stayed";
      };
      expect(await repeat("one", "aui/v0")).toBe("moved");
      expect(await repeat("one", "aui/v0")).toBe("stayed");
      expect(await repeat("two", "aui/v0")).toBe("moved");
      expect(await repeat("two", "my/format")).toBe("moved");
      expect(await list(cloud, threadId)).toMatchObject([
        { content: userMessage("two"), format: "my/format" },
      ]);
    });

    test("keep their role", async ({ cloud }) => {
      const threadId = await newThread(cloud);
      await add(cloud, threadId, null, userMessage("mine"), { external_id: "local-1" });
      const turned = add(
        cloud,
        threadId,
        null,
        { role: "assistant", content: [] },
        { external_id: "local-1" },
      );
      expect(await errorOf(turned)).toEqual(expectedError(newestClient, "role-cannot-change"));
    });

    test("can be named as parents by it, which has precedence over the parent's own id", async () => {
      const cloud = keyCloud(newestClient, server());
      const threadId = await newThread(cloud);
      const other = await add(cloud, threadId, null);
      const parent = await add(cloud, threadId, null, userMessage("x"), { external_id: "é 1" });
      const child = await add(cloud, threadId, other, userMessage("y"), { parent_external_id: "é 1" });
      expect((await list(cloud, threadId)).find(({ id }) => id === child)?.parent_id).toBe(parent);
      expect(
        await errorOf(add(cloud, threadId, null, userMessage("z"), { parent_external_id: "nobody" })),
      ).toEqual(expectedError(newestClient, "parent-not-in-thread"));
    });

    test("are found as parents by a client that lost its map of ids and sends its own id", async () => {
      const cloud = keyCloud(newestClient, server());
      const threadId = await newThread(cloud);
      for (const local of ["V1StGXR", "msg_local"]) {
        const parent = await add(cloud, threadId, null, userMessage("x"), { external_id: local });
        const child = await add(cloud, threadId, local, userMessage("y"));
        expect((await list(cloud, threadId)).find(({ id }) => id === child)?.parent_id).toBe(parent);
      }
    });

    test("are separate in each thread", async ({ cloud }) => {
      const [one, two] = [await newThread(cloud), await newThread(cloud)];
      const first = await add(cloud, one, null, userMessage("x"), { external_id: "same" });
      expect(await add(cloud, two, null, userMessage("x"), { external_id: "same" })).not.toBe(first);
    });
  });
});
