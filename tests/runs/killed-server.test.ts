import { describe, expect, test } from "vitest";
import { fold } from "#contract/fold.ts";
import { newId } from "#contract/ids.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { userMessage } from "#fixtures/people.ts";
import { openDatabase } from "#storage/database/open.ts";
import type { Frame } from "../support/clients/event-stream.ts";
import { engines } from "../support/postgres/postgres.ts";
import { killServer } from "../support/servers/kill-server.ts";
import { startTestServer } from "../support/servers/server.ts";
import {
  branchOf,
  eventsOf,
  startRun,
  sendAndWait,
  textOf,
  waitForFirstWord,
  below,
} from "../support/clients/conversation.ts";
import { adaOn, childForTest, modelForTest, placeForTest, serverForTest } from "../support/test-scope.ts";

/** Reads until the connection breaks, and returns all frames. */
async function readUntilBroken(
  stream: AsyncIterable<Frame<RunEvent>>,
  seen: Frame<RunEvent>[],
): Promise<Frame<RunEvent>[]> {
  try {
    for await (const frame of stream) seen.push(frame);
  } catch {
    return seen;
  }
  return seen;
}

describe.for(engines)("a server with an answer in progress (%s)", (engine) => {
  test("loses nothing that a client received when it is killed, and marks the answer as interrupted when it starts again", async () => {
    const where = await placeForTest(engine);
    const provider = await modelForTest();
    const first = await childForTest(where, provider);
    const before = await sendAndWait(adaOn(first), "Before tokens=5");
    const talk = await startRun(adaOn(first), "Long\nendless gap=3", below(before));
    const { stream, seen } = await waitForFirstWord(adaOn(first), talk.run_id);
    seen.push(...(await stream.until(({ id }) => id! > 8)));
    const broken = readUntilBroken(stream, seen);
    await killServer(first, where);
    await broken;

    const second = await serverForTest({ engine, place: where });
    const params = { run_id: talk.run_id };
    expect((await adaOn(second).call("runs.get", { params })).run.state).toBe("interrupted");
    const events = eventsOf(await (await adaOn(second).events(talk.run_id)).rest());
    expect(events.slice(0, seen.length)).toEqual(seen.map(({ data }) => data));
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "interrupted" });
    const branch = await branchOf(adaOn(second), talk.thread_id);
    expect(branch.map(({ id }) => id)).toEqual([
      before.message_id,
      before.reply_id,
      talk.message_id,
      talk.reply_id,
    ]);
    const reply = branch.at(-1)!;
    expect(reply.status).toEqual({ type: "incomplete", reason: "interrupted", error_code: null });
    expect(reply.content).toMatchObject({
      content: fold(events).parts,
      status: { type: "incomplete", reason: "other" },
    });
    expect(textOf(fold(events).parts)).not.toBe("");
    const { run } = await adaOn(second).call("runs.get", { params });
    expect(run).toMatchObject({ state: "interrupted", last_seq: events.length });
    expect(run.ended_at).not.toBeNull();
    const { thread } = await adaOn(second).call("threads.get", { params: { thread_id: talk.thread_id } });
    expect(thread.active_run_id).toBeNull();
    // The conversation can continue.
    const again = await adaOn(second).ask("runs.start", {
      params: { thread_id: talk.thread_id },
      body: { parent_id: talk.message_id },
    });
    expect(again.status).toBe(201);
  });

  test("aborts the stream of a protocol client when it ends, so that a partial answer does not look complete", async () => {
    const server = await startTestServer({ engine, model: true });
    const { url, headers } = server.inNewWorkspace();
    const streams: Promise<string>[] = [];
    for (const Accept of ["text/plain", "text/event-stream"]) {
      const body = {
        thread_id: "unstable_todo",
        assistant_id: "default",
        messages: [userMessage("Long\nendless gap=3")],
      };
      const response = await fetch(`${url}/v1/runs/stream`, {
        method: "POST",
        headers: { ...headers, Accept, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      const reader = response.body!.getReader();
      await reader.read();
      const read = async (): Promise<void> => {
        while (!(await reader.read()).done);
      };
      streams.push(
        read().then(
          () => "complete",
          () => "aborted",
        ),
      );
    }
    await server.close();
    expect(await Promise.all(streams)).toEqual(["aborted", "aborted"]);
  });

  test("retries a run that had no output when it was killed", async () => {
    const where = await placeForTest(engine);
    const first = await childForTest(where, await modelForTest());
    const talk = await startRun(adaOn(first), "Nothing yet wait=60000");
    await killServer(first, where);
    const second = await serverForTest({
      engine,
      place: where,
      settings: { OPENAI_BASE_URL: (await modelForTest()).url },
    });
    expect(second.log.text()).toContain("retrying a run that had no output");
    const { run } = await adaOn(second).call("runs.stop", { params: { run_id: talk.run_id } });
    expect(run).toMatchObject({ state: "cancelled", message_id: talk.message_id, reply_id: talk.reply_id });
    const events = eventsOf(await (await adaOn(second).events(talk.run_id)).rest());
    expect(events).toMatchObject([
      { type: "run-start", reply_id: talk.reply_id, content: [] },
      { type: "run-end", state: "cancelled" },
    ]);
  });

  test("starts although the log of one answer is damaged, and ends the other runs", async () => {
    const where = await placeForTest(engine);
    const first = await childForTest(where, await modelForTest());
    const talks = [
      await startRun(adaOn(first), "One\nendless gap=3"),
      await startRun(adaOn(first), "Two\nendless gap=3"),
    ] as const;
    for (const { run_id } of talks) (await waitForFirstWord(adaOn(first), run_id)).stream.close();
    await killServer(first, where);
    const db = await openDatabase(where);
    await db.write(
      async (tx) =>
        await tx.q
          .updateTable("log_entries")
          .set({ body: "{ damaged" })
          .where("topic", "=", `run:${talks[0].run_id}`)
          .where("seq", "=", 2)
          .execute(),
    );
    await db.close();
    const second = await serverForTest({ engine, place: where });
    const events = eventsOf(await (await adaOn(second).events(talks[1].run_id)).rest());
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "interrupted" });
    expect(second.log.takeErrors()).toContainEqual(expect.stringContaining("could not end an abandoned run"));
    expect((await adaOn(second).ask("threads.list")).status).toBe(200);
  });

  test("keeps its secret, so that everyone is still signed in after it was killed", async () => {
    const where = await placeForTest(engine);
    const settings = { PARLANCE_SECRET: "" };
    const first = await childForTest(where, undefined, settings);
    const response = await fetch(`${first.url}/v1/auth/tokens/anonymous`, { method: "POST" });
    const { access_token } = (await response.json()) as { access_token: string };
    await first.end("SIGKILL");
    const second = await childForTest(where, undefined, settings);
    const me = await fetch(`${second.url}/v1/auth/me`, {
      headers: { Authorization: `Bearer ${access_token}` },
    });
    expect(me.status).toBe(200);
    expect(second.ownerLink.split("#")[1]).toBe(first.ownerLink.split("#")[1]);
  });
});

describe.runIf(engines.includes("postgres"))("two servers of one database", () => {
  test("stream and stop an answer of the other server", async () => {
    const where = await placeForTest("postgres");
    const provider = await modelForTest();
    const settings = { OPENAI_BASE_URL: provider.url, OPENAI_MODEL: "fixture-1" };
    const one = await serverForTest({ engine: "postgres", place: where, settings });
    const two = await serverForTest({ engine: "postgres", place: where, settings });
    const feed = await adaOn(two).live({ after: 0 });
    const talk = await startRun(adaOn(one), "Long\nendless gap=5");
    const onOne = await waitForFirstWord(adaOn(one), talk.run_id);
    const onTwo = await waitForFirstWord(adaOn(two), talk.run_id);
    const { run } = await adaOn(two).call("runs.stop", { params: { run_id: talk.run_id } });
    expect(run.state).toBe("cancelled");
    const events = eventsOf([...onTwo.seen, ...(await onTwo.stream.rest())]);
    expect(eventsOf([...onOne.seen, ...(await onOne.stream.rest())])).toEqual(events);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "cancelled" });
    expect((await branchOf(adaOn(two), talk.thread_id)).at(-1)?.content.content).toEqual(fold(events).parts);
    await feed.until(
      ({ data }) =>
        data.type === "change" && data.change.type === "run-put" && data.change.state === "cancelled",
    );
    feed.close();
  });

  test("execute a request once that is sent to both at the same time", async () => {
    const where = await placeForTest("postgres");
    const provider = await modelForTest();
    const settings = { OPENAI_BASE_URL: provider.url, OPENAI_MODEL: "fixture-1" };
    const servers = [
      await serverForTest({ engine: "postgres", place: where, settings }),
      await serverForTest({ engine: "postgres", place: where, settings }),
    ];
    const params = { thread_id: newId("thread") };
    const body = {
      id: newId("run"),
      reply_id: newId("message"),
      message: { id: newId("message"), parent_id: null, content: userMessage("tokens=3") },
    };
    const answers = await Promise.all(
      Array.from(
        { length: 10 },
        async (_, index) => await adaOn(servers[index % 2]!).call("runs.start", { params, body }),
      ),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    await (await adaOn(servers[0]!).events(body.id)).rest();
    expect((await adaOn(servers[1]!).call("messages.list", { params })).messages).toHaveLength(2);
  });

  test("interrupt a run of a killed server", async () => {
    const where = await placeForTest("postgres");
    const provider = await modelForTest();
    const other = await serverForTest({ engine: "postgres", place: where });
    const first = await childForTest(where, provider);
    const talk = await startRun(adaOn(first), "Long\nendless gap=3");
    const { stream, seen } = await waitForFirstWord(adaOn(other), talk.run_id);
    seen.push(...(await stream.until(({ id }) => id! > 8)));
    await killServer(first, where, 1);
    // The next sweep, long before the lease expires.
    other.clock.advance(1_001);
    seen.push(...(await stream.rest()));
    const events = eventsOf(seen);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "interrupted" });
    expect((await branchOf(adaOn(other), talk.thread_id)).at(-1)).toMatchObject({
      status: { reason: "interrupted" },
      content: { content: fold(events).parts },
    });
  });

  test("stop a run of a killed server", async () => {
    const where = await placeForTest("postgres");
    const other = await serverForTest({ engine: "postgres", place: where });
    const first = await childForTest(where, await modelForTest());
    const talk = await startRun(adaOn(first), "Long\nendless gap=3");
    const { stream, seen } = await waitForFirstWord(adaOn(other), talk.run_id);
    await killServer(first, where, 1);
    await adaOn(other).call("runs.stop", { params: { run_id: talk.run_id } });
    other.clock.advance(1_001);
    const events = eventsOf([...seen, ...(await stream.rest())]);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "cancelled" });
    expect((await branchOf(adaOn(other), talk.thread_id)).at(-1)?.content.content).toEqual(
      fold(events).parts,
    );
  });

  // If it hangs within a transaction, the run is locked until PostgreSQL ends that, after 30 s.
  const timeout = 90_000;
  test(
    "leave the runs of a server that hangs to it until its lease has expired, and it writes nothing more",
    { timeout },
    async () => {
      const where = await placeForTest("postgres");
      const other = await serverForTest({ engine: "postgres", place: where });
      const first = await childForTest(where, await modelForTest());
      const talk = await startRun(adaOn(first), "Long\nendless gap=200");
      const { stream, seen } = await waitForFirstWord(adaOn(other), talk.run_id);
      const params = { run_id: talk.run_id };
      first.signal("SIGSTOP");
      other.clock.advance(5_001);
      expect((await adaOn(other).call("runs.get", { params })).run.state).toBe("running");
      let hasEnded = false;
      const rest = stream.rest().finally(() => (hasEnded = true));
      while (!hasEnded) {
        other.clock.advance(1_001);
        await adaOn(other).call("runs.get", { params });
      }
      const events = eventsOf([...seen, ...(await rest)]);
      expect(events.at(-1)).toMatchObject({ type: "run-end", state: "interrupted" });

      first.signal("SIGCONT");
      // It loses the run when it writes the next words, and answers again.
      const again = await sendAndWait(adaOn(first), "Again tokens=3");
      expect((await branchOf(adaOn(first), again.thread_id)).at(-1)?.status.type).toBe("complete");
      await first.end("SIGTERM");
      expect(eventsOf(await (await adaOn(other).events(talk.run_id)).rest())).toEqual(events);
      expect((await branchOf(adaOn(other), talk.thread_id)).at(-1)?.content.content).toEqual(
        fold(events).parts,
      );
    },
  );
});
