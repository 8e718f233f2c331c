import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listenLocally } from "#fixtures/local-server.ts";
import type { ErrorCode } from "#contract/errors.ts";
import { startModelServer, type ModelServer } from "#fixtures/model-server/model-server.ts";
import {
  ModelError,
  type Model,
  type ModelEvent,
  type ModelMessage,
  type ModelRequest,
} from "#server/models/model.ts";
import { chatCompletions } from "../chat-completions/chat-completions.ts";
import { createSdkModel } from "./sdk-model.ts";
import type { ProviderTimeouts } from "./watchdog.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ apiKey: "sk-ada" });
});
afterAll(async () => await server.close());

function modelAt(
  url: string,
  { apiKey, ...timeouts }: Partial<ProviderTimeouts> & { apiKey?: string } = {},
): Model {
  return createSdkModel({
    kind: "openai-compatible",
    api: chatCompletions,
    connection: { baseUrl: url, apiKey: apiKey ?? "sk-ada" },
    info: { id: "env/fixture-1", name: "Fixture", provider: "env", provider_name: "Fixture" },
    modelId: "fixture-1",
    timeouts,
  });
}

const tools = [
  {
    name: "calculate",
    description: "Calculates.",
    parameters: { type: "object", properties: { expression: { type: "string" } } },
  },
];

function request(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    messages: [{ role: "user", parts: [{ type: "text", text }] }],
    tools: [],
    purpose: "answer",
    ...more,
  };
}

type Outcome = { events: ModelEvent[]; text: string; reasoning: string; error: unknown };

async function ask(
  question: string | ModelRequest,
  model = modelAt(server.url),
  signal = new AbortController().signal,
): Promise<Outcome> {
  const outcome: Outcome = { events: [], text: "", reasoning: "", error: undefined };
  try {
    for await (const event of model.stream(
      typeof question === "string" ? request(question) : question,
      signal,
    )) {
      outcome.events.push(event);
      if (event.type === "text") outcome.text += event.text;
      if (event.type === "reasoning") outcome.reasoning += event.text;
    }
  } catch (error) {
    outcome.error = error;
  }
  return outcome;
}

function codeOf({ error }: Outcome): ErrorCode | undefined {
  return error instanceof ModelError ? error.code : undefined;
}

function lastRequest() {
  const last = server.requests.at(-1);
  if (last === undefined) throw new Error("no request was sent");
  return last;
}

describe("an answer", () => {
  test("streams text, ends with one finish, and counts its tokens", async () => {
    const { events, text, error } = await ask("tokens=50 think=5");
    expect(error).toBeUndefined();
    expect(text.split(" ")).toHaveLength(50);
    expect(events.filter(({ type }) => type === "finish")).toHaveLength(1);
    expect(events.at(-1)).toEqual({
      type: "finish",
      reason: "stop",
      usage: { input: expect.any(Number), output: 55, reasoning: 5, cached: 0 },
    });
  });

  test.for(["reasoning_content", "reasoning", "tags"])(
    "separates reasoning in the form %s",
    async (thought) => {
      const { reasoning, text } = await ask(`tokens=10 think=5 thought=${thought}`);
      expect(reasoning.split(" ")).toHaveLength(5);
      expect(text.split(" ")).toHaveLength(10);
      expect(`${text}${reasoning}`).not.toMatch(/think>/);
    },
  );

  test("has no token counts if the provider sends none", async () => {
    const { events } = await ask("tokens=3 usage=off");
    expect(events.at(-1)).toEqual({ type: "finish", reason: "stop", usage: {} });
  });

  test.for([
    ["length", "length"],
    ["max_tokens", "length"],
    ["content_filter", "content-filter"],
    ["end_turn", "stop"],
    ["something_new", "other"],
  ])("maps the finish reason %s to %s", async ([raw, reason]) => {
    const { events } = await ask(`tokens=3 finish=${raw}`);
    expect(events.at(-1)).toMatchObject({ type: "finish", reason });
  });

  test("can contain sources, images and any bytes", async () => {
    const { events } = await ask("tokens=3\nsources image");
    expect(events.flatMap((event) => (event.type === "part" ? [event.part] : []))).toEqual([
      {
        type: "source",
        sourceType: "url",
        id: "source-1",
        url: "https://example.org/a",
        title: "A",
        excerpt: "A is the first letter.",
      },
      { type: "source", sourceType: "url", id: "source-2", url: "https://example.org/b", title: "B" },
      { type: "image", image: expect.stringMatching(/^data:image\/png;base64,/) },
    ]);
    expect((await ask("bytes=nul tokens=2")).text).toMatch(/^a\0b /);
    expect((await ask("bytes=surrogate tokens=2")).text).toMatch(/^😀 /u);
    expect((await ask("bytes=bad tokens=2")).text).toMatch(/^bro\uFFFD+\(ken /);
  });

  test("is complete if the socket breaks after the finish reason", async () => {
    const { events, error } = await ask("tokens=3\nlate-death");
    expect(error).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "stop" });
  });

  test("is read from a server that does not stream", async () => {
    const plain = await oneAnswer(
      "application/json",
      JSON.stringify({
        choices: [
          { index: 0, message: { role: "assistant", content: "All at once." }, finish_reason: "stop" },
        ],
        usage: { prompt_tokens: 3, completion_tokens: 4 },
      }),
    );
    const outcome = await ask("Hello", modelAt(plain.url));
    expect(outcome.text).toBe("All at once.");
    expect(outcome.events.at(-1)).toEqual({ type: "finish", reason: "stop", usage: { input: 3, output: 4 } });
    await plain.close();
  });
});

test("an unstreamed answer without a finish reason is complete", async () => {
  const message = { role: "assistant", content: "All at once." };
  const plain = await oneAnswer("application/json", JSON.stringify({ choices: [{ index: 0, message }] }));
  const outcome = await ask("Hello", modelAt(plain.url));
  expect([outcome.text, outcome.events.at(-1)]).toEqual([
    "All at once.",
    { type: "finish", reason: "stop", usage: {} },
  ]);
  await plain.close();
});

test("a provider that sends only events that nobody can read is given up", async () => {
  const odd = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: { not: "text" } } }] })}\n\n`;
  const endless = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    const timer = setInterval(() => response.write(odd), 5);
    response.once("close", () => clearInterval(timer));
  });
  const { url, close } = await listenLocally(endless);
  expect(codeOf(await ask("Hello", modelAt(`${url}/v1`, { noOutputMs: 150 })))).toBe("provider-silent");
  await close();
});

describe("an answer in an unusual form", () => {
  const chunk = (delta: object, more: object = {}, choice: object = {}) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, ...choice }], ...more })}\n\n`;
  const askWithFiles = async (...chunks: string[]) => {
    const unusual = await oneAnswer("text/event-stream", `${chunks.join("")}data: [DONE]\n\n`);
    const outcome = await ask(request("Hello", { tools }), modelAt(unusual.url));
    await unusual.close();
    return outcome;
  };
  const stop = chunk({}, {}, { finish_reason: "stop" });

  test("may be a picture without a finish reason", async () => {
    const url = "data:image/png;base64,AAAA";
    const { events } = await askWithFiles(chunk({ images: [{ image_url: { url } }] }));
    expect(events).toEqual([
      { type: "part", part: { type: "image", image: url } },
      { type: "finish", reason: "stop", usage: {} },
    ]);
  });

  test("keeps the order of text, reasoning and sources", async () => {
    const { events } = await askWithFiles(
      chunk({ role: "assistant", content: "" }),
      chunk({ reasoning: "Hm." }),
      chunk({ content: "One " }),
      chunk(
        { content: "two" },
        { citations: [`https://example.org/${"x".repeat(2_048)}`, "https://example.org/a"] },
      ),
      chunk({ content: " three", reasoning_content: "Aha." }),
      chunk(
        {},
        {
          search_results: [
            { url: "https://example.org/b", title: "b".repeat(2_048), snippet: "s".repeat(4_096) },
          ],
        },
      ),
      stop,
    );
    expect(events).toEqual([
      { type: "reasoning", text: "Hm." },
      { type: "text", text: "One " },
      {
        type: "part",
        part: { type: "source", sourceType: "url", id: "source-1", url: "https://example.org/a" },
      },
      { type: "text", text: "two" },
      { type: "reasoning", text: "Aha." },
      { type: "text", text: " three" },
      {
        type: "part",
        part: {
          type: "source",
          sourceType: "url",
          id: "source-2",
          url: "https://example.org/b",
          title: "b".repeat(1_024),
          excerpt: "s".repeat(2_048),
        },
      },
      { type: "finish", reason: "stop", usage: {} },
    ]);
  });

  test("may contain text in the chunk with the finish, and token counts in every chunk", async () => {
    const usage = (output: number) => ({ usage: { prompt_tokens: 3, completion_tokens: output } });
    const { events, text } = await askWithFiles(
      chunk({ content: "One " }, usage(1)),
      chunk({ content: "two." }, usage(2), { finish_reason: "stop" }),
    );
    expect(text).toBe("One two.");
    expect(events.at(-1)).toEqual({ type: "finish", reason: "stop", usage: { input: 3, output: 2 } });
  });

  test("may contain chunks without choices, content arrays, refusals and events over several lines", async () => {
    const { text } = await askWithFiles(
      `data: ${JSON.stringify({ choices: [], prompt_filter_results: [] })}\n\n`,
      chunk({ content: "One " }),
      chunk({ content: [{ type: "text", text: "two " }] }),
      'data: {"choices":[\ndata: {"delta":{"content":"three "}}]}\n\n',
      chunk({ refusal: "and no more." }),
      stop,
    );
    expect(text).toBe("One two three and no more.");
  });

  test("may contain a tool call without an index between text", async () => {
    const { events, text } = await askWithFiles(
      chunk({ content: "Let me see. " }),
      chunk({ tool_calls: [{ id: "c1", function: { name: "calculate", arguments: '{"expression":' } }] }),
      chunk({ tool_calls: [{ id: "c1", function: { arguments: '"1+1"}' } }] }),
      chunk({ content: "So." }),
      stop,
    );
    expect(text).toBe("Let me see. So.");
    expect(events).toContainEqual({
      type: "tool-call",
      toolCallId: "c1",
      toolName: "calculate",
      argsText: '{"expression":"1+1"}',
    });
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "tool-calls" });
  });

  test("is complete if it is larger than the queue and the reader is slow", async () => {
    const many = Array.from({ length: 4_000 }, (_, n) => chunk({ content: `${n} ${"x".repeat(200)} ` }));
    const unusual = await oneAnswer("text/event-stream", `${many.join("")}${stop}`);
    const model = modelAt(unusual.url);
    let text = "";
    for await (const event of model.stream(request("Hello"), new AbortController().signal)) {
      if (event.type !== "text") continue;
      text += event.text;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(text.match(/\d+ /g)).toHaveLength(4_000);
    await unusual.close();
  });
});

describe("a tool call", () => {
  const question = 'tool=calculate("1+1") pieces=3';

  test("is streamed and then complete, and its result is sent back", async () => {
    const first = await ask(request(question, { tools }));
    const calls = first.events.filter((event) => event.type === "tool-call");
    expect(calls).toEqual([
      {
        type: "tool-call",
        toolCallId: expect.any(String),
        toolName: "calculate",
        argsText: '{"expression":"1+1"}',
      },
    ]);
    const deltas = first.events
      .filter((event) => event.type === "tool-call-delta")
      .map(({ argsText }) => argsText);
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join("")).toBe('{"expression":"1+1"}');
    expect(first.events.at(-1)).toMatchObject({ type: "finish", reason: "tool-calls" });

    const toolCallId = calls[0]?.toolCallId ?? "";
    const messages: ModelMessage[] = [
      { role: "user", parts: [{ type: "text", text: question }] },
      {
        role: "assistant",
        parts: [{ type: "tool-call", toolCallId, toolName: "calculate", args: { expression: "1+1" } }],
      },
      {
        role: "tool",
        results: [{ toolCallId, toolName: "calculate", result: { result: "2" }, isError: false }],
      },
    ];
    const second = await ask({ messages, tools, purpose: "answer" });
    expect(second.text).toBe('The tools said: {"result":"2"}.');
    expect(lastRequest().body?.messages).toMatchObject([
      { role: "user", content: question },
      {
        role: "assistant",
        tool_calls: [{ id: toolCallId, function: { name: "calculate", arguments: '{"expression":"1+1"}' } }],
      },
      { role: "tool", tool_call_id: toolCallId, content: '{"result":"2"}' },
    ]);
  });

  test("may come with another", async () => {
    const { events } = await ask(request('tool=calculate("1+1") tool=date({"date":"today"})', { tools }));
    expect(
      events
        .filter((event) => event.type === "tool-call")
        .map(({ toolName, argsText }) => [toolName, argsText]),
    ).toEqual([
      ["calculate", '{"expression":"1+1"}'],
      ["date", '{"date":"today"}'],
    ]);
  });

  test("keeps arguments that are not JSON", async () => {
    const { events, error } = await ask(request(`${question}\nbad-args`, { tools }));
    expect(error).toBeUndefined();
    expect(events).toContainEqual(
      expect.objectContaining({ type: "tool-call", argsText: '{"expression":"1+1' }),
    );
  });

  test("is not offered again to a model that refuses tools", async () => {
    let refusals = 0;
    const strict = await answering((body) => {
      if (body.tools === undefined) return undefined;
      refusals++;
      return { status: 400, body: { error: { message: "registry/gemma does not support tools" } } };
    });
    const model = modelAt(strict.url);
    expect((await ask(request("Hello", { tools }), model)).text).toBe("fine");
    expect((await ask(request("Hello", { tools }), model)).text).toBe("fine");
    expect(refusals).toBe(1);
    await strict.close();
  });
});

describe("a setting", () => {
  const settings = { temperature: 0.7, maxOutputTokens: 50 };

  test("is left out after the model refused it, and reported each time", async () => {
    const requests: unknown[] = [];
    const strict = await answering((body) => {
      requests.push([body.temperature, body.max_tokens]);
      if (body.temperature === undefined) return undefined;
      return {
        status: 400,
        body: { error: { message: "Unsupported value: 'temperature' does not support 0.7." } },
      };
    });
    const model = modelAt(strict.url);
    for (let times = 0; times < 2; times++) {
      const { text, events } = await ask({ ...request("Hello"), settings }, model);
      expect(text).toBe("fine");
      expect(events[0]).toEqual({ type: "left-out", setting: "temperature" });
    }
    expect(requests).toEqual([
      [0.7, 50],
      [undefined, 50],
      [undefined, 50],
    ]);
    await strict.close();
  });

  test("is sent under its new name if the model accepts only that", async () => {
    const requests: unknown[] = [];
    const strict = await answering((body) => {
      requests.push([body.max_tokens, body.max_completion_tokens]);
      if (body.max_tokens === undefined) return undefined;
      const message =
        "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.";
      return { status: 400, body: { error: { message } } };
    });
    const model = modelAt(strict.url);
    for (let times = 0; times < 2; times++) {
      const { text, events } = await ask({ ...request("Hello"), settings }, model);
      expect([text, events[0]?.type]).toEqual(["fine", "text"]);
    }
    expect(requests).toEqual([
      [50, undefined],
      [undefined, 50],
      [undefined, 50],
    ]);
    await strict.close();
  });
});

describe("a request", () => {
  test("contains instructions, files in accepted formats, and the names of other files", async () => {
    const png = "data:image/png;base64,iVBORw0KGgo=";
    await ask({
      system: "Be brief.",
      purpose: "answer",
      tools: [],
      messages: [
        {
          role: "user",
          parts: [
            { type: "text", text: "tokens=1" },
            { type: "file", data: png, mediaType: "image/png" },
            { type: "file", data: "https://example.org/a.jpg", mediaType: "image/*" },
            {
              type: "file",
              data: "data:text/csv;base64,YSxiCjEsMg==",
              mediaType: "text/csv",
              filename: "a.csv",
            },
            { type: "file", data: "UEsDBA==", mediaType: "application/zip", filename: "a.zip" },
            { type: "file", data: "/v1/files/7", mediaType: "image/png", filename: "ours.png" },
            { type: "file", data: "JVBERi0=", mediaType: "application/pdf", filename: "a.pdf" },
            { type: "file", data: "AAAA", mediaType: "audio/mpeg" },
          ],
        },
      ],
    });
    expect(lastRequest().body?.messages).toEqual([
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "tokens=1" },
          { type: "image_url", image_url: { url: png } },
          { type: "image_url", image_url: { url: "https://example.org/a.jpg" } },
          { type: "text", text: "[File a.csv, text/csv]\na,b\n1,2" },
          { type: "text", text: "[File a.zip, application/zip: its content cannot be shown to you]" },
          { type: "text", text: "[File ours.png, image/png: its content cannot be shown to you]" },
          { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } },
          { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
        ],
      },
    ]);
  });

  test("contains reasoning of the current answer only", async () => {
    const thought = { type: "reasoning", text: "Hm." } as const;
    const call = { type: "tool-call", toolCallId: "c", toolName: "calculate", args: {} } as const;
    await ask({
      purpose: "answer",
      tools,
      messages: [
        { role: "user", parts: [{ type: "text", text: "Hello" }] },
        { role: "assistant", parts: [thought, { type: "text", text: "Hi" }] },
        { role: "user", parts: [{ type: "text", text: "tokens=1" }] },
        { role: "assistant", parts: [thought, call] },
        { role: "tool", results: [{ toolCallId: "c", toolName: "calculate", result: "no", isError: true }] },
      ],
    });
    const sent = lastRequest().body?.messages;
    expect(sent).toMatchObject([{}, { content: "Hi" }, {}, { reasoning_content: "Hm." }, { content: "no" }]);
    expect(JSON.stringify(sent).match(/Hm\./g)).toHaveLength(1);
  });
});

describe("a failure", () => {
  test.for<[string, ErrorCode]>([
    ["status=401", "provider-refused-key"],
    ["status=403", "provider-refused-key"],
    ["status=400", "provider-refused"],
    ["status=404", "provider-refused"],
    ["status=402", "provider-no-credit"],
    ["status=429 retry-after=0.01", "provider-rate-limited"],
    ["status=503 retry-after=0.01", "provider-overloaded"],
    ["status=529 retry-after=0.01", "provider-overloaded"],
    ["status=500 retry-after=0.01", "provider-overloaded"],
    ["status=502 retry-after=0.01", "provider-unreachable"],
    ["status=504 retry-after=0.01", "provider-unreachable"],
    ["status=429 retry-after=3600", "provider-rate-limited"],
    ["status=429 code=insufficient_quota", "provider-no-credit"],
    ["status=400 code=context_length_exceeded", "context-too-long"],
    ["status=400 says=This_model's_maximum_context_length_is_4096_tokens.", "context-too-long"],
    ["status=400 says=prompt_is_too_long:_210000_tokens_>_200000_maximum", "context-too-long"],
    ["status=400 says=the_request_exceeds_the_available_context_size.", "context-too-long"],
    ["status=500 says=input_is_too_long_for_the_context_window", "context-too-long"],
    ["status=413", "context-too-long"],
    ["status=400 code=content_filter", "content-filtered"],
    ["redirect=http://127.0.0.1:1/v1", "provider-unreachable"],
    ["tokens=3\nreset", "provider-unreachable"],
    ["tokens=3\nhtml", "provider-not-a-model"],
    ["tokens=3 status=404\nhtml", "provider-not-a-model"],
    ["tokens=3 status=405\nhtml", "provider-not-a-model"],
    ["tokens=3 status=502 retry-after=0.01\nhtml", "provider-unreachable"],
    ["tokens=3 status=401\nhtml", "provider-refused-key"],
    ["tokens=20 die=10", "provider-broke-off"],
    ["tokens=20 die=0", "provider-broke-off"],
    ["tokens=20 cut=10", "provider-broke-off"],
    ["tokens=20 cut=0", "provider-broke-off"],
    ["tokens=20 fault=3", "provider-broke-off"],
    ["tokens=20 fault=3 code=429", "provider-rate-limited"],
    ["tokens=20 fault=3 code=context_length_exceeded", "context-too-long"],
    ["tokens=20 fault=3 code=content_filter", "content-filtered"],
  ])("after %s is %s", async ([directives, code]) => {
    const outcome = await ask(directives);
    expect(codeOf(outcome)).toBe(code);
    expect(outcome.events.some(({ type }) => type === "finish")).toBe(false);
  });

  test("in the middle comes after all text before it", async () => {
    const { text, error } = await ask("tokens=20 die=10");
    expect(text.split(" ")).toHaveLength(10);
    expect(error).toBeInstanceOf(ModelError);
  });

  test("to reach the provider is reported", async () => {
    const closed = await startModelServer();
    await closed.close();
    expect(codeOf(await ask("Hello", modelAt(closed.url)))).toBe("provider-unreachable");
    expect(codeOf(await ask("Hello", modelAt("http://no-such-host.invalid/v1")))).toBe(
      "provider-unreachable",
    );
  });

  test("that is temporary leads to a retry after the time that the provider asks for", async () => {
    const before = server.requests.length;
    const { text, error } = await ask("again status=429 retry-after=0.05 times=1 tokens=4");
    expect(error).toBeUndefined();
    expect(text.split(" ")).toHaveLength(4);
    expect(server.requests.length - before).toBe(2);
  });

  test("leads to one retry at most, and to none if the provider asks for a long wait", async () => {
    let before = server.requests.length;
    await ask("status=429 retry-after=0.01 always");
    expect(server.requests.length - before).toBe(2);
    before = server.requests.length;
    await ask("status=429 retry-after=60 always");
    expect(server.requests.length - before).toBe(1);
  });

  test("is reported if the provider is silent before or during the answer", async () => {
    const model = modelAt(server.url, { silenceMs: 1_500 });
    expect(codeOf(await ask("tokens=20 wait=5000", model))).toBe("provider-silent");
    const stalled = await ask("tokens=20 stall=5", model);
    expect(codeOf(stalled)).toBe("provider-silent");
    expect(stalled.text.split(" ")).toHaveLength(5);
    await lastRequest().end;
    expect(lastRequest().ended).toBe("gone");
  });

  test("is not reported while comments arrive or the reader is slow", async () => {
    const model = modelAt(server.url, { silenceMs: 1_500 });
    expect((await ask("tokens=2 first=3000 comments=30", model)).error).toBeUndefined();
    let count = 0;
    for await (const event of model.stream(request("tokens=9000 gap=1"), new AbortController().signal)) {
      expect(event.type).toBe("text");
      if (++count === 1) await new Promise((resolve) => setTimeout(resolve, 2_000));
      if (count === 3) break;
    }
  });

  test("does not expose the key or the conversation to the log", async () => {
    const { error } = await ask("status=400 says=key_sk-ada_is_odd my secret plan");
    const logged = JSON.stringify(error, Object.getOwnPropertyNames(error)) + String((error as Error).cause);
    expect(logged).not.toContain("sk-ada");
    expect(logged).not.toContain("secret plan");
    expect(String((error as Error).cause)).toContain("key [key] is odd");
  });
});

describe("a redirect", () => {
  test("is not followed, so that the key and the conversation reach no other host", async () => {
    const other = await startModelServer();
    expect(codeOf(await ask(`redirect=${other.url}/chat/completions tokens=3`))).toBe("provider-unreachable");
    expect(other.requests).toEqual([]);
    await other.close();
  });
});

describe("an abort", () => {
  test("closes the connection to the provider", async () => {
    const controller = new AbortController();
    const reason = new Error("stop");
    const events: ModelEvent[] = [];
    const reading = (async () => {
      for await (const event of modelAt(server.url).stream(request("gap=5\nendless"), controller.signal)) {
        events.push(event);
        if (events.length === 5) controller.abort(reason);
      }
    })();
    await expect(reading).rejects.toBe(reason);
    await lastRequest().end;
    expect(lastRequest().ended).toBe("gone");
  });

  test("throws its reason before the request, before the first word, and before a retry", async () => {
    const reason = new Error("stop");
    expect((await ask("tokens=3", modelAt(server.url), AbortSignal.abort(reason))).error).toBe(reason);
    for (const directives of ["tokens=3 wait=5000", "status=429 retry-after=4"]) {
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 30);
      expect((await ask(directives, modelAt(server.url), controller.signal)).error).toBe(reason);
    }
  });

  test("is not needed if the caller stops reading", async () => {
    for await (const event of modelAt(server.url).stream(
      request("gap=5\nendless"),
      new AbortController().signal,
    )) {
      if (event.type === "text") break;
    }
    await lastRequest().end;
    expect(lastRequest().ended).toBe("gone");
  });
});

/** A server with the same response to every request. */
async function oneAnswer(
  contentType: string,
  body: string,
): Promise<{ url: string; close(): Promise<void> }> {
  const plain = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": contentType }).end(body);
  });
  const { url, close } = await listenLocally(plain);
  return { url: `${url}/v1`, close };
}

/** A server that answers "fine" unless `refuse` returns an error for the request. */
async function answering(
  refuse: (body: Record<string, unknown>) => { status: number; body: object } | undefined,
) {
  const strict = createServer((request, response) => {
    void (async () => {
      let text = "";
      for await (const chunk of request) text += String(chunk);
      const refusal = refuse(JSON.parse(text) as Record<string, unknown>);
      if (refusal !== undefined) {
        response
          .writeHead(refusal.status, { "content-type": "application/json" })
          .end(JSON.stringify(refusal.body));
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(
        'data: {"choices":[{"index":0,"delta":{"content":"fine"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
      );
    })();
  });
  const { url, close } = await listenLocally(strict);
  return { url: `${url}/v1`, close };
}
