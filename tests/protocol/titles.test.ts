import { describe, expect, vi } from "vitest";
import { newId } from "#contract/ids.ts";
import { describeServer } from "../support/servers/server.ts";
import { clients, newestClient, keyCloud, errorOf, expectedError, type Cloud, test } from "./clients.ts";

const user = (text: string) => ({ role: "user", content: [{ type: "text" as const, text }] });

async function untitled(cloud: Cloud): Promise<string> {
  return (await cloud.threads.create({ last_message_at: new Date() })).thread_id;
}

/** The title that a title run streams, read as clients read it. */
async function streamTitle(cloud: Cloud, threadId: string, messages: unknown[]): Promise<string> {
  const stream = await cloud.runs.stream({
    thread_id: threadId,
    assistant_id: "system/thread_title",
    messages,
  });
  let title = "";
  for await (const chunk of stream) if (chunk.type === "text-delta") title += chunk.textDelta;
  return title;
}

describeServer("a thread's title", { model: true }, (server) => {
  describe.for(clients)("%s", ([, client]) => {
    test("is generated from the request's messages before any message is stored, and saved", async () => {
      const cloud = keyCloud(client, server());
      const threadId = await untitled(cloud);
      const title = await streamTitle(cloud, threadId, [user("tokens=4")]);
      expect(title.split(" ")).toHaveLength(4);
      expect((await cloud.threads.get(threadId)).title).toBe(title);
    });

    test("is the same through the client's own helper, which saves it again", async () => {
      const cloud = keyCloud(client, server());
      const threadId = await untitled(cloud);
      const title = await client.generateThreadTitle(cloud, {
        threadId,
        messages: [user("tokens=3"), { ...user("Yes."), role: "assistant" }],
      });
      expect(title).not.toBe("");
      expect((await cloud.threads.get(threadId)).title).toBe(title);
    });

    test("is refused before anything is streamed for a thread that does not exist or is another workspace's", async () => {
      const cloud = keyCloud(client, server());
      const foreign = await untitled(keyCloud(client, server()));
      const deleted = await untitled(cloud);
      await cloud.threads.delete(deleted);
      for (const threadId of [foreign, deleted, newId("thread"), "unstable_todo"]) {
        expect(await errorOf(streamTitle(cloud, threadId, [user("x")]))).toEqual(
          expectedError(client, "thread-not-found"),
        );
      }
    });
  });

  test("is generated from a runtime's own messages with all their other fields", async ({ cloud }) => {
    const messages = [
      { role: "system", content: [{ type: "text", text: "Be brief." }] },
      {
        ...user("Which way to the engine? tokens=3"),
        id: "V1StGXR",
        createdAt: new Date(),
        attachments: [{ file: {}, content: [] }],
        metadata: { custom: {} },
      },
      {
        role: "assistant",
        id: "abc",
        status: { type: "running" },
        content: [
          { type: "tool-call", toolCallId: "1", toolName: "x", args: {}, argsText: "{}" },
          { type: "strange" },
        ],
      },
    ];
    const threadId = await untitled(cloud);
    expect(await streamTitle(cloud, threadId, messages)).toBe((await cloud.threads.get(threadId)).title);
  });

  test("does not replace a person's title, also one set while it is generated", async ({ cloud }) => {
    const threadId = await untitled(cloud);
    const words = `Slowly ${crypto.randomUUID()} first=200 tokens=3`;
    const generating = streamTitle(cloud, threadId, [user(words)]);
    await server().titleRequestsWith(words);
    await cloud.threads.update(threadId, { title: "Ada's own" });
    expect(await generating).not.toBe("");
    expect((await cloud.threads.get(threadId)).title).toBe("Ada's own");
  });

  test("of a thread that has one is streamed without calling the model", async ({ cloud }) => {
    const { thread_id } = await cloud.threads.create({
      last_message_at: new Date(),
      title: "Engines 日本 😀",
    });
    const before = server().model.requests.length;
    expect(await streamTitle(cloud, thread_id, [user("tokens=3")])).toBe("Engines 日本 😀");
    expect(server().model.requests.length).toBe(before);
  });

  test.for(["status=500 retry-after=60", "die=0", "reset", "fault=0", "cut=0"])(
    "is the first words if the model fails by %s",
    async (how, { cloud }) => {
      const threadId = await untitled(cloud);
      const title = await streamTitle(cloud, threadId, [user(`How do looms weave flowers so well?\n${how}`)]);
      expect(title).toBe("How do looms weave flowers so");
      expect((await cloud.threads.get(threadId)).title).toBe(title);
    },
  );

  describe("after a client has stored an answer", () => {
    const assistant = (text: string) => ({ ...user(text), role: "assistant" });
    const store = async (cloud: Cloud, threadId: string, format: string, contents: object[]) => {
      let parentId: string | null = null;
      for (const content of contents) {
        const body: Parameters<Cloud["threads"]["messages"]["create"]>[1] = {
          parent_id: parentId,
          format,
          content: content as Record<string, never>,
        };
        parentId = (await cloud.threads.messages.create(threadId, body)).message_id;
      }
    };
    const titled = async (cloud: Cloud, threadId: string) =>
      await vi.waitFor(
        async () => {
          const { title } = await cloud.threads.get(threadId);
          expect(title).toBeTruthy();
          return title;
        },
        { timeout: 10_000, interval: 5 },
      );

    test.for([
      ["aui/v0", user, assistant],
      [
        "ai-sdk/v6",
        (text: string) => ({ role: "user", parts: user(text).content }),
        (text: string) => ({ role: "assistant", parts: user(text).content }),
      ],
    ] as const)(
      "is generated from the stored %s messages without being requested",
      async ([format, ask, answer], { cloud }) => {
        const threadId = await untitled(cloud);
        const words = `Do looms dream? ${crypto.randomUUID()} tokens=3`;
        await store(cloud, threadId, format, [ask(words), answer(`Of flowers, ${words}`)]);
        expect((await titled(cloud, threadId))?.split(" ")).toHaveLength(3);
        const asked = await server().titleRequestsWith(words);
        expect(asked).toHaveLength(1);
        expect(JSON.stringify(asked[0]?.body)).toContain("Of flowers");
      },
    );

    test("is generated once, even if the client requests it at the same time or stores more", async () => {
      const cloud = keyCloud(newestClient, server());
      const threadId = await untitled(cloud);
      const words = `Once only ${crypto.randomUUID()} first=100 tokens=3`;
      await store(cloud, threadId, "aui/v0", [
        user(words),
        assistant("Yes."),
        user("And?"),
        assistant("No."),
      ]);
      const title = await streamTitle(cloud, threadId, []);
      expect(title.split(" ")).toHaveLength(3);
      expect(await titled(cloud, threadId)).toBe(title);
      expect(await server().titleRequestsWith(words)).toHaveLength(1);
    });

    test("is not generated from a greeting, but from the first question and its answer", async () => {
      const cloud = keyCloud(newestClient, server());
      const threadId = await untitled(cloud);
      const greeting = assistant("Welcome to the garden! tokens=3");
      await store(cloud, threadId, "aui/v0", [greeting]);
      // Waits for one in the background, if there is any.
      expect(await streamTitle(cloud, threadId, [])).toBe("");
      expect((await cloud.threads.get(threadId)).title).toBe("");
      const words = `Do looms bloom? ${crypto.randomUUID()} tokens=2`;
      const other = await untitled(cloud);
      await store(cloud, other, "aui/v0", [greeting, user(words), assistant("Yes.")]);
      expect((await titled(cloud, other))?.split(" ")).toHaveLength(2);
    });

    test("is generated for a few threads at a time, and one of each workspace", async () => {
      const mark = crypto.randomUUID();
      const open = () =>
        server()
          .model.requests.filter(({ ended }) => ended === "open")
          .map(({ body }) => JSON.stringify(body ?? ""))
          .filter((body) => body.includes(mark));
      let [most, mostOfOne] = [0, 0];
      const watch = setInterval(() => {
        most = Math.max(most, open().length);
        mostOfOne = Math.max(mostOfOne, open().filter((body) => body.includes("workspace 0")).length);
      }, 5);
      await Promise.all(
        Array.from({ length: 10 }, async (_, index) => {
          const cloud = keyCloud(newestClient, server());
          const threads = await Promise.all(
            Array.from({ length: index === 0 ? 4 : 1 }, async () => await untitled(cloud)),
          );
          for (const threadId of threads)
            await store(cloud, threadId, "aui/v0", [
              user(`${mark} workspace ${index}! first=200 tokens=2`),
              assistant("Yes."),
            ]);
        }),
      );
      await vi.waitFor(
        () => {
          const asked = server().model.requests.filter(({ body }) =>
            JSON.stringify(body ?? "").includes(mark),
          );
          expect(asked.map(({ ended }) => ended)).toEqual(Array.from({ length: 13 }, () => "done"));
        },
        { timeout: 15_000, interval: 20 },
      );
      clearInterval(watch);
      expect(most).toBeGreaterThan(1);
      expect(most).toBeLessThanOrEqual(8);
      expect(mostOfOne).toBe(1);
    });

    test("does not wait for a slow title of another workspace", async () => {
      const mark = crypto.randomUUID();
      const storeQuestion = async (words: string) => {
        const cloud = keyCloud(newestClient, server());
        const threadId = await untitled(cloud);
        await store(cloud, threadId, "aui/v0", [user(`${mark} ${words}`), assistant("Yes.")]);
        return async () => await titled(cloud, threadId);
      };
      await storeQuestion("slow first=30000");
      const [slow] = await server().titleRequestsWith(`${mark} slow`);
      const others = await Promise.all(
        Array.from({ length: 8 }, async (_, index) => await storeQuestion(`${index} tokens=2`)),
      );
      for (const title of others) expect(await title()).toBeTruthy();
      expect(slow!.ended).toBe("open");
    });

    test("is not generated for a thread that a person named", async ({ cloud }) => {
      const threadId = await untitled(cloud);
      const words = `Named ${crypto.randomUUID()} first=200 tokens=3`;
      await store(cloud, threadId, "aui/v0", [user(words), assistant("Yes.")]);
      await server().titleRequestsWith(words);
      await cloud.threads.update(threadId, { title: "Ada's own" });
      // Waits for the one in the background.
      expect(await streamTitle(cloud, threadId, [])).toBe("Ada's own");
      expect((await cloud.threads.get(threadId)).title).toBe("Ada's own");
    });
  });

  test("is generated from the stored messages if the request has none", async ({ ada }) => {
    const { thread_id } = await ada.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    const words = `What do looms eat? ${crypto.randomUUID()} tokens=4`;
    const contents = [user(words), { ...user("Of thread."), role: "assistant" }];
    for (const content of contents)
      await ada.call("messages.add", {
        params: { thread_id },
        // Not in the background.
        query: { title: "false" },
        body: { parent_id: null, format: "aui/v0", content },
      });
    expect((await ada.call("threads.get", { params: { thread_id } })).thread.title).toBeNull();
    const body = { thread_id, assistant_id: "system/thread_title", messages: [] };
    const title = (await ada.ask("runs.stream", { body })).text;
    expect(title.split(" ")).toHaveLength(4);
    expect((await ada.call("threads.get", { params: { thread_id } })).thread.title).toBe(title);
    const [asked] = await server().titleRequestsWith(words);
    expect(JSON.stringify(asked?.body)).toContain("Of thread.");
  });

  test("stays empty for empty messages", async ({ cloud }) => {
    const threadId = await untitled(cloud);
    for (const messages of [
      [],
      [{ role: "user", content: [] }],
      [{ role: "user", content: "" }],
      [{ role: "assistant" }],
      [{}],
    ]) {
      const title = await streamTitle(cloud, threadId, messages);
      expect((await cloud.threads.get(threadId)).title).toBe(title);
    }
  });

  test("is short and on one line, however long the model's output is", async ({ cloud }) => {
    const threadId = await untitled(cloud);
    const title = await streamTitle(cloud, threadId, [user("repeat tokens=2000")]);
    expect(title.length).toBeLessThanOrEqual(80);
    expect(title).not.toMatch(/\n/);
    expect((await cloud.threads.get(threadId)).title).toBe(title);
  });

  test("is plain text for every Accept header, and is not cached", async ({ ada }) => {
    const { thread_id } = await ada.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    const body = { thread_id, assistant_id: "system/thread_title", messages: [user("tokens=2")] };
    for (const accept of ["text/plain", "text/html", "text/event-stream", "*/*"]) {
      const response = await ada.ask("runs.stream", {
        body,
        headers: { Accept: accept, Origin: "http://localhost:5173" },
      });
      expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(response.headers.get("cache-control")).toContain("no-store");
      expect(response.headers.get("access-control-allow-origin")).toBe("http://localhost:5173");
      expect(response.text).not.toMatch(/^data:|^"|\n/);
    }
  });

  test("requires messages as an array of objects", async ({ ada }) => {
    const { thread_id } = await ada.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    for (const messages of [undefined, null, "x", {}, [1], ["x"], [null], [[]]]) {
      const body = { thread_id, assistant_id: "system/thread_title", messages } as never;
      await ada.fails("bad-request", "runs.stream", { body });
    }
  });
});

describeServer(
  "a thread of an app without automatic titles",
  { model: true, settings: { NO_TITLES_FOR_APPS: "Parlance" } },
  (server) => {
    test("is titled on request, from the stored messages", async ({ cloud }) => {
      const threadId = await untitled(cloud);
      const words = `Ask first ${crypto.randomUUID()} tokens=3`;
      for (const role of ["user", "assistant"]) {
        const content = { ...user(words), role };
        await cloud.threads.messages.create(threadId, { parent_id: null, format: "aui/v0", content });
      }
      // A request waits for a title in the background, so without one it is what asks the model.
      const title = await streamTitle(cloud, threadId, [user(`${words} and then this`)]);
      expect(title.split(" ")).toHaveLength(3);
      const asked = await server().titleRequestsWith(words);
      expect(asked.map(({ body }) => JSON.stringify(body).includes("and then this"))).toEqual([true]);
    });
  },
);
