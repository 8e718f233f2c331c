import { describe, expect, vi } from "vitest";
import { fold } from "#contract/fold.ts";
import { newId } from "#contract/ids.ts";
import type { Change, LiveMessage } from "#contract/changes.ts";
import type { Frame } from "../support/clients/event-stream.ts";
import { describeServer, test, type TestServer } from "../support/servers/server.ts";
import { branchOf, startRun, sendAndWait, readWholeLog } from "../support/clients/conversation.ts";
import type { Visitor } from "../support/clients/visitor.ts";

const changesOf = (frames: Frame<LiveMessage>[]): Change[] =>
  frames.flatMap(({ data }) => (data.type === "change" ? [data.change] : []));

const isThread =
  (title: string) =>
  (frame: Frame<LiveMessage>): boolean =>
    frame.data.type === "change" &&
    frame.data.change.type === "thread-put" &&
    frame.data.change.thread.title === title;

describeServer("the feed of a workspace", { model: true }, (server) => {
  const now = () => new Date().toISOString();

  test("starts with a hello that has its last number", async ({ ada }) => {
    const empty = await ada.live();
    expect((await empty.next()).value?.data).toEqual({ type: "hello", seq: 0 });
    empty.close();
    await ada.call("threads.create", { body: { last_message_at: now() } });
    const later = await ada.live();
    expect((await later.next()).value?.data).toEqual({ type: "hello", seq: 1 });
    later.close();
  });

  test("sends every change of a thread to every tab, in order and numbered without a gap", async () => {
    const { ada, ben } = server().colleagues();
    const tabs = [await ada.live({ after: 0 }), await ben.live({ after: 0 })];
    const { thread_id } = await ada.call("threads.create", {
      body: { last_message_at: now(), title: "One" },
    });
    const params = { thread_id };
    await ada.call("threads.update", { params, body: { title: "Two" } });
    await ada.call("threads.update", { params, body: { is_archived: true } });
    await ada.call("threads.update", { params, body: { is_archived: false, is_pinned: true } });
    const { message_id } = await ada.call("messages.add", {
      params,
      body: { parent_id: null, format: "aui/v0", content: { role: "user" } },
    });
    await ada.call("messages.update", {
      params: { ...params, message_id },
      body: { content: { role: "user", changed: true } },
    });
    await ada.call("messages.setHead", { params, body: { message_id } });
    await ada.call("threads.remove", { params });
    await ada.call("threads.restore", { params });
    await ada.call("threads.update", { params, body: { title: "The last word" } });
    const [first, second] = await Promise.all(
      tabs.map(async (tab) => await tab.until(isThread("The last word"))),
    );
    expect(second).toEqual(first);
    expect(first?.map(({ id }) => id)).toEqual([
      undefined,
      ...Array.from({ length: first!.length - 1 }, (_, index) => index + 1),
    ]);
    const changes = changesOf(first!);
    expect(changes.map(({ type }) => type)).toEqual([
      "thread-put",
      "thread-put",
      "thread-put",
      "thread-put",
      "message-put",
      "head-put",
      "thread-put",
      "message-put",
      "head-put",
      "thread-put",
      "thread-put",
      "thread-put",
    ]);
    const threads = changes.flatMap((change) => (change.type === "thread-put" ? [change.thread] : []));
    expect(
      threads.map(({ title, is_archived, is_pinned, deleted_at }) => [
        title,
        is_archived,
        is_pinned,
        deleted_at !== null,
      ]),
    ).toEqual([
      ["One", false, false, false],
      ["Two", false, false, false],
      ["Two", true, false, false],
      ["Two", false, true, false],
      ["Two", false, true, false],
      ["Two", false, true, true],
      ["Two", false, true, false],
      ["The last word", false, true, false],
    ]);
    expect(threads.at(-1)).toEqual((await ada.call("threads.get", { params })).thread);
    for (const tab of tabs) tab.close();
  });

  test("sends the states of a run from its start to its end", async ({ ada }) => {
    const feed = await ada.live({ after: 0 });
    const talk = await sendAndWait(ada, "Tell me tokens=3");
    const seen = changesOf(
      await feed.until(
        ({ data }) =>
          data.type === "change" &&
          data.change.type === "thread-put" &&
          data.change.thread.title_source === "model",
      ),
    );
    const { thread_id, run_id, reply_id } = talk;
    expect(seen.filter(({ type }) => type === "run-put")).toEqual([
      { type: "run-put", thread_id, run_id, reply_id, state: "running" },
      { type: "run-put", thread_id, run_id, reply_id, state: "completed" },
    ]);
    const threads = seen.flatMap((change) => (change.type === "thread-put" ? [change.thread] : []));
    const active = threads.map(({ active_run_id }) => active_run_id);
    expect(active.includes(run_id)).toBe(true);
    expect(active.at(-1)).toBeNull();
    expect(seen).toContainEqual({ type: "head-put", thread_id, user_id: "user_ada", message_id: reply_id });
    feed.close();
  });

  test("resumes after any number, and misses nothing between two connections", async ({ ada }) => {
    const titles = Array.from({ length: 6 }, (_, index) => `Thread ${index}`);
    for (const title of titles) await ada.call("threads.create", { body: { last_message_at: now(), title } });
    for (const after of [0, 1, 3, 5]) {
      const feed = await ada.live({ after });
      const [hello, ...rest] = await feed.until(isThread("Thread 5"));
      expect(hello?.data).toEqual({ type: "hello", seq: after });
      expect(rest.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6].slice(after));
      feed.close();
    }
    const feed = await ada.live({ after: 6 });
    await feed.next();
    await ada.call("threads.create", { body: { last_message_at: now(), title: "Thread 6" } });
    expect((await feed.until(isThread("Thread 6"))).map(({ id }) => id)).toEqual([7]);
    feed.close();
  });

  test("sends a reset to a reader whose number is beyond its end", async ({ ada }) => {
    await ada.call("threads.create", { body: { last_message_at: now() } });
    const feed = await ada.live({ after: 99 });
    const seen = await feed.until(({ data }) => data.type === "reset");
    expect(seen.at(-1)?.data).toEqual({ type: "reset", seq: 1 });
    feed.close();
  });

  test("sends nothing to a stranger", async ({ ada, eve }) => {
    const feed = await eve.live({ after: 0 });
    await sendAndWait(ada, "A secret tokens=2");
    await eve.call("threads.create", { body: { last_message_at: now(), title: "Eve's own" } });
    const seen = await feed.until(isThread("Eve's own"));
    expect(changesOf(seen)).toHaveLength(1);
    expect(JSON.stringify(seen)).not.toContain("secret");
    feed.close();
  });

  describe("with visible runs", () => {
    test("includes their events after the reader's last number", async ({ ada }) => {
      const first = await sendAndWait(ada, "tokens=4");
      const log = await readWholeLog(ada, first.run_id);
      const second = await startRun(ada, "tokens=20 gap=5");
      const feed = await ada.live({ runs: `${first.run_id}:2,${second.run_id}:0` });
      const seen = await feed.until(
        ({ data }) => data.type === "run" && data.run_id === second.run_id && data.event.type === "run-end",
      );
      const of = (runId: string) =>
        seen.flatMap(({ data }) => (data.type === "run" && data.run_id === runId ? [data] : []));
      expect(of(first.run_id).map(({ seq, event }) => [seq, event])).toEqual(
        log.map((event, index) => [index + 1, event]).slice(2),
      );
      expect(of(second.run_id).map(({ seq }) => seq)).toEqual(of(second.run_id).map((_, index) => index + 1));
      const reply = fold(of(second.run_id).map(({ event }) => event));
      expect((await branchOf(ada, second.thread_id))[1]?.content.content).toEqual(reply.parts);
      for (const { id, data } of seen) if (data.type === "run") expect(id).toBeUndefined();
      feed.close();
    });

    test("includes no events of runs that are unknown or of another workspace (CVE-2026-31950)", async ({
      ada,
      eve,
    }) => {
      const talk = await sendAndWait(ada, "tokens=2");
      const mine = await sendAndWait(eve, "tokens=2");
      const runs = [talk.run_id, newId("run"), "run_0", "", "x:y:z", "%00", mine.run_id]
        .map((id) => `${id}:0`)
        .join(",");
      const feed = await eve.live({ runs });
      const seen = await feed.until(({ data }) => data.type === "run" && data.event.type === "run-end");
      expect(new Set(seen.flatMap(({ data }) => ("run_id" in data ? [data.run_id] : [])))).toEqual(
        new Set([mine.run_id]),
      );
      feed.close();
    });

    test("sends a reset for a number beyond the run's log", async ({ ada }) => {
      const talk = await sendAndWait(ada, "tokens=2");
      const feed = await ada.live({ runs: `${talk.run_id}:999` });
      const seen = await feed.until(({ data }) => data.type === "run-reset");
      expect(seen.at(-1)?.data).toEqual({ type: "run-reset", run_id: talk.run_id });
      feed.close();
    });

    test("includes a run that starts after the request", async ({ ada }) => {
      const first = await sendAndWait(ada, "tokens=2");
      const body = { id: newId("run"), parent_id: first.message_id };
      await ada.call("runs.start", { params: { thread_id: first.thread_id }, body });
      const feed = await ada.live({ runs: `${body.id}:0` });
      const seen = await feed.until(({ data }) => data.type === "run" && data.event.type === "run-end");
      expect(seen.filter(({ data }) => data.type === "run").length).toBeGreaterThan(2);
      feed.close();
    });

    test("includes a run that is started with the stream's id from its first event, and no other", async () => {
      const { ada, ben } = server().colleagues();
      const eve = await server().anonymous("eve");
      const stream_id = newId("stream");
      const [feed, other] = [await ada.live({ stream_id }), await eve.live({ stream_id })];
      for (const one of [feed, other]) await one.next();
      const start = async (who: Visitor, own: { stream_id?: string }) => await startRun(who, "tokens=3", own);
      const foreign = await start(ben, { stream_id: newId("stream") });
      await start(ada, {});
      const { run_id } = await start(ada, { stream_id });
      const seen = await feed.until(({ data }) => data.type === "run" && data.event.type === "run-end");
      const events = seen.flatMap(({ data }) => (data.type === "run" ? [data] : []));
      expect(new Set(events.map((event) => event.run_id))).toEqual(new Set([run_id]));
      expect(events.map(({ event }) => event)).toEqual(await readWholeLog(ada, run_id));
      expect(JSON.stringify(seen)).toContain(foreign.run_id);
      await eve.call("threads.create", { body: { last_message_at: now(), title: "Eve's own" } });
      expect(JSON.stringify(await other.until(isThread("Eve's own")))).not.toContain(run_id);
      for (const one of [feed, other]) one.close();
    });

    test("does not repeat a run that was started with the stream's id and is requested after a reconnection", async () => {
      const ada = server().inNewWorkspace();
      const stream_id = newId("stream");
      const { run_id } = await startRun(ada, "tokens=20 gap=5", { stream_id });
      const feed = await ada.live({ stream_id, after: 0, runs: `${run_id}:0` });
      const seen = await feed.until(({ data }) => data.type === "run" && data.event.type === "run-end");
      const seqs = seen.flatMap(({ data }) => (data.type === "run" ? [data.seq] : []));
      expect(seqs).toEqual(seqs.map((_, i) => i + 1));
      feed.close();
    });

    test("limits the number of runs, and ignores malformed entries", async ({ ada }) => {
      const talk = await sendAndWait(ada, "tokens=2");
      const many = `${`${talk.run_id}:0,`.repeat(40)}${talk.run_id}:0`;
      const feed = await ada.live({ runs: many });
      let ends = 0;
      await feed.until(({ data }) => data.type === "run" && data.event.type === "run-end" && ++ends === 32);
      await ada.call("threads.create", { body: { last_message_at: now(), title: "Done" } });
      const rest = await feed.until(isThread("Done"));
      expect(rest.filter(({ data }) => data.type === "run")).toEqual([]);
      feed.close();
    });
  });

  test("rejects values that are not numbers", async ({ ada }) => {
    for (const after of ["-1", "x", "1.5", "", "9".repeat(20)]) {
      await ada.fails("bad-request", "live.follow", { query: { after } });
    }
  });
});

/** Advances the clock by one task interval at a time until `done` resolves: a task that is running during a jump sleeps again. */
async function advanceUntil(server: TestServer, done: () => Promise<void>): Promise<void> {
  const look = async (): Promise<void> => {
    server.clock.advance(11 * 60_000);
    await done();
  };
  await vi.waitFor(look, { timeout: 15_000, interval: 20 });
}

describeServer("pruned logs", { model: true }, (server) => {
  test("send a reset to late readers, and nothing else is lost", async ({ ada }) => {
    const talk = await sendAndWait(ada, "tokens=3");
    const before = await branchOf(ada, talk.thread_id);
    server().clock.advance(2 * 3_600_000);
    await advanceUntil(server(), async () => {
      const [frame] = await (await ada.events(talk.run_id)).rest();
      expect(frame?.data).toEqual({ type: "reset" });
    });
    expect(await branchOf(ada, talk.thread_id)).toEqual(before);
    expect((await ada.call("runs.get", { params: { run_id: talk.run_id } })).run.state).toBe("completed");
    const inView = await ada.live({ runs: `${talk.run_id}:2` });
    expect((await inView.until(({ data }) => data.type === "run-reset")).at(-1)?.data).toEqual({
      type: "run-reset",
      run_id: talk.run_id,
    });
    inView.close();

    server().clock.advance(25 * 3_600_000);
    await advanceUntil(server(), async () => {
      const feed = await ada.live({ after: 0 });
      const seen = await feed.until(({ data }) => data.type !== "hello");
      feed.close();
      expect(seen.at(-1)?.data.type).toBe("reset");
    });
    const feed = await ada.live({ after: 0 });
    const reset = (await feed.until(({ data }) => data.type === "reset")).at(-1)!.data as { seq: number };
    await ada.call("threads.create", { body: { last_message_at: new Date().toISOString(), title: "Next" } });
    expect((await feed.until(isThread("Next"))).map(({ id }) => id)).toEqual([reset.seq + 1]);
    feed.close();
  });

  test("announce threads that were deleted after 30 days in the trash", async ({ ada }) => {
    const talk = await sendAndWait(ada, "tokens=3");
    const params = { thread_id: talk.thread_id };
    await ada.call("threads.remove", { params });
    const feed = await ada.live();
    await feed.next();
    server().clock.advance(30 * 24 * 3_600_000);
    let seen: Change[] = [];
    void feed
      .until(({ data }) => data.type === "change" && data.change.type === "thread-gone")
      .then((frames) => (seen = changesOf(frames)));
    await advanceUntil(server(), async () =>
      expect(seen.at(-1)).toEqual({ type: "thread-gone", thread_id: talk.thread_id }),
    );
    feed.close();
    await ada.fails("thread-not-found", "threads.restore", { params });
    const { run } = await ada.call("runs.get", { params: { run_id: talk.run_id } });
    expect(run).toMatchObject({ state: "completed", thread_id: null });
  });
});
