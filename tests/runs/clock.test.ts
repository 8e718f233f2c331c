import { afterEach, describe, expect, test } from "vitest";
import { apiKey, people } from "#fixtures/people.ts";
import { openDatabase } from "#storage/database/open.ts";
import { engines } from "../support/postgres.ts";
import { describeServer, newPlace, startTestServer, type TestServer } from "../support/server.ts";
import { eventsOf, say, untilSpoken } from "../support/talk.ts";
import { keyHeaders, visitor, type Visitor } from "../support/visitor.ts";

const hourMs = 3_600_000;

describeServer("an answer under way", { model: true }, (server) => {
  test.for([
    ["back", -hourMs],
    ["forwards", hourMs],
  ] as const)("goes on while the wall's clock is moved %s by an hour", async ([_, byMs]) => {
    const ada = server().inNewWorkspace();
    const talk = await say(ada, "tokens=30 gap=10");
    const { stream, seen } = await untilSpoken(ada, talk.run_id);
    server().clock.moveWall(byMs);
    const events = eventsOf([...seen, ...(await stream.rest())]);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "completed" });
    server().clock.moveWall(-byMs);
  });

  test("is not taken for abandoned by its own process, however late that is with its lease", async () => {
    const ada = server().inNewWorkspace();
    const talk = await say(ada, "tokens=30 gap=10");
    const { stream, seen } = await untilSpoken(ada, talk.run_id);
    for (let n = 0; n < 10; n++) server().clock.advance(16_000);
    const events = eventsOf([...seen, ...(await stream.rest())]);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "completed" });
  });
});

describe.runIf(engines.includes("postgres"))("two servers of one database", () => {
  const undo: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (let last = undo.pop(); last !== undefined; last = undo.pop()) await last();
  });

  async function twoServers(): Promise<[TestServer, TestServer]> {
    const place = await newPlace("postgres");
    undo.push(place.remove);
    const one = await startTestServer({ engine: "postgres", place, model: true });
    undo.push(one.close);
    const two = await startTestServer({ engine: "postgres", place });
    undo.push(two.close);
    return [one, two];
  }

  const ada = ({ url }: { url: string }): Visitor => visitor(url, "ada", keyHeaders(apiKey, people.ada));

  test("let each other's answers go on though their clocks are an hour apart", async () => {
    const [one, two] = await twoServers();
    two.clock.moveWall(hourMs);
    const talk = await say(ada(one), "tokens=60 gap=10");
    const { stream, seen } = await untilSpoken(ada(two), talk.run_id);
    // It looks for what was abandoned, some times, while the other one keeps its lease.
    for (let n = 0; n < 4; n++) {
      two.clock.advance(5_001);
      await ada(two).call("runs.get", { params: { run_id: talk.run_id } });
      one.clock.advance(5_001);
      await ada(one).call("runs.get", { params: { run_id: talk.run_id } });
    }
    const events = eventsOf([...seen, ...(await stream.rest())]);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "completed" });
  });

  test("leave an answer that is stopped to whoever carries it, though their clocks are an hour apart, until its lease stands still", async () => {
    const [one, two] = await twoServers();
    two.clock.moveWall(hourMs);
    const talk = await say(ada(one), "Long\nendless gap=5");
    const { stream } = await untilSpoken(ada(two), talk.run_id);
    const db = await openDatabase(one.place);
    undo.push(db.close);
    // From here on a third one carries it, which is slow to hear of anything and keeps its lease.
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
    expect((await ada(two).call("runs.stop", { params })).run.state).toBe("running");
    for (let n = 0; n < 4; n++) {
      await renew();
      two.clock.advance(5_001);
      expect((await ada(two).call("runs.get", { params })).run.state).toBe("running");
    }
    let isOver = false;
    const rest = stream.rest().finally(() => (isOver = true));
    while (!isOver) {
      two.clock.advance(5_001);
      await ada(two).call("runs.get", { params });
    }
    expect((await rest).at(-1)?.data).toMatchObject({ type: "run-end", state: "cancelled" });
  });

  test("hear of a stop also where its ring was lost", async () => {
    const [one] = await twoServers();
    const talk = await say(ada(one), "Long\nendless gap=5");
    const { stream } = await untilSpoken(ada(one), talk.run_id);
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
