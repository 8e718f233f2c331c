import { describe, expect, test } from "vitest";
import { newId } from "#contract/ids.ts";
import { expectProblem } from "../support/problem.ts";
import { describeServer } from "../support/server.ts";
import { clients, keyCloud, refusal, told, type Cloud } from "./clients.ts";

const user = (text: string) => ({ role: "user", content: [{ type: "text" as const, text }] });

async function untitled(cloud: Cloud): Promise<string> {
  return (await cloud.threads.create({ last_message_at: new Date() })).thread_id;
}

/** What a title run streams, read as the clients read it. */
async function streamed(cloud: Cloud, threadId: string, messages: unknown[]): Promise<string> {
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
    test("is made of what was said, before any message is stored, and kept", async () => {
      const cloud = keyCloud(client, server());
      const threadId = await untitled(cloud);
      const title = await streamed(cloud, threadId, [user("tokens=4")]);
      expect(title.split(" ")).toHaveLength(4);
      expect((await cloud.threads.get(threadId)).title).toBe(title);
    });

    test("is the same through the client's own helper, which stores it once more", async () => {
      const cloud = keyCloud(client, server());
      const threadId = await untitled(cloud);
      const title = await client.generateThreadTitle(cloud, {
        threadId,
        messages: [user("tokens=3"), { ...user("Yes."), role: "assistant" }],
      });
      expect(title).not.toBe("");
      expect((await cloud.threads.get(threadId)).title).toBe(title);
    });

    test("is made of a runtime's own messages, whatever else they carry", async () => {
      const cloud = keyCloud(client, server());
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
      expect(await streamed(cloud, threadId, messages)).toBe((await cloud.threads.get(threadId)).title);
    });

    test("gives way to a person's, also while it is being made", async () => {
      const cloud = keyCloud(client, server());
      const threadId = await untitled(cloud);
      const words = `Slowly ${crypto.randomUUID()} first=200 tokens=3`;
      const making = streamed(cloud, threadId, [user(words)]);
      await server().askedForTitle(words);
      await cloud.threads.update(threadId, { title: "Ada's own" });
      expect(await making).not.toBe("");
      expect((await cloud.threads.get(threadId)).title).toBe("Ada's own");
    });

    test("of a titled thread is streamed as it stands, and no model is asked", async () => {
      const cloud = keyCloud(client, server());
      const { thread_id } = await cloud.threads.create({
        last_message_at: new Date(),
        title: "Engines 日本 😀",
      });
      const before = server().model.requests.length;
      expect(await streamed(cloud, thread_id, [user("tokens=3")])).toBe("Engines 日本 😀");
      expect(server().model.requests.length).toBe(before);
    });

    test.for(["status=500 retry-after=60", "die=0", "reset", "fault=0", "nonsense=0"])(
      "is the first words where the model fails by %s",
      async (how) => {
        const cloud = keyCloud(client, server());
        const threadId = await untitled(cloud);
        const title = await streamed(cloud, threadId, [user(`How do looms weave flowers so well?\n${how}`)]);
        expect(title).toBe("How do looms weave flowers so");
        expect((await cloud.threads.get(threadId)).title).toBe(title);
      },
    );

    test("stays away where nothing was said, and can be made later", async () => {
      const cloud = keyCloud(client, server());
      const threadId = await untitled(cloud);
      for (const messages of [
        [],
        [{ role: "user", content: [] }],
        [{ role: "user", content: "" }],
        [{ role: "assistant" }],
        [{}],
      ]) {
        const title = await streamed(cloud, threadId, messages);
        expect((await cloud.threads.get(threadId)).title).toBe(title);
      }
    });

    test("of a thread that is not there or another's is refused before anything is streamed", async () => {
      const cloud = keyCloud(client, server());
      const foreign = await untitled(keyCloud(client, server()));
      const gone = await untitled(cloud);
      await cloud.threads.delete(gone);
      for (const threadId of [foreign, gone, newId("thread"), "unstable_todo"]) {
        expect(await refusal(streamed(cloud, threadId, [user("x")]))).toEqual(
          told(client, "thread-not-found"),
        );
      }
    });

    test("is short and of one line, however much the model says", async () => {
      const cloud = keyCloud(client, server());
      const threadId = await untitled(cloud);
      const title = await streamed(cloud, threadId, [user("repeat tokens=2000")]);
      expect(title.length).toBeLessThanOrEqual(80);
      expect(title).not.toMatch(/\n/);
      expect((await cloud.threads.get(threadId)).title).toBe(title);
    });
  });

  test("is plain text and nothing else, and proxies leave it alone", async () => {
    const ada = server().inNewWorkspace();
    const { thread_id } = await ada.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    const body = { thread_id, assistant_id: "system/thread_title", messages: [user("tokens=2")] };
    const answer = await ada.ask("runs.stream", {
      body,
      headers: { Accept: "text/event-stream", Origin: "https://a.example" },
    });
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(answer.headers.get("cache-control")).toContain("no-store");
    expect(answer.headers.get("access-control-allow-origin")).toBe("https://a.example");
    expect(answer.text).not.toMatch(/^data:|^"|\n/);
  });

  test("wants messages, as a list of objects", async () => {
    const ada = server().inNewWorkspace();
    const { thread_id } = await ada.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    for (const messages of [undefined, null, "x", {}, [1], ["x"], [null], [[]]]) {
      const body = { thread_id, assistant_id: "system/thread_title", messages } as never;
      expectProblem(await ada.ask("runs.stream", { body }), "bad-request");
    }
  });
});
