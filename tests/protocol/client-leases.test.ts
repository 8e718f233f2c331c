import { describe, expect, onTestFinished, vi } from "vitest";
import { limits } from "#contract/limits.ts";
import { newId } from "#contract/ids.ts";
import type { JsonObject } from "#contract/json.ts";
import { userMessage } from "#fixtures/people.ts";
import { branchOf, startRun } from "../support/clients/conversation.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { clients, expectedError, errorOf, keyCloud, newestClient, type Cloud } from "./clients.ts";

const { CloudMessagePersistence } = newestClient;

/** An answer so far, as assistant-ui's core stores one that is running. */
const partial = (text: string) => ({
  role: "assistant",
  content: [{ type: "text", text }],
  metadata: { custom: {} },
  status: { type: "incomplete", reason: "cancelled" },
});
const whole = (text: string) => ({ ...partial(text), status: { type: "complete", reason: "stop" } });

describeServer("a lease of the protocol's newest client", { model: true }, (server) => {
  /** Two clients of one workspace, each with its own persistence, as two tabs have; and the workspace in our own app. */
  async function open() {
    const ada = server().inNewWorkspace();
    const cloud = keyCloud(newestClient, server(), { workspaceId: ada.headers["Aui-Workspace-Id"]! });
    const { thread_id: threadId } = await cloud.threads.create({ last_message_at: new Date() });
    const { message_id: question } = await cloud.threads.messages.create(threadId, {
      parent_id: null,
      format: "aui/v0",
      content: userMessage("What grows in the shade?"),
    });
    const tab = newTab(cloud);
    const other = newTab(cloud);
    tab.record(question, question);
    const answer = async () => (await other.load(threadId, "aui/v0"))[0]!;
    const shown = async () => (await branchOf(ada, threadId)).at(-1)!.status;
    return { cloud, threadId, question, tab, other, ada, answer, shown };
  }

  /** An answer that has begun, in the first tab. */
  async function begun() {
    const opened = await open();
    const { tab, threadId, question } = opened;
    await tab.append(threadId, "local_1", question, "aui/v0", partial("Ferns"), "running");
    expect(tab.hasOpenRun("local_1")).toBe(true);
    return opened;
  }

  test("stores the running answer, its checkpoints and its end; another tab sees it running and then whole", async () => {
    const { ada, tab, other, threadId, answer, shown } = await begun();
    const first = await answer();
    expect(first).toMatchObject({ content: partial("Ferns"), run: { status: "running" } });
    expect(other.runStateOf(first.run)?.status).toBe("in-progress");
    expect(await shown()).toEqual({ type: "incomplete", reason: "elsewhere", error_code: null });
    // Older clients read the status in the content, which is what the tab has stored.
    for (const [name, older] of clients.slice(1)) {
      const cloud = keyCloud(older, server(), { workspaceId: ada.headers["Aui-Workspace-Id"]! });
      const [newest] = (await cloud.threads.messages.list(threadId)).messages;
      expect(newest?.content, name).toEqual(partial("Ferns"));
    }

    await tab.update(threadId, "local_1", "aui/v0", partial("Ferns and moss"), "running");
    const second = await answer();
    expect(second).toMatchObject({
      id: first.id,
      content: partial("Ferns and moss"),
      run: { status: "running" },
    });
    expect(second.updated_at.getTime()).toBeGreaterThanOrEqual(first.updated_at.getTime());

    await tab.update(threadId, "local_1", "aui/v0", whole("Ferns and moss."), "done");
    const last = await answer();
    expect(last).toMatchObject({ id: first.id, content: whole("Ferns and moss."), run: { status: "ended" } });
    expect(other.runStateOf(last.run)).toBeUndefined();
    expect(await shown()).toEqual({ type: "complete", reason: "stop", error_code: null });
    // A tool's result that arrives later.
    await tab.update(threadId, "local_1", "aui/v0", whole("Ferns, moss."));
    expect(await answer()).toMatchObject({ content: whole("Ferns, moss.") });
  });

  test("keeps the last checkpoint of a tab that is gone, as interrupted after 30 s, and never expires", async () => {
    const { tab, other, threadId, answer, shown } = await begun();
    await tab.update(threadId, "local_1", "aui/v0", partial("Ferns and"), "running");
    server().clock.advance(29_000);
    expect(other.runStateOf((await answer()).run)?.status).toBe("in-progress");
    expect((await shown()).reason).toBe("elsewhere");
    server().clock.advance(1_000);
    const quiet = await answer();
    expect(quiet).toMatchObject({ content: partial("Ferns and"), run: { status: "running" } });
    expect(other.runStateOf(quiet.run)).toEqual({ status: "stale" });
    expect(await shown()).toEqual({ type: "incomplete", reason: "interrupted", error_code: null });

    // The tab was only asleep. It continues after a day.
    server().clock.advance(24 * 3_600_000);
    expect(other.runStateOf((await answer()).run)).toEqual({ status: "stale" });
    await tab.update(threadId, "local_1", "aui/v0", partial("Ferns and moss"), "running");
    expect(other.runStateOf((await answer()).run)?.status).toBe("in-progress");
    await tab.update(threadId, "local_1", "aui/v0", whole("Ferns and moss."), "done");
    expect(await answer()).toMatchObject({ content: whole("Ferns and moss."), run: { status: "ended" } });
  });

  test("is renewed by heartbeats, which say when the next one is due", async () => {
    const { cloud, threadId, question, answer } = await open();
    const { run } = await create(cloud, threadId, question, { external_id: "a", open_run: true });
    expect(run?.heartbeat_interval_ms).toBe(limits.clientHeartbeatMs);
    server().clock.advance(25_000);
    expect((await answer()).run?.last_heartbeat_ms_ago).toBeGreaterThanOrEqual(25_000);
    expect(await cloud.threads.runs.heartbeat(threadId, run!.lease_id)).toEqual({
      heartbeat_interval_ms: limits.clientHeartbeatMs,
    });
    expect((await answer()).run?.last_heartbeat_ms_ago).toBeLessThan(25_000);
  });

  test("ends once: repeating the end keeps the first reason, and heartbeats and writes are refused", async () => {
    const { cloud, tab, threadId, question, answer, shown } = await open();
    const { message_id: id, run } = await create(cloud, threadId, question, {
      external_id: "a",
      open_run: true,
    });
    const leaseId = run!.lease_id;
    await cloud.threads.runs.end(threadId, leaseId, { reason: "cancelled" });
    expect(await shown()).toEqual({ type: "incomplete", reason: "cancelled", error_code: null });
    await cloud.threads.runs.end(threadId, leaseId, { reason: "done" });
    await cloud.threads.runs.end(threadId, leaseId);
    expect((await shown()).reason).toBe("cancelled");
    const refused = expectedError(newestClient, "lease-ended");
    expect(refused).toMatchObject({ status: 409, code: "run_ended" });
    expect(await errorOf(cloud.threads.runs.heartbeat(threadId, leaseId))).toEqual(refused);
    const late = { content: partial("late"), lease_id: leaseId };
    expect(await errorOf(cloud.threads.messages.update(threadId, id, late))).toEqual(refused);
    expect(await errorOf(create(cloud, threadId, question, { external_id: "a", lease_id: leaseId }))).toEqual(
      refused,
    );
    expect((await answer()).content).toEqual(partial("x"));
    expect(tab.runStateOf((await answer()).run)).toBeUndefined();
  });

  describe("with two writers", () => {
    test("the second cannot take the lease of one that is still heard of, and both lose nothing", async () => {
      const { cloud, tab, threadId, question, answer } = await begun();
      const again = { external_id: "local_1", open_run: true } as const;
      expect(await errorOf(create(cloud, threadId, question, again))).toMatchObject({
        status: 409,
        code: "run_in_progress",
      });
      expect((await answer()).content).toEqual(partial("Ferns"));
      await tab.update(threadId, "local_1", "aui/v0", whole("Ferns."), "done");
      expect((await answer()).content).toEqual(whole("Ferns."));
    });

    test("a write without the lease is stored and leaves the lease to a holder that is heard of", async () => {
      const { tab, other, threadId, answer } = await begun();
      const { id } = await answer();
      await other.update(threadId, id, "aui/v0", partial("Edited elsewhere"));
      expect(await answer()).toMatchObject({
        content: partial("Edited elsewhere"),
        run: { status: "running" },
      });
      await tab.update(threadId, "local_1", "aui/v0", whole("Ferns."), "done");
      expect(await answer()).toMatchObject({ content: whole("Ferns."), run: { status: "ended" } });
    });

    test("one takes over an answer whose writer is gone, and that one drops its late writes", async () => {
      const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
      const { tab, other, threadId, answer, shown } = await begun();
      const { id } = await answer();
      server().clock.advance(limits.clientSilenceMs);
      // Another tab resumes the answer: it has loaded the message, so it writes without a lease.
      await other.update(threadId, id, "aui/v0", whole("Ferns, says the other tab."));
      expect(await answer()).toMatchObject({ run: { status: "ended" } });
      expect((await shown()).type).toBe("complete");
      await tab.update(threadId, "local_1", "aui/v0", partial("Ferns, much too late"), "running");
      expect(tab.hasOpenRun("local_1")).toBe(false);
      expect((await answer()).content).toEqual(whole("Ferns, says the other tab."));
      expect(warn).toHaveBeenCalledWith(expect.stringContaining("run_ended"));
      warn.mockRestore();
    });

    test("a new lease replaces one whose holder is gone", async () => {
      const { cloud, threadId, question, answer } = await open();
      const again = { external_id: "a", open_run: true } as const;
      const { message_id: id, run: first } = await create(cloud, threadId, question, again);
      server().clock.advance(limits.clientSilenceMs);
      const { message_id: same, run: second } = await create(cloud, threadId, question, again);
      expect(same).toBe(id);
      expect(second!.lease_id).not.toBe(first!.lease_id);
      const late = { content: partial("late"), lease_id: first!.lease_id };
      expect(await errorOf(cloud.threads.messages.update(threadId, id, late))).toEqual(
        expectedError(newestClient, "lease-mismatch"),
      );
      await cloud.threads.messages.update(threadId, id, {
        content: partial("new"),
        lease_id: second!.lease_id,
      });
      expect((await answer()).content).toEqual(partial("new"));
    });

    test("a client that never got the id of its lease ends it with its answer", async () => {
      const { cloud, threadId, question, answer } = await open();
      await create(cloud, threadId, question, { external_id: "a", open_run: true });
      await create(cloud, threadId, question, { external_id: "a" }, whole("Ferns."));
      expect(await answer()).toMatchObject({ content: whole("Ferns."), run: { status: "ended" } });
    });

    // As in an app with React Native, whose new threads have two histories that store the same messages.
    test("the holder can still write and end when its app has stored the answer without the lease", async () => {
      const { cloud, threadId, question, answer } = await open();
      const { message_id: id, run } = await create(cloud, threadId, question, {
        external_id: "a",
        open_run: true,
      });
      await create(cloud, threadId, question, { external_id: "a" }, whole("Ferns."));
      const leaseId = run!.lease_id;
      await cloud.threads.messages.update(threadId, id, {
        content: whole("Ferns, all of them."),
        lease_id: leaseId,
      });
      await cloud.threads.runs.end(threadId, leaseId, { reason: "done" });
      expect(await answer()).toMatchObject({
        content: whole("Ferns, all of them."),
        run: { status: "ended" },
      });
    });
  });

  test("of a thread that is deleted meanwhile is unknown, and goes on if the thread is restored", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const { cloud, threadId, question, ada, answer } = await open();
    const { message_id: id, run } = await create(cloud, threadId, question, {
      external_id: "a",
      open_run: true,
    });
    const leaseId = run!.lease_id;
    await cloud.threads.delete(threadId);
    const gone = expectedError(newestClient, "thread-not-found");
    expect(gone.status).toBe(404);
    expect(await errorOf(cloud.threads.runs.heartbeat(threadId, leaseId))).toEqual(gone);
    expect(await errorOf(cloud.threads.runs.end(threadId, leaseId))).toEqual(gone);
    const write = { content: partial("late"), lease_id: leaseId };
    expect(await errorOf(cloud.threads.messages.update(threadId, id, write))).toEqual(gone);
    await ada.call("threads.restore", { params: { thread_id: threadId } });
    await cloud.threads.messages.update(threadId, id, write);
    expect((await answer()).content).toEqual(partial("late"));
    // A deleted message has no lease.
    await cloud.threads.messages.delete(threadId, [id]);
    expect(await errorOf(cloud.threads.runs.heartbeat(threadId, leaseId))).toEqual(
      expectedError(newestClient, "lease-not-found"),
    );
    warn.mockRestore();
  });

  test("of another thread, another message or another workspace is refused, as a forged one is", async () => {
    const { cloud, threadId, question, answer } = await open();
    const { message_id: id } = await create(cloud, threadId, question, { external_id: "a", open_run: true });
    const { run: sibling } = await create(cloud, threadId, question, { external_id: "b", open_run: true });
    const elsewhere = await open();
    const { run: foreign } = await create(elsewhere.cloud, elsewhere.threadId, elsewhere.question, {
      open_run: true,
    });
    const mine = (await cloud.threads.create({ last_message_at: new Date() })).thread_id;
    const { run: ofOtherThread } = await create(cloud, mine, null, { open_run: true });
    const forged = [newId("lease"), "lease_1", "' or 1=1 --", "%", "__proto__"];
    for (const leaseId of [foreign!.lease_id, ofOtherThread!.lease_id, ...forged]) {
      expect(await errorOf(cloud.threads.runs.heartbeat(threadId, leaseId)), leaseId).toEqual(
        expectedError(newestClient, "lease-not-found"),
      );
      expect(await errorOf(cloud.threads.runs.end(threadId, leaseId)), leaseId).toEqual(
        expectedError(newestClient, "lease-not-found"),
      );
    }
    const mismatch = expectedError(newestClient, "lease-mismatch");
    expect(mismatch).toMatchObject({ status: 409, code: "lease_mismatch" });
    const before = (await answer()).content;
    for (const leaseId of [sibling!.lease_id, foreign!.lease_id, ofOtherThread!.lease_id, ...forged]) {
      const write = { content: partial("forged"), lease_id: leaseId };
      expect(await errorOf(cloud.threads.messages.update(threadId, id, write)), leaseId).toEqual(mismatch);
      const named = { external_id: "a", lease_id: leaseId };
      expect(await errorOf(create(cloud, threadId, question, named)), leaseId).toEqual(mismatch);
      const unknown = { external_id: "nobody", lease_id: leaseId };
      expect(await errorOf(create(cloud, threadId, question, unknown)), leaseId).toEqual(mismatch);
    }
    expect((await answer()).content).toEqual(before);
    // Another workspace knows the thread and the lease, and can do nothing with them.
    expect(await errorOf(elsewhere.cloud.threads.runs.heartbeat(threadId, sibling!.lease_id))).toEqual(
      expectedError(newestClient, "thread-not-found"),
    );
  });

  test.for([
    ["lease_id", { lease_id: 7 }],
    ["open_run", { open_run: "yes" }],
    ["open_run", { open_run: true, lease_id: "lease_1", external_id: "a" }],
    ["external_id", { lease_id: "lease_1" }],
  ] as const)("is refused with the name of the wrong field: %s in %o", async ([field, more]) => {
    const { ada, threadId } = await open();
    const body = { parent_id: null, format: "aui/v0", content: partial("x"), ...more };
    const answer = await ada.send("POST", `/v1/threads/${threadId}/messages`, {
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body).toMatchObject({
      error: "Schema validation error",
      details: [{ path: `body.${field}` }],
    });
  });

  test(`is not granted beyond ${limits.clientLeasesMax} in a workspace; the message is then stored without one`, async () => {
    const { cloud, tab, threadId, question } = await open();
    const openOne = async () => await create(cloud, threadId, question, { open_run: true });
    for (let n = 0; n < limits.clientLeasesMax; n += 10)
      await Promise.all(Array.from({ length: 10 }, openOne));
    const more = { external_id: "more", open_run: true } as const;
    expect(await errorOf(create(cloud, threadId, question, more))).toEqual(
      expectedError(newestClient, "too-many-leases"),
    );
    await tab.append(threadId, "local_1", question, "aui/v0", partial("Ferns"), "running");
    expect(tab.hasOpenRun("local_1")).toBe(false);
    await tab.append(threadId, "local_1", question, "aui/v0", whole("Ferns."));
    expect(await messageOf(cloud, threadId, "local_1")).toMatchObject({ content: whole("Ferns.") });
    // Clients that never end their leases do not keep others from theirs.
    server().clock.advance(limits.clientSilenceMs + 1);
    expect((await create(cloud, threadId, question, more)).run).toBeDefined();
  });

  test("of a title-less thread brings the title when it ends, not when it begins", async () => {
    const { cloud, tab, threadId } = await begun();
    const text = `Moss ${crypto.randomUUID()}`;
    await tab.update(threadId, "local_1", "aui/v0", whole(text), "done");
    await expect.poll(async () => (await cloud.threads.get(threadId)).title).not.toBe("");
    expect(await server().titleRequestsWith(text)).toHaveLength(1);
  });
});

describeServer("an answer of this server that is being written", { model: true }, (server) => {
  test.for(clients)("is running only in the new field: %s", async ([, client], { ada }) => {
    const cloud = keyCloud(client, server(), { workspaceId: ada.headers["Aui-Workspace-Id"]! });
    const talk = await startRun(ada, "Count endless gap=5");
    const listed = async () => (await cloud.threads.messages.list(talk.thread_id)).messages[0]!;
    const running = await listed();
    // As before, so that older clients do not wait.
    expect(running.content).toMatchObject({ status: { type: "incomplete", reason: "cancelled" } });
    if (client === newestClient) {
      expect(running.run).toEqual({ status: "running", last_heartbeat_ms_ago: 0 });
      expect(new client.CloudMessagePersistence(cloud).runStateOf(running.run)?.status).toBe("in-progress");
    }
    await ada.call("runs.stop", { params: { run_id: talk.run_id } });
    await (await ada.events(talk.run_id)).rest();
    expect((await listed()).run).toBeUndefined();
  });
});

describeServer("an answer of this server that a client stores with a lease", { model: true }, (server) => {
  /** A resumable answer, as `parlance-client` asks for one, and the client's message for it. */
  async function asked(words: string, format: "aui/v0" | "ai-sdk/v6", begun: JsonObject[] = []) {
    const ada = server().inNewWorkspace();
    const cloud = keyCloud(newestClient, server(), { workspaceId: ada.headers["Aui-Workspace-Id"]! });
    const { thread_id: threadId } = await cloud.threads.create({ last_message_at: new Date() });
    const question = userMessage(`${words}\nheld`);
    const response = await fetch(`${server().url}/v1/runs/stream`, {
      method: "POST",
      headers: { ...ada.headers, "Content-Type": "application/json", Accept: "text/event-stream" },
      body: JSON.stringify({
        thread_id: threadId,
        assistant_id: "default",
        messages: begun.length === 0 ? [question] : [question, { role: "assistant", parts: begun }],
        resumable: true,
        ...(format === "aui/v0" ? { reply_external_id: "local_1" } : {}),
      }),
    });
    const runId = response.headers.get("x-resumable-stream-id")!;
    const externalId = format === "aui/v0" ? "local_1" : runId;
    const { message_id: questionId } = await cloud.threads.messages.create(threadId, {
      parent_id: null,
      format: "aui/v0",
      content: question,
    });
    const tab = newTab(cloud);
    tab.record(questionId, questionId);
    const first = { role: "assistant", [format === "aui/v0" ? "content" : "parts"]: begun };
    await tab.append(threadId, externalId, questionId, format, first, "running");
    expect(tab.hasOpenRun(externalId)).toBe(true);
    await server().requestsWith(words);
    // Nobody reads the stream.
    await response.body!.cancel();
    const other = newTab(cloud);
    const answer = async () => (await other.load(threadId))[0]!;
    const ended = async () => await (await ada.events(runId)).rest();
    return { ada, cloud, threadId, runId, tab, externalId, other, answer, ended };
  }

  type Asked = Awaited<ReturnType<typeof asked>>;

  /** What a reader sees after the time for the next heartbeat, which the server sends. */
  async function stateAfterHeartbeat({ other, answer }: Pick<Asked, "other" | "answer">) {
    server().clock.advance(limits.clientHeartbeatMs);
    return other.runStateOf((await answer()).run)?.status;
  }

  test.for(["aui/v0", "ai-sdk/v6"] as const)(
    "is shown as running while its page is gone, and is then stored by the server: %s",
    async (format) => {
      const { tab, other, answer, ended } = await asked(`Count for me ${format}`, format);
      tab.reset();
      server().clock.advance(limits.clientSilenceMs);
      await expect.poll(async () => await stateAfterHeartbeat({ other, answer })).toBe("in-progress");
      server().model.release();
      await ended();
      await expect.poll(async () => await stateAfterHeartbeat({ other, answer })).toBeUndefined();
      const stored = await answer();
      expect(stored.format).toBe(format);
      const { text } = readText(stored.content);
      expect(text).toContain("Count for me");
      if (format === "aui/v0")
        expect(stored.content).toMatchObject({ status: { type: "complete", reason: "stop" } });
      expect(tab.runStateOf(stored.run)).toBeUndefined();
    },
  );

  test("is read again with the id of the client's message, so that a reloaded page replaces it", async () => {
    const { ada, answer, runId, ended } = await asked("Read me again", "ai-sdk/v6");
    server().model.release();
    await ended();
    const { text } = await ada.ask("runs.resume", { params: { run_id: runId } });
    expect(text).toContain(JSON.stringify({ type: "start", messageId: (await answer()).id }));
    expect(text).toContain("Read me again");
  });

  test("is stored by the server although the database failed meanwhile", async () => {
    const { tab, other, answer, ended, threadId } = await asked("Survive this", "ai-sdk/v6");
    tab.reset();
    const sql = async (statement: string) =>
      await rawSql(server().place, async (run) => void (await run(statement)));
    await sql("alter table client_leases rename to lost_leases");
    server().clock.advance(limits.clientHeartbeatMs);
    // A request that comes later fails too.
    await expect(other.load(threadId)).rejects.toThrow();
    expect(server().log.takeErrors()).toEqual([expect.stringContaining("client_leases")]);
    await sql("alter table lost_leases rename to client_leases");
    server().clock.advance(limits.clientSilenceMs);
    await expect.poll(async () => await stateAfterHeartbeat({ other, answer })).toBe("in-progress");
    server().model.release();
    await ended();
    await expect.poll(async () => await stateAfterHeartbeat({ other, answer })).toBeUndefined();
    expect(readText((await answer()).content).text).toContain("Survive this");
  });

  test("is left to its client if it continues a message, which has more than this answer", async () => {
    // The AI SDK names the continued message like the new answer.
    const toolCall = { toolCallId: "call_1", state: "output-available", input: {}, output: "Wet" };
    const begun = [
      { type: "text", text: "I look at the soil." },
      { type: "tool-soil", ...toolCall },
    ];
    const { answer, ended, tab } = await asked("Is it wet?", "ai-sdk/v6", begun);
    tab.reset();
    server().model.release();
    await ended();
    // Past the time at which the server stores an answer whose client is gone.
    for (let at = 0; at <= 2 * limits.clientSilenceMs; at += limits.clientHeartbeatMs) {
      server().clock.advance(limits.clientHeartbeatMs);
      expect((await answer()).content).toMatchObject({ parts: begun });
    }
  });

  test("is left to its client if that is heard of after the answer", async () => {
    const { tab, threadId, answer, ended } = await asked("Say it", "aui/v0");
    server().model.release();
    await ended();
    await tab.update(threadId, "local_1", "aui/v0", partial("My own words"), "running");
    server().clock.advance(limits.clientHeartbeatMs);
    await tab.update(threadId, "local_1", "aui/v0", partial("My own words, now"), "running");
    server().clock.advance(limits.clientSilenceMs);
    await tab.update(threadId, "local_1", "aui/v0", whole("My own words."), "done");
    expect(await answer()).toMatchObject({ content: whole("My own words."), run: { status: "ended" } });
  });
});

/** A tab's persistence. It sends no heartbeats after the test. */
function newTab(cloud: Cloud) {
  const tab = new CloudMessagePersistence(cloud);
  onTestFinished(() => tab.reset());
  return tab;
}

function readText(content: object): { text: string } {
  const { content: aui, parts } = content as { content?: { text?: string }[]; parts?: { text?: string }[] };
  return { text: (aui ?? parts ?? []).map(({ text = "" }) => text).join("") };
}

async function create(
  cloud: Cloud,
  threadId: string,
  parentId: string | null,
  more: { external_id?: string; open_run?: true; lease_id?: string },
  content: ReturnType<typeof partial> = partial("x"),
) {
  return await cloud.threads.messages.create(threadId, {
    parent_id: parentId,
    format: "aui/v0",
    content,
    ...more,
  });
}

async function messageOf(cloud: Cloud, threadId: string, externalId: string) {
  let after: string | undefined;
  for (;;) {
    const { messages } = await cloud.threads.messages.list(threadId, after === undefined ? {} : { after });
    const found = messages.find((message) => message.external_id === externalId);
    if (found !== undefined || messages.length === 0) return found;
    after = messages.at(-1)!.id;
  }
}
