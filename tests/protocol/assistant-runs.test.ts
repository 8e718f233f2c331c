import {
  AssistantMessageStream,
  AssistantStream,
  DataStreamDecoder,
  UIMessageStreamDecoder,
} from "assistant-stream";
import { describe, expect } from "vitest";
import type { BodyInputOf } from "#contract/api.ts";
import { errors } from "#contract/errors.ts";
import { newId } from "#contract/ids.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { clients, keyCloud } from "./clients.ts";
import type { Visitor } from "../support/clients/visitor.ts";

const formats = [
  ["data stream", "text/plain", "x-vercel-ai-data-stream"],
  ["UI message stream", "text/event-stream", "x-vercel-ai-ui-message-stream"],
] as const;

type Body = BodyInputOf<"runs.stream">;

const user = (text: string) => ({ role: "user", content: [{ type: "text", text }] });

/** A request as useCloudRuntime sends it: `thread_id` is not the id of a thread. */
function question(text: string, more: object = {}): Body {
  return {
    assistant_id: "default",
    response_format: "vercel-ai-data-stream/v1",
    thread_id: "unstable_todo",
    messages: [user(text)],
    system: "Speak of engines.",
    tools: {},
    runConfig: {},
    unstable_assistantMessageId: "abc1234",
    ...more,
  } as Body;
}

async function ask(who: Visitor, accept: string, body: Body, signal?: AbortSignal): Promise<Response> {
  return await fetch(`${who.url}/v1/runs/stream`, {
    method: "POST",
    headers: {
      ...who.headers,
      "Content-Type": "application/json",
      Accept: accept,
      Origin: "http://localhost:5173",
    },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

type Protocol = "data-stream" | "ui-message-stream";

/**
 * The message that the protocol's own decoder and accumulator read. They are strict, so that a wrong line throws. Clients
 * that do not declare a protocol choose the decoder by the response's headers.
 */
async function decoded(response: Response, declared?: Protocol) {
  expect(response.status).toBe(200);
  const byHeader = response.headers.has("x-vercel-ai-data-stream") ? "data-stream" : "ui-message-stream";
  const decoder =
    (declared ?? byHeader) === "data-stream" ? new DataStreamDecoder() : new UIMessageStreamDecoder();
  const stream = AssistantStream.fromResponse(response, decoder);
  return await AssistantMessageStream.fromAssistantStream(stream).unstable_result();
}

/** The options that a client's package gives a runtime to request an answer. They differ between the versions. */
type AssistantOptions = {
  api: string;
  protocol?: Protocol;
  headers: () => Promise<Record<string, string>>;
  body: object | ((options: { threadId: string }) => Promise<object>);
};

const textOf = (parts: readonly { type: string; text?: string }[]): string =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("");

describeServer(
  "an answer streamed to a protocol client",
  { model: true, settings: { MODEL_TIMEOUT_SECONDS: "3" } },
  (server) => {
    describe.for(formats)("as a %s", ([, accept, header]) => {
      test("is decoded by the protocol's own decoder, and exposes its format header to other origins", async () => {
        const ada = server().inNewWorkspace();
        const response = await ask(ada, accept, question("tokens=12"));
        expect(response.headers.get(header)).toBe("v1");
        expect(response.headers.get("content-type")).toMatch(accept);
        expect(response.headers.get("access-control-expose-headers")?.toLowerCase()).toContain(header);
        const message = await decoded(response);
        expect(textOf(message.parts).split(" ")).toHaveLength(12);
        expect(message.status).toEqual({ type: "complete", reason: "stop" });
        expect(message.metadata.steps.at(-1)).toMatchObject({ usage: { outputTokens: 12 } });
      });

      test("has reasoning and text in order", async ({ ada }) => {
        const { parts } = await decoded(await ask(ada, accept, question("think=6 tokens=4")));
        expect(parts.map(({ type }) => type)).toEqual(["reasoning", "text"]);
        expect((parts[0] as { text: string }).text.split(" ")).toHaveLength(6);
      });

      test("has sequential and parallel calls of our tools with their results", async ({ ada }) => {
        const two = 'tool=calculate("6*7") tool=date({"date":"2026-01-31"}) rounds=2';
        const { parts, status } = await decoded(await ask(ada, accept, question(two)));
        expect(status).toMatchObject({ type: "complete" });
        expect(parts.map(({ type }) => type)).toEqual([
          "tool-call",
          "tool-call",
          "tool-call",
          "tool-call",
          "text",
        ]);
        expect(parts[0]).toMatchObject({
          toolName: "calculate",
          args: { expression: "6*7" },
          argsText: '{"expression":"6*7"}',
          state: "result",
        });
        expect(JSON.stringify(parts[0])).toContain("42");
        expect(new Set(parts.map((part) => (part as { toolCallId?: string }).toolCallId)).size).toBe(5);
      });

      test("has a failed tool call as an error", async ({ ada }) => {
        const { parts } = await decoded(await ask(ada, accept, question('tool=calculate("1/")')));
        expect(parts[0]).toMatchObject({ toolName: "calculate", isError: true });
      });

      test("leaves calls of the page's own tools to the page, which sends the results in a second request", async () => {
        const ada = server().inNewWorkspace();
        const tools = {
          paint: {
            description: "Paints the page",
            parameters: { type: "object", properties: { colour: { type: "string" } } },
          },
        };
        const first = question('Please tool=paint({"colour":"red"})', { tools });
        const paused = await decoded(await ask(ada, accept, first));
        expect(paused.parts).toMatchObject([
          { type: "tool-call", toolName: "paint", args: { colour: "red" }, state: "call" },
        ]);
        expect(paused.status).toMatchObject({ type: "requires-action", reason: "tool-calls" });
        const { toolCallId } = paused.parts[0] as { toolCallId: string };
        const second = question("", {
          tools,
          messages: [
            ...first.messages,
            {
              role: "assistant",
              content: [{ type: "tool-call", toolCallId, toolName: "paint", input: { colour: "red" } }],
            },
            {
              role: "tool",
              content: [
                {
                  type: "tool-result",
                  toolCallId,
                  toolName: "paint",
                  output: { type: "json", value: { painted: "red" } },
                },
              ],
            },
          ],
        });
        const done = await decoded(await ask(ada, accept, second));
        expect(textOf(done.parts)).toContain("painted");
        expect(done.status).toMatchObject({ type: "complete" });
      });

      test("has images and sources", async ({ ada }) => {
        const message = await decoded(await ask(ada, accept, question("Show me\nimage sources")));
        const kinds = message.parts.map(({ type }) => type);
        expect(kinds).toContain("source");
        expect(kinds).toContain("file");
        expect(message.parts.find(({ type }) => type === "source")).toMatchObject({
          url: "https://example.org/a",
          title: "A",
        });
        const picture = message.parts.find(({ type }) => type === "file") as unknown as {
          data: string;
          mimeType: string;
        };
        expect(picture.mimeType).toBe("image/png");
      });

      test.for([
        ["die=4", "provider-broke-off", 4],
        ["stall=3", "provider-silent", 3],
        ["status=401 says=The_secret_reason", "provider-refused-key", 0],
        ["tokens=9 cut=2", "provider-broke-off", 2],
      ] as const)(
        "ends with an error message if the model fails by %s",
        async ([how, code, wordCount], { ada }) => {
          const response = await ask(ada, accept, question(how));
          const message = await decoded(response);
          expect(message.status).toMatchObject({
            type: "incomplete",
            reason: "error",
            error: { message: errors[code].message },
          });
          const text = textOf(message.parts);
          expect(text === "" ? 0 : text.split(" ").length).toBe(wordCount);
          expect(JSON.stringify(message)).not.toContain("secret");
        },
      );

      test("has the finish reason of an answer that reached its length limit", async ({ ada }) => {
        const message = await decoded(await ask(ada, accept, question("tokens=3 finish=length")));
        expect(message.status).toMatchObject({ type: "incomplete", reason: "length" });
      });

      test("keeps every character of the model's text", async ({ ada }) => {
        const text = 'Lines\nand "quotes", \\ \u2028, 😀😀😀';
        const message = await decoded(await ask(ada, accept, question(`${text}\necho`)));
        expect(textOf(message.parts)).toBe(text);
        const nul = await decoded(await ask(ada, accept, question("bytes=nul tokens=2")));
        expect(textOf(nul.parts)).toContain("a\u0000b");
        const pair = await decoded(await ask(ada, accept, question("bytes=surrogate tokens=2 gap=30")));
        expect(textOf(pair.parts)).toContain("😀");
      });
    });

    test("stops the model when the client disconnects", async ({ ada }) => {
      const disconnect = new AbortController();
      const prompt = `I shall leave ${crypto.randomUUID()}\nendless gap=5`;
      const response = await ask(ada, "text/plain", question(prompt), disconnect.signal);
      // The first chunk is sent before the request to the model.
      const [request] = await server().requestsWith(prompt);
      const reader = response.body?.getReader();
      await reader?.read();
      await reader?.read();
      disconnect.abort();
      await request?.end;
      expect(request?.ended).toBe("gone");
    });

    test("stops the model when the client disconnects before the first word", async ({ ada }) => {
      const disconnect = new AbortController();
      const prompt = `I shall leave early ${crypto.randomUUID()} wait=60000`;
      const answer = ask(ada, "text/plain", question(prompt), disconnect.signal).then(
        async (response) => await response.text(),
      );
      const [request] = await server().requestsWith(prompt);
      disconnect.abort();
      await expect(answer).rejects.toThrow();
      await request?.end;
      expect(request?.ended).toBe("gone");
    });

    test("has an id that cannot be mistaken for a stored message's, so that a client may lose it", async () => {
      const ada = server().inNewWorkspace();
      const { thread_id } = await ada.call("threads.create", {
        body: { last_message_at: new Date().toISOString() },
      });
      for (const resumable of [false, true]) {
        const body = question("tokens=1", { thread_id, resumable });
        const text = await (await ask(ada, "text/event-stream", body)).text();
        const parent_id = /"messageId":"([^"]+)"/.exec(text)?.[1] ?? "";
        expect(parent_id).toMatch(/^run_0/);
        const { message_id } = await ada.call("messages.add", {
          params: { thread_id },
          body: { parent_id, format: "ai-sdk/v6", content: { role: "user", parts: [] } },
        });
        const { messages } = await ada.call("messages.list", { params: { thread_id } });
        expect(messages.find(({ id }) => id === message_id)?.parent_id).toBe(null);
      }
    });

    test("stores no message and no title", async ({ ada }) => {
      const { thread_id } = await ada.call("threads.create", {
        body: { last_message_at: new Date(0).toISOString() },
      });
      for (const names of [{ thread_id }, { thread_id: "unstable_todo", threadId: thread_id }])
        await decoded(await ask(ada, "text/plain", question("tokens=3", names)));
      expect((await ada.call("messages.list", { params: { thread_id } })).messages).toEqual([]);
      const { thread } = await ada.call("threads.get", { params: { thread_id } });
      expect(thread).toMatchObject({
        title: null,
        last_message_at: new Date(0).toISOString(),
        active_run_id: null,
      });
    });

    test.for(clients)("is decoded by %s", async ([, client]) => {
      const cloud = keyCloud(client, server());
      const { thread_id: threadId } = await cloud.threads.create({ last_message_at: new Date() });
      const options = cloud.runs.__internal_getAssistantOptions("default") as AssistantOptions;
      const body = typeof options.body === "function" ? await options.body({ threadId }) : options.body;
      const response = await fetch(options.api, {
        method: "POST",
        headers: { ...(await options.headers()), "Content-Type": "application/json" },
        body: JSON.stringify({ messages: [user("tokens=12 think=2")], tools: {}, threadId, ...body }),
      });
      const message = await decoded(response, options.protocol);
      expect(message.parts.map(({ type }) => type)).toEqual(["reasoning", "text"]);
      expect(textOf(message.parts).split(" ")).toHaveLength(12);
      expect(message.status).toEqual({ type: "complete", reason: "stop" });
    });

    test("is a data stream for clients that send no Aui-Sdk header and accept plain text", async () => {
      const response = await ask(server().inNewWorkspace(), "text/plain", question("tokens=2"));
      expect(response.headers.get("x-vercel-ai-data-stream")).toBe("v1");
      await decoded(response, "data-stream");
    });

    test("sends the model the system prompt, the tools and the whole conversation", async ({ ada }) => {
      const prompt = `And now? ${crypto.randomUUID()} tokens=1`;
      const messages = [
        { role: "system", content: "From the messages." },
        user("First."),
        { role: "assistant", content: [{ type: "text", text: "Second." }] },
        {
          id: "own",
          role: "user",
          content: [{ type: "text", text: prompt }],
          attachments: [{ content: [{ type: "text", text: "Attached." }] }],
        },
        { role: "assistant", content: [] },
      ];
      await decoded(
        await ask(
          ada,
          "text/plain",
          question("", { messages, tools: { paint: { parameters: { type: "object" } } } }),
        ),
      );
      const [request] = await server().requestsWith(prompt);
      const text = JSON.stringify(request?.body);
      for (const part of [
        "Speak of engines.",
        "From the messages.",
        "First.",
        "Second.",
        "Attached.",
        "paint",
        "calculate",
      ])
        expect(text).toContain(part);
    });

    test("runs without a thread if the named one does not exist or is another workspace's", async () => {
      const ada = server().inNewWorkspace();
      const { thread_id: foreign } = await server()
        .inNewWorkspace()
        .call("threads.create", { body: { last_message_at: new Date().toISOString() } });
      for (const threadId of [foreign, newId("thread"), "", "\u0000", null]) {
        const message = await decoded(await ask(ada, "text/plain", question("tokens=2", { threadId })));
        expect(message.status).toMatchObject({ type: "complete" });
      }
    });

    test("refuses invalid requests before it streams anything", async ({ ada }) => {
      const { thread_id: foreign } = await server()
        .inNewWorkspace()
        .call("threads.create", { body: { last_message_at: new Date().toISOString() } });
      const refuse = async (more: object) =>
        await ada.ask("runs.stream", { body: question("tokens=2", more) });
      expectProblem(await refuse({ thread_id: foreign }), "thread-not-found");
      expectProblem(await refuse({ thread_id: newId("thread") }), "thread-not-found");
      expectProblem(await refuse({ assistant_id: "nobody" }), "assistant-not-found");
      expectProblem(await refuse({ response_format: "smoke-signals/v1" }), "invalid-response-format");
      expectProblem(await refuse({ model: "nobody" }), "model-not-found");
      expectProblem(await refuse({ messages: "hello" }), "bad-request");
      expectProblem(await refuse({ tools: [] }), "bad-request");
      expectProblem(await refuse({ system: {} }), "bad-request");
    });

    test("accepts tools of any shape that a page may send", async ({ ada }) => {
      for (const tools of [
        undefined,
        null,
        {},
        { a: {} },
        { a: null },
        { a: { parameters: null, description: 7 } },
        { ["__proto__"]: {} },
      ]) {
        const message = await decoded(await ask(ada, "text/plain", question("tokens=2", { tools })));
        expect(message.status, JSON.stringify(tools)).toMatchObject({ type: "complete" });
      }
    });

    test("ends each line of a data stream, and ends an event stream with [DONE]", async ({ ada }) => {
      for (const how of ["tokens=5 think=2", "die=2", 'tool=calculate("1+1")']) {
        const lines = await (await ask(ada, "text/plain", question(how))).text();
        expect(lines).toMatch(/^(?:[0-9a-k]:[^\n]+\n)+$/);
        const events = await (await ask(ada, "text/event-stream", question(how))).text();
        expect(events).toMatch(/^(?:data: \{[^\n]+\}\n\n)+data: \[DONE\]\n\n$/);
      }
    });
  },
);
