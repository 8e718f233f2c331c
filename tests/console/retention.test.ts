import { join as pathOf } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { newId } from "#contract/ids.ts";
import { join, signIn, type Browser } from "../support/clients/browser.ts";
import { partOf } from "../support/clients/ask-about-files.ts";
import { branchOf, readWholeLog, sendAndWait, startRun } from "../support/clients/conversation.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { attach, open } from "../support/data/files.ts";
import { exportOf, newTraceId } from "../support/data/traces.ts";
import { everyRow } from "../support/data/whole-database.ts";
import { engines } from "../support/postgres/postgres.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { runCommand } from "../support/servers/cli.ts";
import {
  describeServer,
  emptyPlace,
  newPlace,
  startTestServer,
  type ServerPlace,
  type TestServer,
} from "../support/servers/server.ts";
import { forever, hourMs, newApp, openApp, pass, soon } from "./app-with-retention.ts";

const threadsOf = async (who: Visitor) => (await who.call("threads.list")).threads.map(({ id }) => id);

/** A thread that has something of every kind with the word "curlew". */
async function fullThread(who: Visitor, backend: Visitor, shared: { publicUrl: string }) {
  const own = await attach(who, "curlew.txt", "A curlew", "text/plain");
  const threadId = newId("thread");
  const params = { thread_id: threadId };
  const content = [
    { type: "text", text: "A curlew tokens=3" },
    partOf(own.publicUrl, "curlew.txt", "text/plain"),
    partOf(shared.publicUrl, "both.txt", "text/plain"),
  ];
  const started = await who.call("runs.start", {
    params,
    body: { message: { parent_id: null, content: { role: "user", content } } },
  });
  await readWholeLog(who, started.run_id);
  const { run_id: runId, reply_id: replyId } = started;
  await who.call("threads.update", { params, body: { title: "Curlew", metadata: { of: "curlew" } } });
  await who.call("messages.feedback", {
    params: { ...params, message_id: replyId },
    body: { type: "negative", comment: "curlew" },
  });
  await who.call("scores.put", {
    body: { run_id: runId, name: "bird", data_type: "categorical", string_value: "curlew" },
  });
  await who.call("events.add", {
    body: { events: [{ kind: "message_sent", thread_id: threadId, props: { of: "curlew" } }] },
  });
  await who.call("runs.report", {
    body: { thread_id: threadId, status: "completed", output_text: "curlew", attributes: { of: "curlew" } },
  });
  await backend.call("traces.add", { body: exportOf([spanOf(newTraceId(), threadId)]) });
  return { runId, own };
}

function spanOf(traceId: string, threadId: string, text = "curlew") {
  return {
    traceId,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.conversation.id": threadId,
      "gen_ai.input.messages": text,
      "gen_ai.output.messages": text,
      "gen_ai.system_instructions": text,
      "gen_ai.usage.input_tokens": 7,
    },
  };
}

describeServer("the retention of an app", { model: true }, (server) => {
  let owner: Browser;
  let admin: Browser;
  beforeEach(async () => {
    if (owner === undefined) ({ owner, admin } = await openApp(server()));
    await admin.post("auth.openSession", {});
  });
  const passTime = async (hours: number) => await pass([server()], hours, admin);

  test("deletes old threads entirely, and only those", async () => {
    const { params, backend, user, keep } = await newApp(server(), admin);
    const ada = user("ada");
    const other = (await newApp(server(), admin)).user("ada");
    const shared = await attach(ada, "both.txt", "A wren", "text/plain");
    const { runId, own } = await fullThread(ada, backend, shared);
    const trashed = await sendAndWait(ada, "A curlew in the trash tokens=2");
    await ada.call("threads.remove", { params: { thread_id: trashed.thread_id } });
    const used = await sendAndWait(ada, "A wren tokens=2");
    const elsewhere = await sendAndWait(other, "A wren elsewhere tokens=2");
    await passTime(50);
    // What happens in a thread keeps it, and the file that it shares with the old one.
    const content = [
      { type: "text", text: "More tokens=2" },
      partOf(shared.publicUrl, "both.txt", "text/plain"),
    ];
    const again = await ada.call("runs.start", {
      params: { thread_id: used.thread_id },
      body: { message: { parent_id: used.reply_id, content: { role: "user", content } } },
    });
    await readWholeLog(ada, again.run_id);
    const preview = await admin.call("console.previewRetention", {
      params,
      query: { keep_threads_days: "3", keep_span_texts_days: "3650" },
    });
    expect(preview).toMatchObject({ threads: 2, messages: 4, files: 1, spans: 0 });
    expect(preview.bytes).toBeGreaterThan(100);
    await keep({ keep_threads_days: 3 });
    await passTime(26);
    await soon([server()], async () => expect(await threadsOf(ada)).toEqual([used.thread_id]));
    await soon([server()], async () => expect((await open(own.publicUrl)).status).toBe(404));
    expect((await open(shared.publicUrl)).status).toBe(200);
    expect(await threadsOf(other)).toEqual([elsewhere.thread_id]);
    await soon([server()], async () => {
      const left = await everyRow(server().place);
      expect(left.match(new RegExp(`.{0,80}(?:curlew|${own.file_id}|run:${runId}).{0,40}`, "gi"))).toBeNull();
    });
    // Its usage stays.
    const run = await admin.call("console.run", { params: { ...params, run_id: runId } });
    expect(run).toMatchObject({ thread_id: null, status: "completed" });
    expect(run.output_tokens).toBeGreaterThan(0);
    await passTime(74);
    await soon([server()], async () => expect(await threadsOf(ada)).toEqual([]));
  });

  test("deletes the threads of guests, and never those of people with an account", async () => {
    const guest = await server().anonymous("dan");
    const member = await join(owner, { email: "member@example.com" });
    const mine = await sendAndWait(member, "Mine tokens=2");
    const theirs = await sendAndWait(guest, "Theirs tokens=2");
    const [first] = (await admin.call("console.apps")).apps;
    const params = { app_id: first!.id };
    await passTime(30);
    const query = { keep_threads_days: "1" };
    expect(await admin.call("console.previewRetention", { params, query })).toMatchObject({ threads: 1 });
    await admin.call("console.putRetention", { params, body: { ...forever, keep_threads_days: 1 } });
    await passTime(25);
    const listed = async () => (await admin.call("console.threads", { params })).threads.map(({ id }) => id);
    await soon([server()], async () => expect(await listed()).not.toContain(theirs.thread_id));
    await member.post("auth.openSession", {});
    expect(await threadsOf(member)).toEqual([mine.thread_id]);
    await admin.call("console.putRetention", { params, body: forever });
  });

  test("waits a day, and can be cancelled until then", async () => {
    const { params, user, keep } = await newApp(server(), admin);
    const ada = user("ada");
    const old = await sendAndWait(ada, "Old tokens=2");
    const get = async () => await admin.call("console.retention", { params });
    expect(await get()).toEqual({ ...forever, next: null });
    await passTime(48);
    const set = await keep({ keep_threads_days: 1 });
    const at = Date.parse(set.next!.takes_effect_at) - server().clock.now();
    expect(Math.abs(at - 24 * hourMs)).toBeLessThan(60_000);
    expect(set).toMatchObject({ ...forever, next: { ...forever, keep_threads_days: 1 } });
    await passTime(20);
    // A second request does not begin to wait again.
    expect(await keep({ keep_threads_days: 1 })).toEqual(set);
    await passTime(3);
    expect(await keep({})).toEqual({ ...forever, next: null });
    await passTime(24);
    expect(await threadsOf(ada)).toEqual([old.thread_id]);

    await keep({ keep_threads_days: 30 });
    await passTime(25);
    expect(await get()).toEqual({ ...forever, keep_threads_days: 30, next: null });
    // Longer applies at once, shorter a day later.
    expect(await keep({ keep_threads_days: 40 })).toMatchObject({ keep_threads_days: 40, next: null });
    expect(await keep({ keep_threads_days: 1, keep_span_texts_days: 5 })).toMatchObject({
      keep_threads_days: 40,
      keep_span_texts_days: null,
      next: { keep_threads_days: 1, keep_span_texts_days: 5 },
    });
    await passTime(23);
    expect(await threadsOf(ada)).toEqual([old.thread_id]);
    await passTime(2);
    await soon([server()], async () => expect(await threadsOf(ada)).toEqual([]));
    const { entries } = await owner.call("audit.list", { query: { person: params.app_id } });
    const changes = entries.filter(({ action }) => action === "app-retention-changed");
    expect(changes.map(({ details }) => (details!["to"] as typeof forever).keep_threads_days)).toEqual([
      1,
      40,
      30,
      null,
      1,
    ]);
    expect(changes[0]!.details).toMatchObject({
      from: { keep_threads_days: 40 },
      takes_effect_at: expect.any(String) as string,
    });
  });

  test("spares a thread while an answer is written or an app writes one", async () => {
    const { user, keep } = await newApp(server(), admin);
    const ada = user("ada");
    await keep({ keep_threads_days: 1 });
    await passTime(25);
    const witness = await sendAndWait(ada, "Nobody writes here tokens=2");
    const running = await startRun(ada, "Goes on\nendless gap=20");
    const leased = await sendAndWait(ada, "With a lease tokens=2");
    const { lease_id: leaseId } = await ada.call("messages.add", {
      params: { thread_id: leased.thread_id },
      body: {
        parent_id: leased.message_id,
        format: "aui/v0",
        content: { role: "assistant", content: [] },
        open_run: true,
      },
    });
    const age = async () =>
      await rawSql(server().place, async (run) => {
        for (const { thread_id: id } of [witness, running, leased])
          await run(`update threads set last_message_at = 1, updated_at = 1 where id = '${id}'`);
      });
    await age();
    const params = { thread_id: leased.thread_id, lease_id: leaseId! };
    await ada.call("clientLeases.heartbeat", { params });
    await soon([server()], async () => expect(await threadsOf(ada)).not.toContain(witness.thread_id));
    expect((await threadsOf(ada)).toSorted()).toEqual([running.thread_id, leased.thread_id].toSorted());
    await ada.call("runs.stop", { params: { run_id: running.run_id } });
    const stateOf = async () =>
      (await ada.call("runs.get", { params: { run_id: running.run_id } })).run.state;
    await expect.poll(stateOf).not.toBe("running");
    await passTime(26);
    await soon([server()], async () => expect(await threadsOf(ada)).toEqual([]));
  });

  test("removes the texts of spans and reports after some days, and stores none if it is told so", async () => {
    const { params, backend, user, keep } = await newApp(server(), admin);
    const ada = user("ada");
    const report = async (threadId: string) =>
      await ada.call("runs.report", {
        body: {
          thread_id: threadId,
          status: "completed",
          output_text: "plover",
          attributes: { plan: "pro" },
          steps: [
            {
              input: "plover",
              output_tokens: 4,
              tool_calls: [{ tool_name: "look", tool_args: "plover", tool_result: "plover" }],
            },
          ],
        },
      });
    const { thread_id: threadId } = await sendAndWait(ada, "Hello tokens=2");
    const trace = newTraceId();
    const add = async (traceId: string) =>
      await backend.call("traces.add", { body: exportOf([spanOf(traceId, threadId, "plover")]) });
    await add(trace);
    const { run_id: runId } = await report(threadId);
    await passTime(48);
    const recent = await report(threadId);
    const preview = { params, query: { keep_span_texts_days: "2" } };
    expect(await admin.call("console.previewRetention", preview)).toMatchObject({ threads: 0, spans: 1 });
    await keep({ keep_span_texts_days: 2 });
    const runOf = async (id: string) =>
      await admin.call("console.run", { params: { ...params, run_id: id } });
    await passTime(23);
    expect(JSON.stringify(await runOf(runId))).toContain("plover");
    await passTime(2);
    await soon([server()], async () => expect(JSON.stringify(await runOf(runId))).not.toContain("plover"));
    const emptied = await runOf(runId);
    expect(emptied).toMatchObject({ attributes: { plan: "pro" }, status: "completed" });
    expect(emptied.spans).toMatchObject([
      { output_tokens: 4, input: null },
      { tool_name: "look", output: null },
    ]);
    expect(JSON.stringify(await runOf(recent.run_id))).toContain("plover");
    // A span that arrives later is emptied too, and only the threads' own texts are left.
    await add(trace);
    const { runs } = await admin.call("console.runs", { params });
    const traced = await Promise.all(runs.map(async ({ id }) => await runOf(id)));
    const withTexts = traced.filter((run) => JSON.stringify(run).includes("plover"));
    expect(withTexts.map(({ id }) => id)).toEqual([recent.run_id]);
    expect(traced.flatMap(({ spans }) => spans ?? []).map((span) => span.input_tokens)).toContain(7);

    await keep({ keep_span_texts_days: 0 });
    await passTime(25);
    await report(threadId);
    await add(newTraceId());
    await soon([server()], async () => expect(await everyRow(server().place)).not.toContain("plover"));
    expect(await threadsOf(ada)).toEqual([threadId]);
  });

  test("is refused if it is no number of days, and for people who do not manage apps", async () => {
    const { params, user, backend } = await newApp(server(), admin);
    for (const days of [0, -1, 1.5, 3_651, "7", undefined])
      await admin.fails("bad-request", "console.putRetention", {
        params,
        body: { ...forever, keep_threads_days: days as number },
      });
    for (const days of ["0", "3651", "x"])
      await admin.fails("bad-request", "console.previewRetention", {
        params,
        query: { keep_threads_days: days },
      });
    const nobody = { params: { app_id: newId("app") } };
    await admin.fails("app-not-found", "console.retention", nobody);
    await admin.fails("app-not-found", "console.previewRetention", nobody);
    await admin.fails("app-not-found", "console.putRetention", { ...nobody, body: forever });
    const member = await join(owner, { email: "eva@example.com" });
    for (const who of [member, user("ada"), backend, await server().anonymous(), server().guest])
      for (const answer of [
        await who.ask("console.retention", { params }),
        await who.ask("console.previewRetention", { params }),
        await who.ask("console.putRetention", { params, body: { ...forever, keep_threads_days: 1 } }),
      ])
        expect([401, 403]).toContain(answer.status);
    expect(await admin.call("console.retention", { params })).toEqual({ ...forever, next: null });
  });
});

describe.each(engines)("the retention of an app (%s)", (engine) => {
  async function serve(place: ServerPlace): Promise<TestServer> {
    const server = await startTestServer({ engine, place, model: true });
    onTestFinished(async () => await server.close());
    return server;
  }

  async function newServer(): Promise<TestServer> {
    const place = await newPlace(engine);
    onTestFinished(async () => await place.remove());
    return await serve(place);
  }

  test("deletes nothing early because the clock of the machine is moved", async () => {
    const server = await newServer();
    const { admin, user, keep } = await openApp(server);
    const ada = user("ada");
    const { thread_id } = await sendAndWait(ada, "Hello tokens=2");
    await keep({ keep_threads_days: 1 });
    server.clock.moveWall(-40 * 24 * hourMs);
    await pass([server], 30, admin);
    expect(await threadsOf(ada)).toEqual([thread_id]);
    server.clock.moveWall(40 * 24 * hourMs);
    server.clock.moveWall(40 * 24 * hourMs);
    // A sweep waits for ten minutes of its own.
    for (let turns = 0; turns < 50; turns++) await turn();
    expect(await threadsOf(ada)).toEqual([thread_id]);
  });

  test("removes the texts of new spans after a clock that was ahead is set back", async () => {
    const server = await newServer();
    const { admin, params, backend, user, keep } = await openApp(server);
    const { thread_id: threadId } = await sendAndWait(user("ada"), "Hello tokens=2");
    await keep({ keep_span_texts_days: 1 });
    await pass([server], 25, admin);
    const days = 3;
    server.clock.moveWall(days * 24 * hourMs);
    const emptiedUntil = async () =>
      await rawSql(server.place, async (run) => await run("select emptied_until from app_retention"));
    await soon([server], async () =>
      expect(Number((await emptiedUntil())[0]!["emptied_until"])).toBeGreaterThan(
        server.clock.now() - 25 * hourMs,
      ),
    );
    server.clock.moveWall(-days * 24 * hourMs);
    await backend.call("traces.add", { body: exportOf([spanOf(newTraceId(), threadId, "plover")]) });
    const spans = async () => {
      const { runs } = await admin.call("console.runs", { params });
      const found = await Promise.all(
        runs.map(async ({ id }) => await admin.call("console.run", { params: { ...params, run_id: id } })),
      );
      return JSON.stringify(found.map((run) => run.spans));
    };
    expect(await spans()).toContain("plover");
    await pass([server], 26, admin);
    await soon([server], async () => expect(await spans()).not.toContain("plover"));
  });

  test("survives a backup, and applies after the restore", async () => {
    const server = await newServer();
    const { params, keep } = await openApp(server);
    const before = await keep({ keep_threads_days: 90 });
    const archive = pathOf(server.place.dataDir, "backup.parlance");
    expect((await runCommand(server.place, ["backup", archive])).code).toBe(0);
    const target = await emptyPlace(engine);
    onTestFinished(async () => await target.remove());
    const restored = await runCommand(target, ["restore", archive]);
    expect(restored.code, restored.err).toBe(0);
    const again = await serve(target);
    const reader = await signIn(again.url, "admin@example.com");
    expect(await reader.call("console.retention", { params })).toEqual(before);
  });
});

describe.runIf(engines.includes("postgres"))("the retention of an app on two servers", () => {
  test("deletes each thread once", async () => {
    const place = await newPlace("postgres");
    onTestFinished(async () => await place.remove());
    const first = await startTestServer({ engine: "postgres", place, model: true });
    onTestFinished(async () => await first.close());
    const second = await startTestServer({ engine: "postgres", place, model: true });
    onTestFinished(async () => await second.close());
    const { admin, user, keep } = await openApp(first);
    const ada = user("ada");
    for (let count = 0; count < 30; count++)
      await ada.call("threads.create", { body: { last_message_at: new Date().toISOString() } });
    await keep({ keep_threads_days: 1 });
    await pass([first, second], 23, admin);
    const used = await sendAndWait(ada, "Hello tokens=2");
    await pass([first, second], 3, admin);
    await soon([first, second], async () => expect(await threadsOf(ada)).toEqual([used.thread_id]));
    expect(await branchOf(ada, used.thread_id)).toHaveLength(2);
    expect([...first.log.takeErrors(), ...second.log.takeErrors()]).toEqual([]);
  });
});
