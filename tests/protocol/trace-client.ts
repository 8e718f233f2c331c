import { expect } from "vitest";
import { apiKey } from "#fixtures/people.ts";
import type { TestServer } from "../support/servers/server.ts";
import { exportOf, newSpanId, type TestSpan } from "../support/data/traces.ts";
import { bearer, visitor, type Visitor } from "../support/clients/visitor.ts";

export type Send = { type?: string; encoding?: string; who?: Visitor };

export const chat = (more: Record<string, string | number | string[]> = {}) => ({
  "gen_ai.operation.name": "chat",
  "gen_ai.request.model": "model-1",
  "gen_ai.usage.input_tokens": 10,
  "gen_ai.usage.output_tokens": 4,
  ...more,
});

/** An agent that called a model, a tool, and the model again. */
export function agentTrace(traceId: string, threadId?: string): [root: TestSpan, ...below: TestSpan[]] {
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

export async function newThread(who: Visitor): Promise<string> {
  return (await who.call("threads.create", { body: { last_message_at: new Date().toISOString() } }))
    .thread_id;
}

/** Sends traces to the server with an API key, and reads their runs. */
export function traceClient(server: () => TestServer) {
  const key = (): Visitor => visitor(server().url, "telemetry", bearer(apiKey));

  async function send(
    body: string | Uint8Array,
    { type = "application/json", encoding, who = key() }: Send = {},
  ) {
    return await who.send("POST", "/v1/traces", {
      body: typeof body === "string" ? body : new Uint8Array(body),
      headers: { "Content-Type": type, ...(encoding === undefined ? {} : { "Content-Encoding": encoding }) },
    });
  }

  async function sendSpans(spans: readonly TestSpan[], resource = {}, who = key()): Promise<unknown> {
    const answer = await send(JSON.stringify(exportOf(spans, resource)), { who });
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  }

  const runsOf = async (thread_id: string) =>
    (await key().call("apps.runs", { query: { thread_id } })).runs.map(({ id }) => id);

  const read = async (run_id: string) => await key().call("apps.run", { params: { run_id } });

  /** The one run of a thread. */
  async function runOf(threadId: string) {
    const [id, ...others] = await runsOf(threadId);
    expect(others).toEqual([]);
    return await read(id!);
  }

  return { key, send, sendSpans, runsOf, read, runOf };
}
