import { context, trace, TraceFlags, type Attributes } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BasicTracerProvider, type SpanExporter } from "@opentelemetry/sdk-trace-base";
import {
  assistantCloudTraceExportOptions,
  createAssistantCloudSpanProcessor,
  createAssistantCloudTraceExporter,
} from "assistant-cloud/telemetry";
import { describe, expect } from "vitest";
import { newId } from "#contract/ids.ts";
import { apiKey } from "#fixtures/people.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { newSpanId, newTraceId, type TestSpan } from "../support/data/traces.ts";
import { type Visitor } from "../support/clients/visitor.ts";
import { agentTrace, chat, newThread, traceClient } from "./trace-client.ts";

describeServer("traces from an application's telemetry", { model: true }, (server) => {
  const { key, sendSpans, runsOf, read, runOf } = traceClient(server);

  async function report(who: Visitor, body: object): Promise<string> {
    return (await who.call("runs.report", { body: { status: "completed", ...body } })).run_id;
  }

  const exporters: Record<string, () => SpanExporter> = {
    JSON: () => createAssistantCloudTraceExporter({ apiKey, baseUrl: `${server().url}/` }),
    protobuf: () =>
      new OTLPTraceExporter(assistantCloudTraceExportOptions({ apiKey, baseUrl: server().url })),
    "gzipped protobuf": () =>
      new OTLPTraceExporter({
        ...assistantCloudTraceExportOptions({ apiKey, baseUrl: server().url }),
        compression: "gzip" as never,
      }),
  };

  test.for(Object.entries(exporters))(
    "become one run each, from the client's own exporter: %s",
    async ([, make], { ada }) => {
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
        spans: [{ type: "generation" }, { type: "tool_call", tool_name: "weather", tool_call_id: "call-1" }],
      });
    },
  );

  test("have the model, tokens, times, steps and tools, in any order of arrival", async () => {
    for (const order of [(spans: TestSpan[]) => spans, (spans: TestSpan[]) => spans.toReversed()]) {
      const ada = server().inNewWorkspace();
      const threadId = await newThread(ada);
      const spans = agentTrace(newTraceId(), threadId);
      const resource = {
        "service.name": "shop",
        "service.version": "7",
        "deployment.environment.name": "live",
      };
      for (const span of order(spans)) expect(await sendSpans([span], resource)).toEqual({});
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
      expect(run.created_by).toBe("telemetry-user");
      expect(run.cost_usd).toBe(null);
      expect(run.spans).toMatchObject([
        { type: "generation", step_type: "initial", start_ms: 0, parent_span_id: spans[0].spanId },
        {
          type: "tool_call",
          step_type: null,
          tool_name: "weather",
          start_ms: 1_000,
          end_ms: 1_500,
          input: '{"city":"Oslo"}',
          output: '"cold"',
        },
        { type: "generation", step_type: "tool-result", input_tokens: 20, finish_reason: "stop" },
      ]);
      // A repeated export changes nothing.
      await sendSpans(spans, resource);
      expect(await runOf(threadId)).toEqual(run);
    }
  });

  test("have the cost of the list price, if the model has one", async () => {
    for (const [model, cost] of [
      ["gpt-4o", 3.5],
      ["model-1", null],
    ] as const) {
      const threadId = await newThread(server().inNewWorkspace());
      const attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": model,
        "gen_ai.usage.input_tokens": 1_000_000,
        "gen_ai.usage.output_tokens": 100_000,
        "gen_ai.conversation.id": threadId,
      };
      await sendSpans([{ traceId: newTraceId(), spanId: newSpanId(), endMs: 1_000, attributes }]);
      expect((await runOf(threadId)).cost_usd).toBe(cost);
    }
  });

  test("and a report of the same trace are one run in either order", async () => {
    const runs = [];
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
      // Like those of most backends, the spans do not name the thread.
      await sendSpans(agentTrace(traceId));
      if (first === "spans") await reported();
      const run = await runOf(threadId);
      expect(await reported()).toBe(run.id);
      const { id: _, thread_id: __, created_at: ___, root_span_id: ____, spans, ...same } = run;
      expect(spans).toHaveLength(3);
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
      runs.push(same);
    }
    expect(runs[0]).toEqual(runs[1]);
  });

  test("and a report that arrive concurrently are one run", async ({ ada }) => {
    for (let round = 0; round < 10; round++) {
      const threadId = await newThread(ada);
      const traceId = newTraceId();
      const spans = agentTrace(traceId, round % 2 === 0 ? threadId : undefined);
      const [runId] = await Promise.all([
        report(ada, { thread_id: threadId, trace_id: traceId }),
        ...spans.map(async (span) => await sendSpans([span])),
      ]);
      expect(await runsOf(threadId)).toEqual([runId]);
      expect(await read(runId)).toMatchObject({ input_tokens: 30, total_steps: 2 });
    }
  });

  test("belong to a thread as soon as one of their spans names it", async () => {
    const threadId = await newThread(server().inNewWorkspace());
    const [root, ...below] = agentTrace(newTraceId(), threadId);
    await sendSpans(below);
    expect(await runsOf(threadId)).toEqual([]);
    await sendSpans([root]);
    expect((await runOf(threadId)).spans).toHaveLength(3);
  });

  test("without a thread are runs of the app and of the user that they name", async () => {
    await sendSpans(agentTrace(newTraceId()));
    const { runs } = await key().call("apps.runs", { query: { created_by: "telemetry-user" } });
    expect(runs[0]).toMatchObject({ thread_id: null, model_id: "model-1-of-june" });
  });

  test("have the error of their root span", async () => {
    const threadId = await newThread(server().inNewWorkspace());
    const [root, model] = agentTrace(newTraceId(), threadId);
    await sendSpans([{ ...model!, failed: true }]);
    await sendSpans([{ ...root, failed: true, attributes: { ...root.attributes, "error.type": "timeout" } }]);
    expect(await runOf(threadId)).toMatchObject({
      status: "error",
      outcome_type: "provider_error",
      error_code: "timeout",
    });
  });

  test("with nested model spans count each token once", async () => {
    const threadId = await newThread(server().inNewWorkspace());
    const traceId = newTraceId();
    const [outer, inner, tool] = [newSpanId(), newSpanId(), newSpanId()];
    await sendSpans([
      { traceId, spanId: outer, attributes: chat({ "gen_ai.conversation.id": threadId }) },
      { traceId, spanId: inner, parentSpanId: outer, attributes: chat() },
      { traceId, spanId: tool, attributes: { "gen_ai.operation.name": "execute_tool" } },
      { traceId, parentSpanId: tool, attributes: chat() },
    ]);
    expect(await runOf(threadId)).toMatchObject({ input_tokens: 20, total_steps: 1 });
  });

  describe("and access:", () => {
    test("are not added to deleted or unknown threads, and create none", async ({ ada }) => {
      const deleted = await newThread(ada);
      await ada.call("threads.remove", { params: { thread_id: deleted } });
      for (const threadId of [deleted, newId("thread"), "x".repeat(5_000), "\u0000"]) {
        expect(
          await sendSpans([
            { traceId: newTraceId(), attributes: chat({ "gen_ai.conversation.id": threadId }) },
          ]),
        ).toEqual({});
        if (threadId.length < 48 && threadId.length > 1) expect(await runsOf(threadId)).toEqual([]);
      }
    });

    test("are not merged with a report of another workspace", async () => {
      const [ada, eve] = [server().inNewWorkspace(), server().inNewWorkspace()];
      const traceId = newTraceId();
      const spans = agentTrace(traceId);
      await sendSpans(spans, {}, ada);
      const eves = await newThread(eve);
      const own = await report(eve, { thread_id: eves, trace_id: traceId });
      expect(await read(own)).toMatchObject({ model_id: null, spans: [] });
      const adas = await newThread(ada);
      const mine = await report(ada, { thread_id: adas, trace_id: traceId });
      expect(mine).not.toBe(own);
      expect(await read(mine)).toMatchObject({ model_id: "model-1-of-june" });
      // Later spans of the first workspace are added to its own run.
      await sendSpans(spans, {}, ada);
      expect(await read(own)).toMatchObject({ model_id: null, spans: [] });
    });

    test("lose their text when the person is erased", async () => {
      const userId = `erased ${newId("thread")}`;
      const [root, ...below] = agentTrace(newTraceId());
      await sendSpans([{ ...root, attributes: { ...root.attributes, "user.id": userId } }, ...below]);
      const { runs } = await key().call("apps.runs", { query: { created_by: userId } });
      await key().call("apps.eraseUser", { params: { user_id: userId } });
      const run = await read(runs[0]!.id);
      expect(run).toMatchObject({ created_by: "usr_deleted", attributes: {}, input_tokens: 30 });
      expect(run.spans).toHaveLength(3);
      expect(JSON.stringify(run)).not.toMatch(/Oslo|cold|telemetry-user|c-1|erased/);
    });
  });
});
