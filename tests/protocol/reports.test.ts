import { describe, expect } from "vitest";
import type { BodyInputOf } from "#contract/api.ts";
import type { ErrorBody } from "#contract/errors.ts";
import { newId } from "#contract/ids.ts";
import type { JsonObject } from "#contract/json.ts";
import { ownedObjectsOf } from "../endpoints/owned-objects.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer, test } from "../support/servers/server.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { clients, keyCloud } from "./clients.ts";

describeServer("a report of a run by the client", { model: true }, (server) => {
  const report = async (who: Visitor, body: object) =>
    await who.ask("runs.report", { body: body as BodyInputOf<"runs.report"> });

  async function newThread(who: Visitor): Promise<{ thread_id: string; message_id: string }> {
    const { thread_id } = await who.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    const body = { parent_id: null, format: "aui/v0", content: { role: "assistant", content: [] } };
    const { message_id } = await who.call("messages.add", { params: { thread_id }, body });
    return { thread_id, message_id };
  }

  async function reportAndRead(who: Visitor, body: object) {
    const answer = await report(who, body);
    expect(answer.status, answer.text).toBe(201);
    return await who.call("apps.run", { params: { run_id: answer.body.run_id } });
  }

  test.for(clients)("has its steps and tool calls as spans, from %s", async ([, client]) => {
    const cloud = keyCloud(client, server());
    const { thread_id } = await cloud.threads.create({ last_message_at: new Date() });
    const call = { tool_name: "weather", tool_call_id: "call-1", tool_args: "{}", tool_result: '"cold"' };
    const { run_id } = await cloud.runs.report({
      thread_id,
      status: "completed",
      steps: [
        { input_tokens: 10, output_tokens: 2, start_ms: 0, end_ms: 5, tool_calls: [call] },
        { input_tokens: 20, output_tokens: 4, start_ms: 5, end_ms: 9 },
      ],
    });
    const { spans } = await server().inNewWorkspace().call("apps.run", { params: { run_id } });
    expect(spans).toMatchObject([
      { type: "generation", step_type: "initial", input_tokens: 10, output_tokens: 2, end_ms: 5 },
      { type: "tool_call", tool_name: "weather", tool_call_id: "call-1", output: '"cold"' },
      { type: "generation", step_type: "tool-result", input_tokens: 20, output_tokens: 4, end_ms: 9 },
    ]);
  });

  test.for(clients)("is accepted from %s", async ([, client]) => {
    const cloud = keyCloud(client, server());
    const { thread_id } = await cloud.threads.create({ last_message_at: new Date() });
    const answer = await cloud.runs.report({
      thread_id,
      status: "completed",
      model_id: "m",
      total_steps: 1,
      output_text: "Hi",
    });
    expect(answer).toEqual({ run_id: expect.stringMatching(/^run_0[0-9a-z]{24}$/) as string });
  });

  test("gets the list price of its model if no cost is reported", async ({ ada }) => {
    const { thread_id } = await newThread(ada);
    const body = { thread_id, status: "completed", input_tokens: 1_000_000, output_tokens: 1_000_000 };
    // Prices of a model that is no longer sold do not change.
    const priced = { ...body, provider: "openai.chat", model_id: "gpt-3.5-turbo-0613" };
    expect((await reportAndRead(ada, priced)).cost_usd).toBeCloseTo(3.5);
    expect((await reportAndRead(ada, { ...priced, provider: null })).cost_usd).toBeCloseTo(3.5);
    expect((await reportAndRead(ada, { ...priced, cost_usd: 0 })).cost_usd).toBe(0);
    const cached = { ...priced, model_id: "gpt-4o-2024-08-06", cached_input_tokens: 2_000_000 };
    expect((await reportAndRead(ada, cached)).cost_usd).toBeGreaterThan(0);
    for (const unknown of [{ model_id: "ours-1" }, { model_id: null }, { provider: "our-own" }])
      expect((await reportAndRead(ada, { ...priced, ...unknown })).cost_usd, JSON.stringify(unknown)).toBe(
        null,
      );
    const { model_id, provider } = priced;
    expect((await reportAndRead(ada, { thread_id, status: "completed", model_id, provider })).cost_usd).toBe(
      null,
    );
  });

  test("is stored with all its fields", async ({ ada }) => {
    const { thread_id, message_id } = await newThread(ada);
    const run = await reportAndRead(ada, {
      thread_id,
      message_id,
      status: "incomplete",
      outcome_type: "length",
      error: "cut",
      error_code: "E_CUT",
      tags: [" a ", "b", "a", " "],
      environment: "production",
      release: "v1",
      total_steps: 2,
      duration_ms: 1_500,
      first_token_ms: 300,
      input_tokens: 10,
      output_tokens: 20,
      reasoning_tokens: 5,
      cached_input_tokens: 0,
      model_id: "model-1",
      provider: "openai",
      provider_type: "older",
      output_text: "x".repeat(50_000),
      tool_calls: [
        {
          tool_name: "search",
          tool_call_id: "1",
          tool_args: "{}",
          tool_result: "[]",
          tool_source: "mcp",
          start_ms: 1,
          end_ms: 2,
          sampling_calls: [{ model_id: "s", input_tokens: 1 }],
        },
      ],
      steps: [
        {
          input_tokens: 10,
          start_ms: 0,
          end_ms: 5,
          finish_reason: "length",
          tool_calls: [{ tool_name: "search", tool_call_id: "0", tool_args: "{}" }],
        },
        { output_tokens: 20, start_ms: 5, end_ms: 9, finish_reason: "stop", input: "[]" },
      ],
      metadata: { a: 1, b: 1 },
      some_day: { c: [1] },
      b: 2,
      attributes: { d: "NUL \u0000" },
      cost_usd: 0.001234,
      cost_details: { input: 0.001, output: 0.000234, total: 0.001234 },
      root_span_id: "0123456789abcdef",
    });
    const { user_id } = await ada.call("auth.me");
    expect(run).toEqual({
      id: run.id,
      thread_id,
      message_id,
      created_by: user_id,
      status: "incomplete",
      outcome_type: "length",
      error_code: "E_CUT",
      provider: "openai",
      model_id: "model-1",
      environment: "production",
      release: "v1",
      tags: ["a", "b"],
      metadata: run.attributes,
      attributes: { a: 1, b: 2, some_day: { c: [1] }, d: "NUL \u0000" },
      root_span_id: "0123456789abcdef",
      cost_details: { input: 0.001, output: 0.000234, total: 0.001234 },
      input_tokens: 10,
      cached_input_tokens: 0,
      output_tokens: 20,
      reasoning_tokens: 5,
      duration_ms: 1_500,
      first_token_ms: 300,
      cost_usd: 0.001234,
      total_steps: 2,
      service_name: null,
      agent_name: null,
      usage_details: {
        input_tokens: 10,
        cached_input_tokens: 0,
        output_tokens: 20,
        reasoning_tokens: 5,
      },
      spans: run.spans,
      assistant_id: null,
      created_at: run.created_at,
    });
    const [step, called] = run.spans ?? [];
    expect(run.spans).toMatchObject([
      {
        type: "generation",
        step_type: "initial",
        provider: "openai",
        model_id: "model-1",
        parent_span_id: null,
        start_ms: 0,
        end_ms: 5,
        finish_reason: "length",
        input_tokens: 10,
      },
      { type: "tool_call", step_type: null, parent_span_id: step?.span_id, tool_name: "search", input: "{}" },
      { type: "generation", step_type: "tool-result", output_tokens: 20, finish_reason: "stop", input: "[]" },
      {
        tool_call_id: "1",
        tool_source: "mcp",
        parent_span_id: null,
        start_ms: 1,
        end_ms: 2,
        output: "[]",
        attributes: { sampling_calls: [{ model_id: "s", input_tokens: 1 }] },
      },
    ]);
    expect(called).toMatchObject({ start_ms: 0, end_ms: 5 });
    const own = (await ada.call("runs.get", { params: { run_id: run.id } })).run;
    expect(own).toMatchObject({
      thread_id,
      reply_id: message_id,
      state: "completed",
      finish_reason: "length",
      model: "model-1",
      last_seq: 0,
    });
    expect(Date.parse(own.first_token_at!)).toBe(Date.parse(own.ended_at!) - 1_200);
  });

  test.for([
    [{ status: "completed" }, "completed", null],
    [{ status: "error" }, "failed", null],
    [{ status: "incomplete" }, "cancelled", null],
    [{ status: "incomplete", outcome_type: "aborted" }, "cancelled", null],
    [{ status: "incomplete", outcome_type: "disconnected" }, "interrupted", null],
    [{ status: "incomplete", outcome_type: "content_filter" }, "completed", null],
    [{ status: "error", outcome_type: "provider_error", error_code: "nonsense" }, "failed", null],
  ])("of %j is an ended run", async ([body, state, error], { ada }) => {
    const { thread_id } = await newThread(ada);
    const { run_id } = (await report(ada, { thread_id, ...(body as object) })).body;
    const { run } = await ada.call("runs.get", { params: { run_id } });
    expect(run).toMatchObject({ state, error });
    expect((await ada.call("runs.stop", { params: { run_id } })).run).toEqual(run);
    // It has no event log: the text is in its message.
    expect((await (await ada.events(run_id)).rest()).map(({ data }) => data)).toEqual([{ type: "reset" }]);
    expect((await ada.call("threads.get", { params: { thread_id } })).thread.active_run_id).toBeNull();
    expect(await ada.call("apps.run", { params: { run_id } })).toMatchObject(body as object);
  });

  test("with the same trace in the same thread is the same run, for all users and repeats", async () => {
    const { ada, ben } = server().colleagues();
    const { thread_id, message_id } = await newThread(ada);
    const trace_id = "0123456789abcdef0123456789abcdef";
    const body = { thread_id, status: "completed", trace_id, output_tokens: 3, tags: ["one"] };
    const answers = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => await report(index % 2 === 0 ? ada : ben, body)),
    );
    for (const answer of answers) expect(answer.status).toBe(201);
    const ids = new Set(answers.map((answer) => answer.body.run_id));
    expect(ids.size).toBe(1);
    const [run_id] = [...ids] as [string];
    const again = await report(ada, {
      ...body,
      status: "error",
      message_id,
      tags: ["two"],
      output_tokens: 99,
    });
    expect(again.body.run_id).toBe(run_id);
    expect(await ada.call("apps.run", { params: { run_id } })).toMatchObject({
      status: "completed",
      message_id,
      tags: ["two"],
      output_tokens: 3,
    });
    const elsewhere = await newThread(ada);
    expect((await report(ada, { ...body, thread_id: elsewhere.thread_id })).body.run_id).not.toBe(run_id);
    // Only W3C trace ids identify runs.
    for (const loose of ["0123456789ABCDEF0123456789ABCDEF", "x", "0".repeat(31)]) {
      const [one, two] = [
        await report(ada, { ...body, trace_id: loose }),
        await report(ada, { ...body, trace_id: loose }),
      ];
      expect(one.body.run_id).not.toBe(two.body.run_id);
    }
  });

  describe("is refused", () => {
    const wrong: Record<string, object> = {
      "with an unknown status": { status: "done" },
      "without a status": { status: undefined },
      "with an unknown outcome": { outcome_type: "bored" },
      "with half a token": { input_tokens: 0.5 },
      "with a negative number of tokens": { output_tokens: -1 },
      "with too many tokens": { output_tokens: 100_000_001 },
      "with a long message id": { message_id: "x".repeat(49) },
      "with 21 tags": { tags: Array.from({ length: 21 }, (_, index) => `tag ${index}`) },
      "with a long tag": { tags: ["x".repeat(65)] },
      "with long text": { output_text: "x".repeat(50_001) },
      "with a call without a name": { tool_calls: [{ tool_call_id: "1" }] },
      "with a call's long result": { tool_calls: [{ tool_name: "x", tool_result: "x".repeat(50_001) }] },
      "with an unknown tool source": { tool_calls: [{ tool_name: "x", tool_source: "moon" }] },
      "with 1,001 steps": { steps: Array.from({ length: 1_001 }, () => ({})) },
      "with metadata that is a list": { metadata: [] },
      "with a negative price": { cost_usd: -1 },
      "with a long error": { error: "x".repeat(2_049) },
      "with a negative duration": { duration_ms: -1 },
    };
    test.for(Object.entries(wrong))("%s, and the field is named", async ([, more], { ada }) => {
      const { thread_id } = await newThread(ada);
      const answer = await report(ada, { thread_id, status: "completed", ...more });
      expectProblem(answer, "bad-request");
      const [field] = Object.keys(more);
      expect((answer.body as unknown as ErrorBody).details?.[0]?.path).toMatch(
        new RegExp(`^body\\.${field}`),
      );
      expect((await ada.call("apps.runs", { query: { thread_id } })).runs).toEqual([]);
    });

    test("for a thread or a message that does not exist", async ({ ada }) => {
      const { thread_id } = await newThread(ada);
      const theirs = await newThread(server().inNewWorkspace());
      const other = await newThread(ada);
      for (const id of [theirs.thread_id, newId("thread"), "x"]) {
        expectProblem(await report(ada, { thread_id: id, status: "completed" }), "thread-not-found");
      }
      for (const message_id of [theirs.message_id, other.message_id, newId("message"), "local-id"]) {
        const answer = await report(ada, { thread_id, message_id, status: "completed" });
        expectProblem(answer, "message-not-in-thread");
        expect(answer.text).toContain('"error":"message_id must belong to thread_id"');
      }
    });

    test("with attributes beyond 16 KiB, counted in bytes", async ({ ada }) => {
      const { thread_id } = await newThread(ada);
      const body = (attributes: object, metadata: object) => ({
        thread_id,
        status: "completed",
        attributes,
        metadata,
      });
      for (const [attributes, metadata] of [
        [{ a: "x".repeat(16_400) }, {}],
        [{ a: "x".repeat(9_000) }, { b: "x".repeat(9_000) }],
        [{ a: "日".repeat(6_000) }, {}],
      ] as const) {
        const answer = await report(ada, body(attributes, metadata));
        expectProblem(answer, "attributes-too-large");
        expect(answer.text).toContain("attributes must not exceed 16384 bytes");
      }
      expect((await report(ada, body({ a: "x".repeat(16_000) }, { a: "y".repeat(16_000) }))).status).toBe(
        201,
      );
    });
  });

  test("is refused when its texts are larger than an answer may be", async ({ ada }) => {
    const { thread_id } = await newThread(ada);
    const tool_calls = Array.from({ length: 100 }, () => ({ tool_name: "t", tool_args: "x".repeat(45_000) }));
    expectProblem(await report(ada, { thread_id, status: "completed", tool_calls }), "too-large");
    tool_calls.splice(50);
    expect((await report(ada, { thread_id, status: "completed", tool_calls })).status).toBe(201);
  });

  test("of a newer client is stored with its unknown fields, except too large ones", async ({ ada }) => {
    const { thread_id } = await newThread(ada);
    const body = JSON.parse(
      `{"__proto__":{"polluted":true},"constructor":1,"":2,"thread_id":"${thread_id}","status":"completed","input_tokens":null,"spans":[{"a":1}]}`,
    ) as JsonObject;
    const answer = await ada.send("POST", "/v1/runs", {
      body: JSON.stringify({ ...body, large: "x".repeat(100_000) }),
    });
    expect(answer.status, answer.text).toBe(201);
    const { run_id } = answer.body as { run_id: string };
    const run = await ada.send("GET", `/v1/projects/runs/${run_id}`);
    expect(run.text).toContain(
      '"attributes":{"__proto__":{"polluted":true},"constructor":1,"":2,"spans":[{"a":1}]}',
    );
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(run.body).toMatchObject({ input_tokens: null, status: "completed" });
  });

  test("of extreme times and prices is stored", async ({ ada }) => {
    const { thread_id } = await newThread(ada);
    const huge = Number.MAX_SAFE_INTEGER;
    const run = await reportAndRead(ada, {
      thread_id,
      status: "completed",
      duration_ms: huge,
      first_token_ms: huge,
      total_steps: huge,
      cost_usd: 1e300,
    });
    expect(run).toMatchObject({
      duration_ms: huge,
      first_token_ms: huge,
      total_steps: huge,
      cost_usd: 1e300,
    });
    expect((await ada.ask("runs.get", { params: { run_id: run.id } })).status).toBe(200);
    expect((await ada.ask("apps.usage")).status).toBe(200);
  });

  test("does not affect our own answer in the same thread", async ({ ada }) => {
    const mine = await ownedObjectsOf(ada);
    await report(ada, { thread_id: mine.thread_id, message_id: mine.reply_id, status: "error" });
    const branch = await ada.call("messages.branch", { params: { thread_id: mine.thread_id } });
    expect(branch.messages.at(-1)).toMatchObject({
      id: mine.reply_id,
      run_id: mine.run_id,
      status: { type: "complete" },
    });
    expect(
      (
        await ada.ask("runs.start", {
          params: { thread_id: mine.thread_id },
          body: { parent_id: mine.message_id },
        })
      ).status,
    ).toBe(201);
  });
});
