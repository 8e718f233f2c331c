import { deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { limits } from "#contract/limits.ts";
import { apiKey } from "#fixtures/people.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer } from "../support/servers/server.ts";
import { exportOf, newSpanId, newTraceId, type TestSpan } from "../support/data/traces.ts";
import { agentTrace, chat, newThread, type Send, traceClient } from "./trace-client.ts";

describeServer("invalid traces", { model: true }, (server) => {
  const { send, sendSpans, runsOf, read, runOf } = traceClient(server);

  const json = (value: unknown) => JSON.stringify(value);
  const protobuf = "application/x-protobuf";

  test.for<[string, string | Uint8Array, Send, Parameters<typeof expectProblem>[1]]>([
    ["of an unsupported type", "{}", { type: "text/plain" }, "unsupported-type"],
    ["of an unsupported encoding", "{}", { encoding: "br" }, "unsupported-encoding"],
    ["compressed twice", gzipSync(gzipSync("{}")), { encoding: "gzip, gzip" }, "unsupported-encoding"],
    ["invalid JSON", "{", {}, "bad-json"],
    ["an array", "[]", {}, "bad-request"],
    ["too deeply nested", `{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}`, {}, "bad-request"],
    ["not compressed as declared", "{}", { encoding: "gzip" }, "bad-export"],
    ["cut off", gzipSync(json({ a: "b".repeat(500) })).subarray(0, 30), { encoding: "gzip" }, "bad-export"],
    ["invalid protobuf", "\u0007\u0007\u0007", { type: protobuf }, "bad-export"],
    ["deeply nested protobuf", deepProtobuf(2_000), { type: protobuf }, "bad-export"],
    ["too large", " ".repeat(limits.traceBytes + 1), {}, "too-large"],
    ["a gzip bomb", gzipSync(Buffer.alloc(200 * 1024 * 1024)), { encoding: "gzip" }, "too-large"],
    [
      "a deflate bomb",
      deflateSync(Buffer.alloc(limits.traceBytes + 1)),
      { encoding: "deflate", type: protobuf },
      "too-large",
    ],
  ])("are refused: %s", async ([, body, how, code]) => {
    expectProblem(await send(body, how), code);
  });

  test("are refused as a whole: nothing is stored", async () => {
    const threadId = await newThread(server().inNewWorkspace());
    const whole = gzipSync(json(exportOf(agentTrace(newTraceId(), threadId))));
    expectProblem(await send(whole.subarray(0, -9), { encoding: "gzip" }), "bad-export");
    expect(await runsOf(threadId)).toEqual([]);
    expect((await send(whole, { encoding: "gzip" })).body).toEqual({});
    expect((await runOf(threadId)).spans).toHaveLength(3);
  });

  test("are accepted up to the size limit, compressed or not, and empty", async () => {
    const full = json({ resourceSpans: [], more: "" });
    const padded = full.replace('""', `"${"x".repeat(limits.traceBytes - full.length)}"`);
    expect((await send(padded)).status).toBe(200);
    expect((await send(deflateSync(padded), { encoding: "deflate" })).body).toEqual({});
    const empty = await send("", { type: protobuf });
    expect([empty.status, empty.text]).toEqual([200, ""]);
    expect(empty.headers.get("content-type")).toBe(protobuf);
  });

  test("in part are stored in part, and the response says what was rejected", async () => {
    const threadId = await newThread(server().inNewWorkspace());
    const traceId = newTraceId();
    const good: TestSpan = { traceId, attributes: chat({ "gen_ai.conversation.id": threadId }) };
    const answer = await sendSpans([
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

  test("in part have a protobuf response if they are protobuf", async () => {
    const message = "1 spans have no valid id or start";
    const spans = [2, 2, 1].reduce<Buffer>((inside, number) => field(number, inside), Buffer.alloc(0));
    const response = await fetch(`${server().url}/v1/traces`, {
      method: "POST",
      headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": protobuf },
      body: new Uint8Array(spans),
    });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, protobuf]);
    const partialSuccess = Buffer.concat([Buffer.from([0x08, 1]), field(2, Buffer.from(message))]);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(field(1, partialSuccess));
  });

  test("in any field do not cause a server error", async () => {
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

  test("in their finish reason are completed", async () => {
    const threadId = await newThread(server().inNewWorkspace());
    const attributes = chat({
      "gen_ai.conversation.id": threadId,
      "gen_ai.response.finish_reasons": ["constructor"],
    });
    await sendSpans([
      {
        traceId: newTraceId(),
        attributes: { ...attributes, "gen_ai.response.time_to_first_chunk": 1e308 },
      },
    ]);
    expect(await runOf(threadId)).toMatchObject({ status: "completed", first_token_ms: 1_000 });
  });

  test("in number are stored up to the limit of a trace", async () => {
    const threadId = await newThread(server().inNewWorkspace());
    const traceId = newTraceId();
    const attributes = {
      "gen_ai.operation.name": "chat",
      "gen_ai.usage.input_tokens": 1,
      "gen_ai.conversation.id": threadId,
    };
    const spans = Array.from({ length: 10_000 }, (): TestSpan => ({ traceId, attributes }));
    expect(await sendSpans(spans)).toEqual({
      partialSuccess: { rejectedSpans: 9_500, errorMessage: `Trace ${traceId} has more than 500 spans` },
    });
    expect(await runOf(threadId)).toMatchObject({ input_tokens: 500, total_steps: 500 });
  });
});

/** An OTLP protobuf export with an attribute of nested arrays. */
function deepProtobuf(levels: number): Uint8Array {
  let value: Buffer = Buffer.from([0x10, 1]);
  for (let level = 0; level < levels; level++) value = field(5, field(1, value));
  return [2, 9, 2, 2, 1].reduce<Buffer>((inside, number) => field(number, inside), value);
}

/** A length-delimited protobuf field. */
function field(number: number, inside: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...lengthOf(inside.length)]), inside]);
}

function lengthOf(bytes: number): number[] {
  return bytes < 128 ? [bytes] : [(bytes & 127) | 128, ...lengthOf(bytes >> 7)];
}
