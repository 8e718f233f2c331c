import { describe, expect, vi } from "vitest";
import { newId } from "#contract/ids.ts";
import type { JsonObject } from "#contract/json.ts";
import { userMessage } from "#fixtures/people.ts";
import { readArchive } from "#storage/backup/archive.ts";
import { archiveFile } from "#storage/backup/archive-file.ts";
import { partOf } from "../support/clients/ask-about-files.ts";
import {
  branchOf,
  readWholeLog,
  sendAndWait,
  startRun,
  waitForFirstWord,
} from "../support/clients/conversation.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { exportAll } from "../support/clients/transfer.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { agentTrace } from "../protocol/trace-client.ts";
import { exportOf, newTraceId } from "../support/data/traces.ts";
import { everyRow } from "../support/data/whole-database.ts";
import { attach, put, requestUpload } from "../support/data/files.ts";
import { engines } from "../support/postgres/postgres.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { runCommand } from "../support/servers/cli.ts";
import {
  describeServer,
  test,
  newPlace,
  startTestServer,
  type TestServer,
} from "../support/servers/server.ts";

const minuteMs = 60_000;

/** Sends a message to a temporary thread, by default a new one, and waits for the answer. */
async function sendTemporary(who: Visitor, words: string, parts: JsonObject[] = []) {
  const threadId = newId("thread");
  const started = await who.call("runs.start", {
    params: { thread_id: threadId },
    body: {
      temporary: true,
      message: {
        parent_id: null,
        content: { role: "user", content: [{ type: "text", text: words }, ...parts] },
      },
    },
  });
  await readWholeLog(who, started.run_id);
  return { ...started, thread_id: threadId };
}

const change = async (who: Visitor, threadId: string, temporary: "open" | "closing" | "keep" | "erase") =>
  await who.ask("threads.update", { params: { thread_id: threadId }, body: { temporary } });

/** Advances the clock by minutes until `check` passes: a sweep that was in progress is followed by the next. */
async function soon(server: TestServer, check: () => Promise<void>): Promise<void> {
  await vi.waitFor(
    async () => {
      server.clock.advance(11 * minuteMs);
      await check();
    },
    { timeout: 15_000, interval: 50 },
  );
}

describeServer("a temporary thread", { model: true }, (server) => {
  test("is in no list, search, library or export, and has no title, but answers by its id", async () => {
    const ada = server().inNewWorkspace();
    const { publicUrl } = await attach(ada, "hush.txt", "A kestrelhush in a file", "text/plain");
    const { thread_id: threadId } = await sendTemporary(ada, "A kestrelhush tokens=2", [
      partOf(publicUrl, "hush.txt", "text/plain"),
    ]);
    const ordinary = await sendAndWait(ada, "A kestrelhush in the open tokens=2");
    const params = { thread_id: threadId };
    const { thread } = await ada.call("threads.get", { params });
    expect(thread).toMatchObject({ title: null, title_source: null });
    expect(Date.parse(thread.temporary_until!) - server().clock.now()).toBeGreaterThan(44 * minuteMs);
    expect(await branchOf(ada, threadId)).toHaveLength(2);

    const { threads } = await ada.call("threads.list", { query: {} });
    expect(threads.map(({ id }) => id)).toEqual([ordinary.thread_id]);
    const { results } = await ada.call("search.threads", { query: { q: "kestrelhush" } });
    expect(results.map((one) => one.thread_id)).toEqual([ordinary.thread_id]);
    // The message, and the title once it is there.
    const { hits } = await ada.call("search.find", { query: { q: "kestrelhush" } });
    expect(new Set(hits.map((hit) => hit.thread_id))).toEqual(new Set([ordinary.thread_id]));
    expect((await ada.call("files.list", { query: {} })).files).toEqual([]);
    const archive = Buffer.from(await exportAll(ada)).toString("latin1");
    expect(archive).toContain(ordinary.thread_id.slice("thread_0".length));
    expect(archive).not.toContain(threadId.slice("thread_0".length));
    expect(await server().titleRequestsWith("in the open")).toHaveLength(1);
    expect(
      server().model.requests.filter(({ body }) => JSON.stringify(body ?? "").includes("kestrelhush")),
    ).toHaveLength(3);
  });

  test("offers the model neither other chats nor what the person says about themselves", async () => {
    const owner = await server().owner();
    await owner.call("personalInstructions.put", { body: { instructions: "I am a lighthouse keeper." } });
    await sendAndWait(owner, "An ordinary dunlin tokens=2");
    await sendTemporary(owner, "A temporary dunlin tokens=2");
    const [ordinary] = await server().requestsWith("An ordinary dunlin");
    const [temporary] = await server().requestsWith("A temporary dunlin");
    expect(JSON.stringify(ordinary!.body)).toMatch(/lighthouse keeper.*search_threads/s);
    expect(JSON.stringify(temporary!.body)).not.toMatch(
      /lighthouse keeper|search_threads|read_thread|list_threads/,
    );
  });

  test("cannot be titled, sorted, shared or copied, but can get another model", async ({ ada, owner }) => {
    const { thread_id: threadId, reply_id: replyId } = await sendTemporary(ada, "Hello tokens=2");
    const params = { thread_id: threadId };
    for (const body of [
      { title: "A title" },
      { is_pinned: true },
      { metadata: { a: 1 } },
      { is_archived: true },
    ])
      await ada.fails("thread-temporary", "threads.update", { params, body });
    const copied = await ada.ask("messages.copyBranch", {
      params: { ...params, message_id: replyId },
      body: {},
    });
    expectProblem(copied, "thread-temporary");
    const own = await sendTemporary(owner, "Hello tokens=2");
    await owner.fails("thread-temporary", "shares.create", { body: { thread_id: own.thread_id } });
    const member = { thread_id: own.thread_id, member_id: "usr_somebody" };
    await owner.fails("thread-temporary", "threadMembers.put", { params: member, body: { access: "read" } });
    await ada.call("threads.update", { params, body: { local_only: false } });
    const ordinary = await sendAndWait(ada, "Hello tokens=2");
    expectProblem(await change(ada, ordinary.thread_id, "open"), "bad-request");
    // A page that leaves a thread does not know that another page has kept it.
    await change(ada, threadId, "keep");
    expectProblem(await change(ada, threadId, "erase"), "bad-request");
    expect((await ada.call("threads.get", { params })).thread.temporary_until).toBeNull();
  });

  test("is found by no stranger, guest or backend that reads the app", async ({ dan }) => {
    const {
      thread_id: threadId,
      reply_id: replyId,
      run_id: runId,
    } = await sendTemporary(dan, "Hello tokens=2");
    const params = { thread_id: threadId };
    for (const other of [await server().anonymous("eve"), server().inNewWorkspace()]) {
      await other.fails("thread-not-found", "threads.get", { params });
      expectProblem(await change(other, threadId, "open"), "thread-not-found");
      expectProblem(await change(other, threadId, "keep"), "thread-not-found");
      expectProblem(await change(other, threadId, "erase"), "thread-not-found");
      await other.fails("thread-not-found", "threads.remove", { params });
    }
    expectProblem(await change(server().guest, threadId, "open"), "not-signed-in");
    await dan.call("messages.feedback", {
      params: { thread_id: threadId, message_id: replyId },
      body: { type: "positive" },
    });
    const score = { name: "speed", data_type: "numeric", value: 1 } as const;
    await dan.call("scores.put", { body: { run_id: runId, ...score } });
    const key = server().person("ada");
    const reads = [
      await key.call("apps.threads", { query: {} }),
      await key.call("apps.runs", { query: { limit: "100" } }),
      await key.call("apps.scores", { query: { limit: "100" } }),
    ];
    expect(JSON.stringify(reads)).not.toMatch(new RegExp(`${threadId}|${runId}`));
    expect((await change(dan, threadId, "open")).status).toBe(200);
  });

  test("becomes an ordinary one, with a title, that search finds", async ({ ada }) => {
    const { thread_id: threadId } = await sendTemporary(ada, "The whimbrel and its call tokens=2");
    expect((await ada.call("search.threads", { query: { q: "whimbrel" } })).results).toEqual([]);
    expect((await change(ada, threadId, "keep")).status).toBe(200);
    const { results } = await ada.call("search.threads", { query: { q: "whimbrel" } });
    expect(results.map((one) => one.thread_id)).toEqual([threadId]);
    const [thread] = (await ada.call("threads.list", { query: {} })).threads;
    expect(thread).toMatchObject({
      id: threadId,
      temporary_until: null,
      title: expect.stringMatching(/^The whimbrel/),
    });
    await ada.call("threads.remove", { params: { thread_id: threadId } });
    expect((await ada.call("trash.list", { query: {} })).threads).toHaveLength(1);
  });

  test("is erased with its files, logs and feedback when it is closed, also while it answers", async () => {
    const ada = server().inNewWorkspace();
    const { publicUrl, file_id: fileId } = await attach(ada, "hush.txt", "A sanderling", "text/plain");
    const {
      thread_id: threadId,
      reply_id: replyId,
      run_id: runId,
    } = await sendTemporary(ada, "A sanderling tokens=2", [partOf(publicUrl, "hush.txt", "text/plain")]);
    const params = { thread_id: threadId };
    await ada.call("messages.feedback", {
      params: { ...params, message_id: replyId },
      body: { type: "negative", comment: "Not a sanderling" },
    });
    const running = await startRun(ada, "Another sanderling tokens=5000 gap=20", {
      ...params,
      parent_id: replyId,
    });
    await waitForFirstWord(ada, running.run_id);
    await ada.call("events.add", {
      body: { events: [{ kind: "message_copied", thread_id: threadId, props: { a: "sanderling" } }] },
    });
    const text = "A sanderling";
    await ada.call("runs.report", {
      body: {
        thread_id: threadId,
        status: "completed",
        output_text: text,
        attributes: { of: text },
        tags: [text],
      },
    });
    const traceId = newTraceId();
    const spans = agentTrace(traceId, threadId).map((span) => ({
      ...span,
      attributes: { ...span.attributes, "shop.bird": text },
    }));
    await server()
      .person("ada")
      .call("traces.add", { body: exportOf(spans) });
    await ada.call("scores.put", {
      body: { run_id: runId, name: "bird", data_type: "categorical", string_value: text },
    });
    expect(await everyRow(server().place)).toContain("shop.bird");
    await ada.call("threads.remove", { params });
    await ada.fails("thread-not-found", "threads.get", { params });
    await ada.fails("thread-not-found", "threads.restore", { params });
    expect((await ada.call("trash.list", { query: {} })).threads).toEqual([]);
    await soon(server(), async () => {
      const rows = await everyRow(server().place);
      const left = new RegExp(`.{0,80}(?:sanderling|shop\\.bird|${fileId}|run:${runId}).{0,40}`, "g");
      expect(rows.match(left)).toBeNull();
    });
    // The usage stays.
    const kept = await rawSql(
      server().place,
      async (run) => await run(`select * from runs where id = '${runId}'`),
    );
    expect(kept).toMatchObject([{ thread_id: null, request_hash: null }]);
    expect(Number(kept[0]!["output_tokens"])).toBeGreaterThan(0);
  });

  test("leaves no file in the library when it is closed", async ({ ada }) => {
    const own = await attach(ada, "knot.txt", "A knot", "text/plain");
    const both = await attach(ada, "plover.txt", "A plover", "text/plain");
    const files = [own, both].map(({ publicUrl }) => partOf(publicUrl, "a.txt", "text/plain"));
    const { thread_id: threadId } = await sendTemporary(ada, "Files tokens=2", files);
    const second = await sendTemporary(ada, "Files tokens=2", files.slice(1));
    expect((await change(ada, threadId, "erase")).status).toBe(200);
    const stored = async () =>
      await rawSql(server().place, async (run) => await run("select id from files order by id"));
    expect(await stored()).not.toContainEqual({ id: own.file_id });
    expect(await stored()).toContainEqual({ id: both.file_id });
    await change(ada, second.thread_id, "erase");
    expect(await stored()).not.toContainEqual({ id: both.file_id });
    expect((await ada.call("files.list", { query: {} })).files).toEqual([]);
  });

  test("keeps a file that was never sent for less than an hour, in no list and no search", async () => {
    const ada = server().inNewWorkspace();
    const attachFor = async (temporary: boolean, filename: string) => {
      const target = await requestUpload(ada, { filename, temporary });
      expect((await put(target.signedUrl, `A dotterel in ${filename}`, "text/plain")).ok).toBe(true);
      return target;
    };
    const unsent = await attachFor(true, "unsent.txt");
    const sent = await attachFor(true, "sent.txt");
    const ordinary = await attachFor(false, "ordinary.txt");
    const listed = async () => (await ada.call("files.list", { query: {} })).files.map(({ id }) => id);
    expect(await listed()).toEqual([ordinary.file_id]);
    expect((await ada.call("files.list", { query: { q: ".txt" } })).files).toHaveLength(1);
    const { thread_id: kept } = await sendTemporary(ada, "Look tokens=2", [
      partOf(sent.publicUrl, "sent.txt", "text/plain"),
    ]);
    expect(await listed()).toEqual([ordinary.file_id]);
    await change(ada, kept, "keep");
    expect((await listed()).toSorted()).toEqual([ordinary.file_id, sent.file_id].toSorted());
    const stored = async (id: string) => (await everyRow(server().place)).includes(`"id":"${id}"`);
    const shown = await attachFor(true, "shown.txt");
    const isShown = async () =>
      (await ada.ask("files.get", { params: { file_id: shown.file_id } })).status === 200;
    server().clock.advance(40 * minuteMs);
    expect(await isShown()).toBe(true);
    await soon(server(), async () => {
      expect(await isShown()).toBe(true);
      expect(await stored(unsent.file_id)).toBe(false);
    });
    expect(await isShown()).toBe(true);
    expect(await listed()).not.toContain(shown.file_id);
    expect(await stored(sent.file_id)).toBe(true);
    expect(await stored(ordinary.file_id)).toBe(true);
  });

  test("is erased within an hour after the last sign of its page, and not before", async ({ ada }) => {
    const open = await sendTemporary(ada, "The godwit stays tokens=2");
    const crashed = await sendTemporary(ada, "The turnstone goes tokens=2");
    const closed = await sendTemporary(ada, "The redshank goes tokens=2");
    const reloaded = await sendTemporary(ada, "The curlew stays tokens=2");
    await change(ada, closed.thread_id, "closing");
    await change(ada, reloaded.thread_id, "closing");
    await change(ada, reloaded.thread_id, "open");
    const stored = async () => {
      const rows = await everyRow(server().place);
      return ["godwit", "turnstone", "redshank", "curlew"].filter((bird) => rows.includes(bird));
    };
    server().clock.advance(3 * minuteMs);
    await expect.poll(async () => await stored()).toEqual(["godwit", "turnstone", "curlew"]);
    for (let minutes = 3; minutes < 55; minutes += 4) {
      await change(ada, open.thread_id, "open");
      await change(ada, reloaded.thread_id, "open");
      server().clock.advance(4 * minuteMs);
    }
    await expect.poll(async () => await stored()).toEqual(["godwit", "curlew"]);
    await ada.fails("thread-not-found", "threads.get", { params: { thread_id: crashed.thread_id } });
    // A message of a page that slept begins another temporary thread, not an ordinary one.
    await sendTemporary(ada, "Late tokens=2");
    expect((await ada.call("threads.list", { query: {} })).threads).toEqual([]);
  });
});

describe.each(engines)("a backup (%s)", (engine) => {
  test("has nothing of temporary threads, and can be restored", async () => {
    const place = await newPlace(engine);
    const server = await startTestServer({ engine, place, model: true });
    const ada = server.inNewWorkspace();
    const { publicUrl, file_id: fileId } = await attach(
      ada,
      "secret.txt",
      "A phalarope in a file",
      "text/plain",
    );
    const shared = await attach(ada, "both.txt", "In both", "text/plain");
    const unsent = await requestUpload(ada, { filename: "unsent.txt", temporary: true });
    await put(unsent.signedUrl, "An unsent phalarope", "text/plain");
    const files = [
      partOf(publicUrl, "secret.txt", "text/plain"),
      partOf(shared.publicUrl, "both.txt", "text/plain"),
    ];
    const temporary = await sendTemporary(ada, "A phalarope tokens=2", files);
    await ada.call("runs.start", {
      params: { thread_id: newId("thread") },
      body: {
        message: {
          parent_id: null,
          content: {
            ...userMessage("An avocet tokens=1"),
            content: [{ type: "text", text: "An avocet tokens=1" }, files[1]!],
          },
        },
      },
    });
    const run = { run_id: temporary.run_id, name: "speed", data_type: "numeric", value: 1 } as const;
    await ada.call("scores.put", { body: run });
    const path = `${place.dataDir}/backup.parlance`;
    const { code } = await runCommand(place, ["backup", path]);
    expect(code).toBe(0);
    let table = "";
    let rows = "";
    const blobs: string[] = [];
    for await (const line of readArchive(archiveFile(path))) {
      if (line.type === "table") table = line.name;
      // The feed names what changed in the last day, without its content.
      if (line.type === "row" && table !== "log_entries") rows += `${JSON.stringify(line.values)}\n`;
      if (line.type === "piece") blobs.push(Buffer.from(line.bytes).toString());
    }
    expect(rows).toContain("avocet");
    expect(rows).toContain(shared.file_id);
    expect(rows).not.toMatch(/phalarope|secret\.txt|unsent/);
    for (const id of [fileId, temporary.message_id, `"${temporary.run_id}"`, `run:${temporary.run_id}`])
      expect(rows).not.toContain(id);
    expect(blobs).toEqual(["In both"]);
    await server.close();
    const other = await newPlace(engine);
    expect(await runCommand(other, ["restore", path])).toMatchObject({ code: 0 });
    await other.remove();
    await place.remove();
  });
});
