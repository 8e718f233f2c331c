import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listenLocally, type LocalServer } from "#fixtures/local-server.ts";
import type { JsonObject } from "#contract/json.ts";
import { ModelError } from "#server/models/model.ts";
import { anthropic } from "../../provider-kinds/anthropic.ts";
import { mistral } from "../../provider-kinds/mistral.ts";
import { chatCompletions } from "../chat-completions/chat-completions.ts";
import type { ProviderApi } from "./provider-api.ts";
import { createSdkModel } from "./sdk-model.ts";

/** Answers with the data that the request's question has, one event for each. */
let server: LocalServer;
beforeAll(async () => {
  server = await listenLocally(
    createServer((request, response) => {
      let body = "";
      request.on("data", (bytes: Buffer) => (body += bytes.toString()));
      request.on("end", () => {
        const { messages } = JSON.parse(body) as { messages: { content: string | { text: string }[] }[] };
        const content = messages.at(-1)!.content;
        const question = typeof content === "string" ? content : content[0]!.text;
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end((JSON.parse(question) as string[]).map((data) => `data: ${data}\n\n`).join(""));
      });
    }),
  );
});
afterAll(async () => await server.close());

type Event = JsonObject | string;

/** The text, the calls and how the answer ended. */
async function answer(api: ProviderApi, events: Event[]): Promise<string[]> {
  const model = createSdkModel({
    kind: "openai-compatible",
    api,
    connection: { baseUrl: `${server.url}/v1`, apiKey: "sk-ada" },
    info: { id: "env/m", name: "M", provider: "env", provider_name: "M" },
    modelId: "m",
  });
  const question = JSON.stringify(
    events.map((event) => (typeof event === "string" ? event : JSON.stringify(event))),
  );
  const parts: { type: "text"; text: string }[] = [{ type: "text", text: question }];
  const tools = [{ name: "calculate", description: "Calculates.", parameters: { type: "object" } }];
  let text = "";
  const shown: string[] = [];
  try {
    const request = { messages: [{ role: "user" as const, parts }], tools, purpose: "answer" as const };
    for await (const event of model.stream(request, new AbortController().signal)) {
      if (event.type === "text") text += event.text;
      if (event.type === "tool-call") shown.push(event.argsText);
      if (event.type === "finish") shown.push(event.reason);
    }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    shown.push(error.code);
  }
  return [text, ...shown];
}

const choice = (fields: JsonObject) => ({
  id: "1",
  created: 1,
  model: "m",
  choices: [{ index: 0, ...fields }],
});
const chunk = (content: string) => choice({ delta: { role: "assistant", content } });
const end = (reason = "stop") => choice({ delta: {}, finish_reason: reason });
const callChunk = (call: JsonObject) => choice({ delta: { tool_calls: [{ index: 0, id: "c1", ...call }] } });
const calculate = { function: { name: "calculate", arguments: '{"a":1}' } };

describe.for([
  ["chat completions", chatCompletions],
  ["Mistral", mistral.api],
] as const)("an answer of %s", ([, api]) => {
  test.for([
    { detail: "Internal Server Error" },
    { message: "worker died", code: 500 },
    { errors: [{ message: "worker died" }] },
    { error_code: 18, error_msg: "limit reached" },
    "upstream died",
  ])("that ends by an error in an unknown form is not complete: %j", async (error) => {
    expect(await answer(api, [chunk("It is"), error, "[DONE]"])).toEqual(["It is", "provider-broke-off"]);
  });

  test("whose only call cannot be read is not complete", async () => {
    expect(await answer(api, [callChunk({ ...calculate, id: {} }), end("tool_calls"), "[DONE]"])).toEqual([
      "",
      "provider-broke-off",
    ]);
  });

  test("has no error if it says so in each event", async () => {
    const without = (event: JsonObject) => ({ ...event, error: null });
    expect(
      await answer(api, [without(chunk("It is")), without(chunk(" 2.")), without(end()), "[DONE]"]),
    ).toEqual(["It is 2.", "stop"]);
    expect(await answer(api, [without(callChunk(calculate)), without(end("tool_calls")), "[DONE]"])).toEqual([
      "",
      '{"a":1}',
      "tool-calls",
    ]);
  });
});

describe("an answer of Anthropic", () => {
  const start = { type: "message_start", message: { id: "m1", usage: { input_tokens: 3 } } };
  const block = (content_block: JsonObject, delta: JsonObject) => [
    { type: "content_block_start", index: 0, content_block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
  ];
  const text = block({ type: "text", text: "" }, { type: "text_delta", text: "It is 2." });
  const stop = (stop_reason = "end_turn") => [
    { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 9 } },
    { type: "message_stop" },
  ];

  test.for<[string, Event[]]>([
    ["an event of a new type", [{ type: "queue_position", position: 3 }, start]],
    ["an event that is no JSON", ["hello", start]],
    ["a start without counts", [{ type: "message_start", message: { id: "m1", usage: null } }]],
    ["no start", []],
  ])("may begin with %s", async ([, beginning]) => {
    expect(await answer(anthropic.api, [...beginning, ...text, ...stop()])).toEqual(["It is 2.", "stop"]);
  });

  test("that begins with an error has failed by it", async () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    expect(await answer(anthropic.api, [error])).toEqual(["", "provider-overloaded"]);
  });

  test("has the arguments of a tool that are sent as JSON", async () => {
    const call = block(
      { type: "tool_use", id: "toolu_1", name: "calculate", input: {} },
      { type: "input_json_delta", partial_json: { a: 1 } },
    );
    expect(await answer(anthropic.api, [start, ...call, ...stop("tool_use")])).toEqual([
      "",
      '{"a":1}',
      "tool-calls",
    ]);
  });
});
