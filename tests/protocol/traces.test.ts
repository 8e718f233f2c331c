import { deflateSync, gzipSync } from "node:zlib";
import { context, trace, TraceFlags, type Attributes } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BasicTracerProvider, type SpanExporter } from "@opentelemetry/sdk-trace-base";
import {
  assistantCloudTraceExportOptions,
  createAssistantCloudSpanProcessor,
  createAssistantCloudTraceExporter,
} from "assistant-cloud/telemetry";
import { describe, expect, test } from "vitest";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { apiKey } from "#fixtures/people.ts";
import { expectProblem } from "../support/problem.ts";
import { describeServer } from "../support/server.ts";
import { exportOf, newSpanId, newTraceId, type SpanMade } from "../support/traces.ts";
import { bearer, visitor, type Visitor } from "../support/visitor.ts";

type Send = { type?: string; packing?: string; who?: Visitor };

const chat = (more: Record<string, string | number | string[]> = {}) => ({
  "gen_ai.operation.name": "chat",
  "gen_ai.request.model": "model-1",
  "gen_ai.usage.input_tokens": 10,
  "gen_ai.usage.output_tokens": 4,
  ...more,
});

/** An agent that asked a model, used a tool, and asked again. */
function agentTrace(traceId: string, threadId?: string): [root: SpanMade, ...below: SpanMade[]] {
  const rootId = newSpanId();
  const below = () => ({ traceId, spanId: newSpanId(), parentSpanId: rootId });
  return [
    {
      traceId,
      spanId: rootId,
      name: "invoke_agent helper",
      endMs: 3_000,
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "helper",
        "gen_ai.usage.input_tokens": 30,
        "user.id": "telemetry-user",
        "shop.cart": "c-1",
        ...(threadId === undefined ? {} : { "gen_ai.conversation.id": threadId }),
      },
    },
    {
      ...below(),
      endMs: 1_000,
      attributes: {
        ...chat({ "gen_ai.response.finish_reasons": ["tool_calls"] }),
        "gen_ai.response.time_to_first_chunk": 0.25,
      },
    },
    {
      ...below(),
      name: "execute_tool weather",
      startMs: 1_000,
      endMs: 1_500,
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "weather",
        "gen_ai.tool.call.id": "call-1",
        "gen_ai.tool.call.arguments": '{"city":"Oslo"}',
        "gen_ai.tool.call.result": '"cold"',
      },
    },
    {
      ...below(),
      startMs: 1_500,
      endMs: 2_900,
      attributes: chat({
        "gen_ai.usage.input_tokens": 20,
        "gen_ai.response.model": "model-1-of-june",
        "gen_ai.provider.name": "openai",
        "gen_ai.response.finish_reasons": ["stop"],
      }),
    },
  ];
}

describeServer("traces of an application's telemetry", { model: true }, (server) => {
  const key = (): Visitor => visitor(server().url, "telemetry", bearer(apiKey));

  async function send(
    body: string | Uint8Array,
    { type = "application/json", packing, who = key() }: Send = {},
  ) {
    return await who.send("POST", "/v1/traces", {
      body: typeof body === "string" ? body : new Uint8Array(body),
      headers: { "Content-Type": type, ...(packing === undefined ? {} : { "Content-Encoding": packing }) },
    });
  }

  async function tell(spans: readonly SpanMade[], resource = {}, who = key()): Promise<unknown> {
    const answer = await send(JSON.stringify(exportOf(spans, resource)), { who });
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  }

  async function newThread(who: Visitor): Promise<string> {
    return (await who.call("threads.create", { body: { last_message_at: new Date().toISOString() } }))
      .thread_id;
  }

  async function report(who: Visitor, body: object): Promise<string> {
    return (await who.call("runs.report", { body: { status: "completed", ...body } })).run_id;
  }

  const runsOf = async (thread_id: string) =>
    (await key().call("projects.runs", { query: { thread_id } })).runs.map(({ id }) => id);

  const read = async (run_id: string) => await key().call("projects.run", { params: { run_id } });

  /** The one run of a thread. */
  async function runOf(threadId: string) {
    const [id, ...others] = await runsOf(threadId);
    expect(others).toEqual([]);
    return await read(id!);
  }

  const exporters: Record<string, () => SpanExporter> = {
    JSON: () => createAssistantCloudTraceExporter({ apiKey, baseUrl: `${server().url}/` }),
    protobuf: () =>
      new OTLPTraceExporter(assistantCloudTraceExportOptions({ apiKey, baseUrl: server().url })),
    "packed protobuf": () =>
      new OTLPTraceExporter({
        ...assistantCloudTraceExportOptions({ apiKey, baseUrl: server().url }),
        compression: "gzip" as never,
      }),
  };

  test.for(Object.entries(exporters))(
    "are one run each, from the client's own exporter: %s",
    async ([, make]) => {
      const ada = server().inNewWorkspace();
      const threadId = await newThread(ada);
      const exporter = make();
      const results: number[] = [];
      const provider = new BasicTracerProvider({
        spanProcessors: [
          createAssistantCloudSpanProcessor({
            export: (spans, done) =>
              exporter.export(spans, (result) => {
                results.push(result.code);
                done(result);
              }),
            shutdown: async () => await exporter.shutdown(),
          }),
        ],
      });
      const tracer = provider.getTracer("test");
      let startTime = Date.now();
      const span = (name: string, attributes: Attributes, above = context.active()) =>
        tracer.startSpan(name, { attributes, startTime: startTime++ }, above);
      const root = span("invoke_agent helper", {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.conversation.id": threadId,
      });
      const inside = trace.setSpan(context.active(), root);
      span("GET /prices", {}, inside).end();
      span("chat model-1", chat({ "gen_ai.response.finish_reasons": ["length"] }), inside).end();
      span("ai.toolCall", { "ai.toolCall.name": "weather", "ai.toolCall.id": "call-1" }, inside).end();
      root.end();
      await provider.forceFlush();
      await provider.shutdown();
      expect(results).toEqual([0]);
      expect(root.spanContext().traceFlags).toBe(TraceFlags.SAMPLED);
      expect(await runOf(threadId)).toMatchObject({
        status: "incomplete",
        outcome_type: "length",
        model_id: "model-1",
        input_tokens: 10,
        output_tokens: 4,
        total_steps: 1,
        root_span_id: root.spanContext().spanId,
        spans: [
          { type: null },
          { type: "generation" },
          { type: "tool_call", tool_name: "weather", tool_call_id: "call-1" },
        ],
      });
    },
  );

  test("tell the model, the tokens, the times, the steps and the tools, in whatever order they come", async () => {
    for (const order of [(spans: SpanMade[]) => spans, (spans: SpanMade[]) => spans.toReversed()]) {
      const ada = server().inNewWorkspace();
      const threadId = await newThread(ada);
      const spans = agentTrace(newTraceId(), threadId);
      const resource = {
        "service.name": "shop",
        "service.version": "7",
        "deployment.environment.name": "live",
      };
      for (const span of order(spans)) expect(await tell([span], resource)).toEqual({});
      const run = await runOf(threadId);
      expect(run).toMatchObject({
        thread_id: threadId,
        status: "completed",
        outcome_type: null,
        model_id: "model-1-of-june",
        provider: "openai",
        service_name: "shop",
        agent_name: "helper",
        release: "7",
        environment: "live",
        input_tokens: 30,
        output_tokens: 8,
        duration_ms: 3_000,
        first_token_ms: 250,
        total_steps: 2,
        root_span_id: spans[0].spanId,
        attributes: { "shop.cart": "c-1" },
      });
      expect(run.spans).toMatchObject([
        {},
        {},
        {
          type: "tool_call",
          tool_name: "weather",
          start_ms: 1_000,
          end_ms: 1_500,
          input: '{"city":"Oslo"}',
          output: '"cold"',
        },
        { type: "generation", input_tokens: 20, finish_reason: "stop" },
      ]);
      // The same once more changes nothing.
      await tell(spans, resource);
      expect(await runOf(threadId)).toEqual(run);
    }
  });

  test("and a report of the same trace are one run, whichever comes first", async () => {
    const told = [];
    for (const first of ["report", "spans"]) {
      const ada = server().inNewWorkspace();
      const threadId = await newThread(ada);
      const traceId = newTraceId();
      const reported = () =>
        report(ada, {
          thread_id: threadId,
          trace_id: traceId,
          status: "incomplete",
          outcome_type: "aborted",
          model_id: "what the browser thinks",
          reasoning_tokens: 3,
          duration_ms: 9,
          tags: ["a"],
          attributes: { mine: 1 },
        });
      if (first === "report") await reported();
      // As most backends do, they say nothing of the thread.
      await tell(agentTrace(traceId));
      if (first === "spans") await reported();
      const run = await runOf(threadId);
      expect(await reported()).toBe(run.id);
      const { id: _, thread_id: __, created_at: ___, root_span_id: ____, spans, ...same } = run;
      expect(spans).toHaveLength(4);
      expect(same).toMatchObject({
        status: "incomplete",
        outcome_type: "aborted",
        model_id: "model-1-of-june",
        created_by: ada.headers["Aui-User-Id"],
        input_tokens: 30,
        reasoning_tokens: 3,
        duration_ms: 3_000,
        total_steps: 2,
        tags: ["a"],
        attributes: { mine: 1, "shop.cart": "c-1" },
      });
      told.push(same);
    }
    expect(told[0]).toEqual(told[1]);
  });

  test("and a report that come at once are one run", async () => {
    const ada = server().inNewWorkspace();
    for (let round = 0; round < 10; round++) {
      const threadId = await newThread(ada);
      const traceId = newTraceId();
      const spans = agentTrace(traceId, round % 2 === 0 ? threadId : undefined);
      const [runId] = await Promise.all([
        report(ada, { thread_id: threadId, trace_id: traceId }),
        ...spans.map(async (span) => await tell([span])),
      ]);
      expect(await runsOf(threadId)).toEqual([runId]);
      expect(await read(runId)).toMatchObject({ input_tokens: 30, total_steps: 2 });
    }
  });

  test("are of a thread as soon as one of their spans names it", async () => {
    const threadId = await newThread(server().inNewWorkspace());
    const [root, ...below] = agentTrace(newTraceId(), threadId);
    await tell(below);
    expect(await runsOf(threadId)).toEqual([]);
    await tell([root]);
    expect((await runOf(threadId)).spans).toHaveLength(4);
  });

  test("without a thread are still runs of the project, of the user that they name", async () => {
    await tell(agentTrace(newTraceId()));
    const { runs } = await key().call("projects.runs", { query: { created_by: "telemetry-user" } });
    expect(runs[0]).toMatchObject({ thread_id: null, model_id: "model-1-of-june" });
  });

  test("fail as their outermost span failed", async () => {
    const threadId = await newThread(server().inNewWorkspace());
    const [root, model] = agentTrace(newTraceId(), threadId);
    await tell([{ ...model!, failed: true }]);
    await tell([{ ...root, failed: true, attributes: { ...root.attributes, "error.type": "timeout" } }]);
    expect(await runOf(threadId)).toMatchObject({
      status: "error",
      outcome_type: "provider_error",
      error_code: "timeout",
    });
  });

  test("that a tool or an agent's model stands in count no token twice", async () => {
    const threadId = await newThread(server().inNewWorkspace());
    const traceId = newTraceId();
    const [outer, inner, tool] = [newSpanId(), newSpanId(), newSpanId()];
    await tell([
      { traceId, spanId: outer, attributes: chat({ "gen_ai.conversation.id": threadId }) },
      { traceId, spanId: inner, parentSpanId: outer, attributes: chat() },
      { traceId, spanId: tool, attributes: { "gen_ai.operation.name": "execute_tool" } },
      { traceId, parentSpanId: tool, attributes: chat() },
    ]);
    expect(await runOf(threadId)).toMatchObject({ input_tokens: 20, total_steps: 1 });
  });

  describe("of others", () => {
    test("never touch a thread that is gone or of nobody, or make one", async () => {
      const ada = server().inNewWorkspace();
      const gone = await newThread(ada);
      await ada.call("threads.remove", { params: { thread_id: gone } });
      for (const threadId of [gone, newId("thread"), "x".repeat(5_000), "\u0000"]) {
        expect(
          await tell([{ traceId: newTraceId(), attributes: chat({ "gen_ai.conversation.id": threadId }) }]),
        ).toEqual({});
        if (threadId.length < 48 && threadId.length > 1) expect(await runsOf(threadId)).toEqual([]);
      }
    });

    test("stay in the workspace that was named: a report of another is a run of its own", async () => {
      const [ada, eve] = [server().inNewWorkspace(), server().inNewWorkspace()];
      const traceId = newTraceId();
      const spans = agentTrace(traceId);
      await tell(spans, {}, ada);
      const eves = await newThread(eve);
      const own = await report(eve, { thread_id: eves, trace_id: traceId });
      expect(await read(own)).toMatchObject({ model_id: null, spans: [] });
      const adas = await newThread(ada);
      const mine = await report(ada, { thread_id: adas, trace_id: traceId });
      expect(mine).not.toBe(own);
      expect(await read(mine)).toMatchObject({ model_id: "model-1-of-june" });
      // What comes later for the named workspace goes to its run.
      await tell(spans, {}, ada);
      expect(await read(own)).toMatchObject({ model_id: null, spans: [] });
    });

    test("are for keys alone", async () => {
      const dan = await server().anonymous("dan");
      const body = exportOf([]);
      expectProblem(await dan.ask("traces.add", { body }), "backend-only");
      const { token } = await server().inNewWorkspace().call("auth.mint");
      expectProblem(await server().withToken(token).ask("traces.add", { body }), "backend-only");
      expectProblem(await visitor(server().url, "guest", {}).ask("traces.add", { body }), "not-signed-in");
    });

    test("lose their words where a person is erased", async () => {
      const userId = `erased ${newId("thread")}`;
      const [root, ...below] = agentTrace(newTraceId());
      await tell([{ ...root, attributes: { ...root.attributes, "user.id": userId } }, ...below]);
      const { runs } = await key().call("projects.runs", { query: { created_by: userId } });
      await key().call("projects.eraseUser", { params: { user_id: userId } });
      const run = await read(runs[0]!.id);
      expect(run).toMatchObject({ created_by: "usr_deleted", attributes: {}, input_tokens: 30 });
      expect(run.spans).toHaveLength(4);
      expect(JSON.stringify(run)).not.toMatch(/Oslo|cold|telemetry-user|c-1|erased/);
    });
  });

  describe("that are bad", () => {
    const json = (value: unknown) => JSON.stringify(value);
    const protobuf = "application/x-protobuf";

    test.for<[string, string | Uint8Array, Send, Parameters<typeof expectProblem>[1]]>([
      ["of another type", "{}", { type: "text/plain" }, "unsupported-type"],
      ["packed in another way", "{}", { packing: "br" }, "unsupported-encoding"],
      ["packed twice", gzipSync(gzipSync("{}")), { packing: "gzip, gzip" }, "unsupported-encoding"],
      ["no JSON", "{", {}, "bad-json"],
      ["a list", "[]", {}, "bad-request"],
      ["too deeply nested", `{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}`, {}, "bad-request"],
      ["not packed as they say", "{}", { packing: "gzip" }, "bad-export"],
      ["cut off", gzipSync(json({ a: "b".repeat(500) })).subarray(0, 30), { packing: "gzip" }, "bad-export"],
      ["no protobuf", "\u0007\u0007\u0007", { type: protobuf }, "bad-export"],
      ["protobuf that nests for ever", deepProtobuf(2_000), { type: protobuf }, "bad-export"],
      ["too large", " ".repeat(limits.traceBytes + 1), {}, "too-large"],
      ["a bomb of gzip", gzipSync(Buffer.alloc(200 * 1024 * 1024)), { packing: "gzip" }, "too-large"],
      [
        "a bomb of deflate",
        deflateSync(Buffer.alloc(limits.traceBytes + 1)),
        { packing: "deflate", type: protobuf },
        "too-large",
      ],
    ])("are refused: %s", async ([, body, how, code]) => {
      expectProblem(await send(body, how), code);
    });

    test("are refused as they are in every workspace: nothing is kept", async () => {
      const threadId = await newThread(server().inNewWorkspace());
      const whole = gzipSync(json(exportOf(agentTrace(newTraceId(), threadId))));
      expectProblem(await send(whole.subarray(0, -9), { packing: "gzip" }), "bad-export");
      expect(await runsOf(threadId)).toEqual([]);
      expect((await send(whole, { packing: "gzip" })).body).toEqual({});
      expect((await runOf(threadId)).spans).toHaveLength(4);
    });

    test("up to the bound are taken: unpacked, packed, and empty", async () => {
      const full = json({ resourceSpans: [], more: "" });
      const padded = full.replace('""', `"${"x".repeat(limits.traceBytes - full.length)}"`);
      expect((await send(padded)).status).toBe(200);
      expect((await send(deflateSync(padded), { packing: "deflate" })).body).toEqual({});
      const empty = await send("", { type: protobuf });
      expect([empty.status, empty.text]).toEqual([200, ""]);
      expect(empty.headers.get("content-type")).toBe(protobuf);
    });

    test("in part are taken in part, and it is said what is left out", async () => {
      const threadId = await newThread(server().inNewWorkspace());
      const traceId = newTraceId();
      const good: SpanMade = { traceId, attributes: chat({ "gen_ai.conversation.id": threadId }) };
      const answer = await tell([
        good,
        { ...good, traceId: "0".repeat(32) },
        { ...good, traceId: "f".repeat(3_000) },
        { ...good, spanId: "no" },
        { traceId, name: "GET /" },
      ]);
      expect(answer).toEqual({
        partialSuccess: {
          rejectedSpans: 4,
          errorMessage: "3 spans have no valid id or start; 1 spans are not of generative AI",
        },
      });
      expect((await runOf(threadId)).spans).toHaveLength(1);
    });

    test("in part in protobuf are answered so in protobuf", async () => {
      const words = "1 spans have no valid id or start";
      const spans = [2, 2, 1].reduce<Buffer>((inside, number) => field(number, inside), Buffer.alloc(0));
      const response = await fetch(`${server().url}/v1/traces`, {
        method: "POST",
        headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": protobuf },
        body: new Uint8Array(spans),
      });
      expect([response.status, response.headers.get("content-type")]).toEqual([200, protobuf]);
      const told = Buffer.concat([Buffer.from([0x08, 1]), field(2, Buffer.from(words))]);
      expect(Buffer.from(await response.arrayBuffer())).toEqual(field(1, told));
    });

    test("in every field are taken for what they say, and never fail the service", async () => {
      const threadId = await newThread(server().inNewWorkspace());
      const odd: unknown[] = [
        null,
        true,
        -1,
        1e308,
        "1e999",
        "",
        [],
        {},
        { toString: 1, valueOf: 1 },
        [[[]]],
        "\u0000\ud800",
      ];
      const names = Object.keys({ ...agentTrace("")[0].attributes, ...agentTrace("")[1]!.attributes });
      for (const value of odd) {
        const kinds = [
          "stringValue",
          "boolValue",
          "intValue",
          "doubleValue",
          "arrayValue",
          "kvlistValue",
          "bytesValue",
          "x",
        ];
        const spans = kinds.map((kind) => ({
          traceId: newTraceId(),
          spanId: newSpanId(),
          parentSpanId: value,
          name: value,
          startTimeUnixNano: "1769860800000000000",
          endTimeUnixNano: value,
          status: value,
          attributes: [
            ...names.map((name) => ({ key: name, value: { [kind]: value } })),
            { key: "__proto__", value: { [kind]: value } },
            { key: "gen_ai.operation.name", value: { stringValue: "chat" } },
            { key: "gen_ai.conversation.id", value: { stringValue: threadId } },
          ],
        }));
        const resource = { attributes: value };
        const answer = await send(
          json({
            resourceSpans: [
              value,
              { resource: value, scopeSpans: value },
              { resource, scopeSpans: [value, { spans: [value, ...spans] }] },
            ],
          }),
        );
        expect(answer.status, `${json(value)}: ${answer.text}`).toBe(200);
        expect(answer.body).toMatchObject({ partialSuccess: { rejectedSpans: 1 } });
      }
      const ids = await runsOf(threadId);
      expect(ids.length).toBeGreaterThan(0);
      for (const id of ids) await read(id);
    });

    test("in their reason to end are told as ended", async () => {
      const threadId = await newThread(server().inNewWorkspace());
      const attributes = chat({
        "gen_ai.conversation.id": threadId,
        "gen_ai.response.finish_reasons": ["constructor"],
      });
      await tell([
        {
          traceId: newTraceId(),
          attributes: { ...attributes, "gen_ai.response.time_to_first_chunk": 1e308 },
        },
      ]);
      expect(await runOf(threadId)).toMatchObject({ status: "completed", first_token_ms: 1_000 });
    });

    test("by their number keep the first of a trace", async () => {
      const threadId = await newThread(server().inNewWorkspace());
      const traceId = newTraceId();
      const attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.usage.input_tokens": 1,
        "gen_ai.conversation.id": threadId,
      };
      const spans = Array.from({ length: 10_000 }, (): SpanMade => ({ traceId, attributes }));
      expect(await tell(spans)).toEqual({
        partialSuccess: { rejectedSpans: 9_500, errorMessage: `Trace ${traceId} has more than 500 spans` },
      });
      expect(await runOf(threadId)).toMatchObject({ input_tokens: 500, total_steps: 500 });
    });
  });
});

/** Lists in lists in an attribute, in the bytes of OTLP's protobuf. */
function deepProtobuf(levels: number): Uint8Array {
  let value: Buffer = Buffer.from([0x10, 1]);
  for (let level = 0; level < levels; level++) value = field(5, field(1, value));
  return [2, 9, 2, 2, 1].reduce<Buffer>((inside, number) => field(number, inside), value);
}

/** A message or a text as a field of protobuf's. */
function field(number: number, inside: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...lengthOf(inside.length)]), inside]);
}

function lengthOf(bytes: number): number[] {
  return bytes < 128 ? [bytes] : [(bytes & 127) | 128, ...lengthOf(bytes >> 7)];
}
