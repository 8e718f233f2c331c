import { expect } from "vitest";
import type { UsageRow } from "#contract/endpoints/usage.ts";
import { sendAndWait } from "../support/clients/conversation.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";

type Talk = { thread_id: string; reply_id: string };

describeServer("usage", { model: true }, (server) => {
  const zone = { time_zone: "Europe/Berlin" };
  const total = (rows: UsageRow[], name: "requests" | "failed_requests" | "input_tokens" | "cost_usd") =>
    rows.reduce((sum, row) => sum + row[name], 0);

  /** Moves the requests of a run to another time. */
  async function sentAt(runId: string, time: string) {
    await rawSql(
      server().place,
      async (run) =>
        await run(`update model_requests set sent_at = ${Date.parse(time)} where run_id = '${runId}'`),
    );
  }

  test("is a person's own, by day, model and assistant", async ({ ada, ben }) => {
    await ada.call("usage.own").then(({ rows }) => expect(rows).toEqual([]));
    const { run_id, thread_id } = await sendAndWait(ada, "One tokens=3");
    const priced = await sendAndWait(ada, "Two tokens=3", { thread_id, model: "fixture-2" } as object);
    await expect.poll(async () => total((await ada.call("usage.own")).rows, "requests")).toBe(3);
    expect((await ben.call("usage.own")).rows).toEqual([]);

    const { rows: models } = await ada.call("usage.own", { query: { group_by: "model" } });
    expect(models.map(({ model }) => model)).toEqual(["env/fixture-1", "env/fixture-2"]);
    const [free, paid] = models;
    // The answer and the title.
    expect(free).toMatchObject({ requests: 2, cost_usd: 0, unpriced_requests: 2, assistant_id: null });
    expect(paid).toMatchObject({ requests: 1, unpriced_requests: 0 });
    expect(paid!.cost_usd).toBeCloseTo((paid!.input_tokens * 3 + paid!.output_tokens * 15) / 1e6, 9);

    // Nobody waits for the title.
    for (const row of models) expect(row).toMatchObject({ failed_requests: 0, answered_requests: 1 });

    const { rows: assistants } = await ada.call("usage.own", { query: { group_by: "assistant" } });
    expect(assistants).toMatchObject([{ assistant_id: "default", assistant_name: "Parlance", requests: 3 }]);

    const { rows: both } = await ada.call("usage.own", { query: { group_by: "both" } });
    expect(both.map(({ model, assistant_id, requests }) => [model, assistant_id, requests])).toEqual([
      ["env/fixture-1", "default", 2],
      ["env/fixture-2", "default", 1],
    ]);

    // One minute before and after midnight in Berlin.
    await sentAt(run_id, "2026-03-28T22:59:00Z");
    await sentAt(priced.run_id, "2026-03-28T23:01:00Z");
    const query = { from: "2026-03-27", to: "2026-03-30", ...zone };
    const report = await ada.call("usage.own", { query });
    expect(report).toMatchObject({ from: "2026-03-27", to: "2026-03-30", time_zone: "Europe/Berlin" });
    expect(report.rows.map(({ day, requests }) => [day, requests])).toEqual([
      ["2026-03-28", 2],
      ["2026-03-29", 1],
    ]);
    const until = { ...query, to: "2026-03-28" };
    expect(total((await ada.call("usage.own", { query: until })).rows, "requests")).toBe(2);
    expect((await ada.call("usage.own", { query: { ...query, time_zone: "UTC" } })).rows).toHaveLength(1);
  });

  test("counts requests that the model failed", async ({ ada }) => {
    await sendAndWait(ada, "Broken status=400 says=No");
    await expect.poll(async () => total((await ada.call("usage.own")).rows, "failed_requests")).toBe(1);
    expect(total((await ada.call("usage.own")).rows, "requests")).toBeGreaterThan(0);
  });

  test("still counts after the thread is deleted", async ({ ada }) => {
    const { thread_id } = await sendAndWait(ada, "Gone soon tokens=1");
    await expect.poll(async () => total((await ada.call("usage.own")).rows, "requests")).toBe(2);
    await ada.call("threads.remove", { params: { thread_id } });
    await ada.call("trash.remove", { params: { thread_id } });
    expect(total((await ada.call("usage.own")).rows, "requests")).toBe(2);
  });

  test("of everyone is for administrators", async ({ owner, dan }) => {
    const { run_id } = await sendAndWait(dan, "Mine tokens=1");
    await sentAt(run_id, "2026-02-01T12:00:00Z");
    const query = { from: "2026-02-01", to: "2026-02-01", ...zone };
    expect(total((await owner.call("usage.everyone", { query })).rows, "requests")).toBe(1);
    expect((await owner.call("usage.own", { query })).rows).toEqual([]);
    await dan.fails("not-allowed", "usage.everyone", { query });
  });

  test("has the ratings of answers by day, also of deleted threads, and only their numbers", async () => {
    const { ada, ben } = server().colleagues();
    const owner = await server().owner();
    const gus = await server().anonymous("gus");
    const rate = async (who: typeof ada, type: "positive" | "negative", talk: Talk) =>
      await who.call("messages.feedback", {
        params: { thread_id: talk.thread_id, message_id: talk.reply_id },
        body: { type, ...(type === "negative" ? { comment: "A secret comment" } : {}) },
      });
    const [first, second, third] = [
      await sendAndWait(ada, "One tokens=1"),
      await sendAndWait(ada, "Two tokens=1"),
      await sendAndWait(gus, "Three tokens=1"),
    ];
    await rate(ada, "positive", first);
    await rate(ada, "negative", first);
    await rate(ada, "positive", second);
    await rate(ben, "positive", second);
    await rate(gus, "negative", third);
    const at = async (talk: Talk, time: string) =>
      await rawSql(
        server().place,
        async (run) =>
          await run(
            `update scores set created_at = ${Date.parse(time)} where message_id = '${talk.reply_id}'`,
          ),
      );
    // One minute before and after midnight in Berlin.
    await at(first, "2026-05-01T21:59:00Z");
    await at(second, "2026-05-01T22:01:00Z");
    await at(third, "2026-05-02T12:00:00Z");
    // A change of mind counts on the day of the first rating.
    await rate(ada, "positive", first);
    await rate(ada, "negative", first);
    await gus.call("threads.remove", { params: { thread_id: third.thread_id } });
    await gus.call("trash.remove", { params: { thread_id: third.thread_id } });

    const query = { from: "2026-04-30", to: "2026-05-03", ...zone };
    const own = async (who: typeof ada) => (await who.call("usage.own", { query })).feedback;
    expect(await own(ada)).toEqual([
      { day: "2026-05-01", positive: 0, negative: 1 },
      { day: "2026-05-02", positive: 1, negative: 0 },
    ]);
    expect(await own(ben)).toEqual([{ day: "2026-05-02", positive: 1, negative: 0 }]);
    expect(await own(gus)).toEqual([{ day: "2026-05-02", positive: 0, negative: 1 }]);
    const everyone = await owner.call("usage.everyone", { query });
    expect(everyone.feedback).toEqual([
      { day: "2026-05-01", positive: 0, negative: 1 },
      { day: "2026-05-02", positive: 2, negative: 1 },
    ]);
    expect(JSON.stringify(everyone)).not.toContain("secret");
    const before = { ...query, to: "2026-05-01" };
    expect((await owner.call("usage.everyone", { query: before })).feedback).toHaveLength(1);
  });

  test("refuses days that do not exist, and more than a year", async ({ ada }) => {
    for (const query of [
      { from: "2026-02-30" },
      { from: "2026-03-02", to: "2026-03-01" },
      { from: "2025-01-01", to: "2026-01-02" },
    ])
      await ada.fails("bad-day-range", "usage.own", { query });
    const year = { from: "2025-01-01", to: "2026-01-01", time_zone: "No/Where" };
    expect((await ada.call("usage.own", { query: year })).rows).toEqual([]);
  });
});
