import { describe, expect, onTestFinished } from "vitest";
import { openDatabase } from "#storage/database/open.ts";
import { engines } from "../support/postgres/postgres.ts";
import { describeServer, test, type TestServer } from "../support/servers/server.ts";
import { eventsOf, startRun, waitForFirstWord } from "../support/clients/conversation.ts";
import { adaOn, placeForTest, serverForTest } from "../support/test-scope.ts";

const hourMs = 3_600_000;

describeServer("an answer in progress", { model: true }, (server) => {
  test.for([
    ["back", -hourMs],
    ["forward", hourMs],
  ] as const)("continues while the system clock is set %s by an hour", async ([_, byMs], { ada }) => {
    const talk = await startRun(ada, "tokens=30 gap=10");
    const { stream, seen } = await waitForFirstWord(ada, talk.run_id);
    server().clock.moveWall(byMs);
    const events = eventsOf([...seen, ...(await stream.rest())]);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "completed" });
    server().clock.moveWall(-byMs);
  });

  test("is not ended by its own process when the process renews its lease too late", async ({ ada }) => {
    const talk = await startRun(ada, "tokens=30 gap=10");
    const { stream, seen } = await waitForFirstWord(ada, talk.run_id);
    for (let n = 0; n < 10; n++) server().clock.advance(16_000);
    const events = eventsOf([...seen, ...(await stream.rest())]);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "completed" });
  });
});

describe.runIf(engines.includes("postgres"))("two servers of one database", () => {
  async function twoServers(): Promise<[TestServer, TestServer]> {
    const place = await placeForTest("postgres");
    const one = await serverForTest({ engine: "postgres", place, model: true });
    return [one, await serverForTest({ engine: "postgres", place })];
  }

  test("continue each other's answers although their clocks differ by an hour", async () => {
    const [one, two] = await twoServers();
    two.clock.moveWall(hourMs);
    const talk = await startRun(adaOn(one), "tokens=60 gap=10");
    const { stream, seen } = await waitForFirstWord(adaOn(two), talk.run_id);
    // The second server sweeps several times while the first one renews its lease.
    for (let n = 0; n < 4; n++) {
      two.clock.advance(5_001);
      await adaOn(two).call("runs.get", { params: { run_id: talk.run_id } });
      one.clock.advance(5_001);
      await adaOn(one).call("runs.get", { params: { run_id: talk.run_id } });
    }
    const events = eventsOf([...seen, ...(await stream.rest())]);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "completed" });
  });

  test("leave a stopped answer to the process that executes it until its lease is no longer renewed, although their clocks differ by an hour", async () => {
    const [one, two] = await twoServers();
    two.clock.moveWall(hourMs);
    const talk = await startRun(adaOn(one), "Long\nendless gap=5");
    const { stream } = await waitForFirstWord(adaOn(two), talk.run_id);
    const db = await openDatabase(one.place);
    onTestFinished(db.close);
    // From now on a third process has the run, which renews its lease and does not react.
    const renew = async (): Promise<unknown> =>
      await db.write(
        async (tx) =>
          await tx.q
            .updateTable("runs")
            .set({ lease_owner: "a third", lease_expires_at: Date.now() + 15_000 })
            .where("id", "=", talk.run_id)
            .execute(),
      );
    await renew();
    const params = { run_id: talk.run_id };
    expect((await adaOn(two).call("runs.stop", { params })).run.state).toBe("running");
    for (let n = 0; n < 4; n++) {
      await renew();
      two.clock.advance(5_001);
      expect((await adaOn(two).call("runs.get", { params })).run.state).toBe("running");
    }
    let hasEnded = false;
    const rest = stream.rest().finally(() => (hasEnded = true));
    while (!hasEnded) {
      two.clock.advance(5_001);
      await adaOn(two).call("runs.get", { params });
    }
    expect((await rest).at(-1)?.data).toMatchObject({ type: "run-end", state: "cancelled" });
  });

  test("stop a run whose stop notification was lost", async () => {
    const [one] = await twoServers();
    const talk = await startRun(adaOn(one), "Long\nendless gap=5");
    const { stream } = await waitForFirstWord(adaOn(one), talk.run_id);
    const db = await openDatabase(one.place);
    await db.write(
      async (tx) =>
        await tx.q.updateTable("runs").set({ stop_requested_at: 1 }).where("id", "=", talk.run_id).execute(),
    );
    await db.close();
    one.clock.advance(5_001);
    expect((await stream.rest()).at(-1)?.data).toMatchObject({ type: "run-end", state: "cancelled" });
  });
});
