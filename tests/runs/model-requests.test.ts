import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { RecordedRequest } from "#fixtures/model-server/model-server.ts";
import { readWholeLog, sendAndWait, startRun, waitForFirstWord } from "../support/clients/conversation.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { describeServer, test } from "../support/servers/server.ts";

describeServer("the requests of an answer", { model: true }, (server) => {
  async function requestsOf(runId: string, purpose = "answer") {
    return await rawSql(
      server().place,
      async (run) =>
        await run(
          `select * from model_requests where run_id = '${runId}' and purpose = '${purpose}' order by step, attempt`,
        ),
    );
  }

  const sizeAndHash = ({ rawBody }: RecordedRequest) => ({
    body_bytes: rawBody.length,
    body_sha256: createHash("sha256").update(rawBody).digest("hex"),
  });

  const priced = { model: "env/fixture-2" };

  test("are stored with the size and the hash of the bytes that the provider received", async ({ ada }) => {
    const { run_id, thread_id, reply_id } = await sendAndWait(ada, 'Äpfel 🍏 tool=calculate("1+1") tokens=3');
    const received = await server().requestsWith("Äpfel 🍏");
    const stored = await requestsOf(run_id);
    expect(stored).toMatchObject([
      { step: 1, attempt: 1, ...sizeAndHash(received[0]!) },
      { step: 2, attempt: 1, ...sizeAndHash(received[1]!) },
    ]);
    for (const request of stored)
      expect(request).toMatchObject({
        thread_id,
        message_id: reply_id,
        model: "env/fixture-1",
        host: `127.0.0.1:${server().model.port}`,
        is_local: 1,
        outcome: "completed",
        error_code: null,
        input_tokens: expect.any(Number) as number,
        output_tokens: expect.any(Number) as number,
        // The list has no price for this model.
        cost_micros: null,
      });
    expect(Number(stored[1]!.first_token_at)).toBeGreaterThanOrEqual(Number(stored[1]!.sent_at));
    expect(Number(stored[1]!.ended_at)).toBeGreaterThanOrEqual(Number(stored[1]!.first_token_at));
    // The title is requested after the answer.
    await server().titleRequestsWith("Äpfel 🍏");
    await expect
      .poll(async () => await requestsOf(run_id, "title"))
      .toMatchObject([{ thread_id, message_id: reply_id, outcome: "completed" }]);
  });

  test("cost what the list of models says, also for app reads", async ({ ada }) => {
    const { run_id } = await startRun(ada, 'Price it. tool=calculate("1+1") tokens=3', priced as object);
    await readWholeLog(ada, run_id);
    const stored = await requestsOf(run_id);
    expect(stored).toHaveLength(2);
    const costs = stored.map(({ input_tokens: input, output_tokens: output, cost_micros: cost }) => {
      expect(cost).toBe(Number(input) * 3 + Number(output) * 15);
      return Number(cost);
    });
    const { cost_usd } = await ada.call("apps.run", { params: { run_id } });
    expect(cost_usd).toBeCloseTo((costs[0]! + costs[1]!) / 1e6, 9);
  });

  test("are separate for a retry", async ({ ada }) => {
    const { run_id } = await sendAndWait(ada, "Once more status=503 times=1 tokens=2");
    expect(await requestsOf(run_id)).toMatchObject([
      { step: 1, attempt: 1, outcome: "failed", error_code: "provider-overloaded", input_tokens: null },
      { step: 1, attempt: 2, outcome: "completed", error_code: null },
    ]);
  });

  test("are cancelled by a stop, and are stored before the answer ends", async ({ ada }) => {
    const { run_id } = await startRun(ada, "Without end\nendless gap=5");
    const { stream } = await waitForFirstWord(ada, run_id);
    expect(await requestsOf(run_id)).toMatchObject([{ ended_at: null, outcome: null }]);
    await ada.call("runs.stop", { params: { run_id } });
    stream.close();
    expect(await requestsOf(run_id)).toMatchObject([
      { outcome: "cancelled", first_token_at: expect.any(Number) as number },
    ]);
  });

  test("are none if the host cannot be reached", async ({ owner }) => {
    const { provider } = await owner.call("providers.create", {
      body: {
        kind: "openai-compatible",
        name: "Away",
        base_url: "http://127.0.0.1:9/v1",
        models: [{ id: "gone", name: "" }],
      },
    });
    const { run_id } = await startRun(owner, "Anybody?", { model: `${provider.id}/gone` } as object);
    await readWholeLog(owner, run_id);
    expect(await requestsOf(run_id)).toEqual([]);
  });

  test("of a protocol client's run are stored and have a cost", async ({ ada }) => {
    const { thread_id } = await ada.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    const body = {
      thread_id,
      assistant_id: "default",
      model: "fixture-2",
      messages: [{ role: "user", content: [{ type: "text", text: "Stream it. tokens=3" }] }],
    };
    const answer = await ada.ask("runs.stream", { body });
    expect(answer.status).toBe(200);
    const { runs } = await ada.call("apps.runs", { query: { thread_id } });
    expect(runs[0]?.cost_usd).toBeGreaterThan(0);
    expect(await requestsOf(runs[0]!.id)).toMatchObject([
      { thread_id, outcome: "completed", ...sizeAndHash((await server().requestsWith("Stream it."))[0]!) },
    ]);
  });

  test("lose their person and their hashes when these are erased, and still count", async ({ dan }) => {
    const { run_id } = await sendAndWait(dan, "Mine tokens=1");
    const [before] = await requestsOf(run_id);
    expect(before?.body_sha256).toMatch(/^[0-9a-f]{64}$/);
    await dan.call("erasure.everything");
    const [after] = await requestsOf(run_id);
    expect(after).toMatchObject({ thread_id: null, body_sha256: null, input_tokens: before!.input_tokens });
    expect(after?.user_id).not.toBe(before?.user_id);
  });
});
