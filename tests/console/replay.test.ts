import { createHash } from "node:crypto";
import { EventSchemas } from "@ag-ui/core/schemas";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { newId } from "#contract/ids.ts";
import type { JsonObject } from "#contract/json.ts";
import { userMessage } from "#fixtures/people.ts";
import { join, type Browser } from "../support/clients/browser.ts";
import { below, readWholeLog, sendAndWait } from "../support/clients/conversation.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { describeServer } from "../support/servers/server.ts";
import { newApp, openApp, pass, soon } from "./app-with-retention.ts";

const question = 'What is 1+1? A dunlin asks. tool=calculate("1+1")';

describeServer("the steps of runs", { model: true }, (server) => {
  let owner: Browser;
  let admin: Browser;
  beforeAll(async () => {
    ({ owner, admin } = await openApp(server()));
  });
  beforeEach(async () => {
    await admin.post("auth.openSession", {});
    await owner.post("auth.openSession", {});
  });

  async function keepingApp() {
    const app = await newApp(server(), admin);
    await app.keep({ keep_steps_days: 3 });
    return app;
  }

  const replayOf = async (who: Visitor, runId: string) =>
    (await who.call("runs.replay", { params: { run_id: runId } })).events;
  const notKept = async (who: Visitor, runId: string) =>
    await who.fails("run-steps-not-kept", "runs.replay", { params: { run_id: runId } });

  test("are exported as AG-UI's events, with each request exactly as it was sent", async () => {
    const { params, user } = await keepingApp();
    const ada = user("ada");
    const talk = await sendAndWait(ada, question);
    const { events } = await admin.call("console.replay", { params: { ...params, run_id: talk.run_id } });
    for (const event of events) expect(EventSchemas.safeParse(event)).toMatchObject({ success: true });
    const types = events.map(({ type }) => type);
    expect(types.filter((type) => type !== "CUSTOM" && type !== "RAW")).toEqual([
      "RUN_STARTED",
      "STEP_STARTED",
      "TOOL_CALL_START",
      "TOOL_CALL_ARGS",
      "TOOL_CALL_END",
      "TOOL_CALL_RESULT",
      "STEP_FINISHED",
      "STEP_STARTED",
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_END",
      "STEP_FINISHED",
      "RUN_FINISHED",
    ]);
    const bodies = events.flatMap(({ type, event }) => (type === "RAW" ? [event as string] : []));
    const sent = await server().requestsWith("A dunlin asks");
    expect(bodies).toEqual(sent.map(({ rawBody }) => rawBody.toString()));
    const requests = events.flatMap(({ type, value }) => (type === "CUSTOM" ? [value as JsonObject] : []));
    expect(requests.map(({ body_sha256: hash }) => hash)).toEqual(
      bodies.map((body) => createHash("sha256").update(body).digest("hex")),
    );
    expect(requests[0]).toMatchObject({ model: "env/fixture-1", outcome: "completed", attempt: 1 });
    expect(requests[0]!["input_tokens"]).toBeGreaterThan(0);
    expect(events.find(({ type }) => type === "TOOL_CALL_ARGS")).toMatchObject({
      delta: expect.stringContaining("1+1") as string,
    });
    expect(events.at(-1)).toMatchObject({ runId: talk.run_id, result: { state: "completed" } });
    // Texts are whole, not in tokens.
    const text = talk.reply.parts.findLast((part) => part.type === "text")!;
    expect(events.find(({ type }) => type === "TEXT_MESSAGE_CONTENT")).toMatchObject({ delta: text.text });
    // What the person changes or deletes later does not change them.
    await ada.call("messages.remove", {
      params: { thread_id: talk.thread_id },
      body: { message_ids: [talk.reply_id] },
    });
    const again = await admin.call("console.replay", { params: { ...params, run_id: talk.run_id } });
    expect(again.events).toEqual(events);
  });

  test("are kept of failed runs too", async () => {
    const { user } = await keepingApp();
    const ada = user("ada");
    const talk = await sendAndWait(ada, "Fails. status=400");
    const events = await replayOf(ada, talk.run_id);
    for (const event of events) expect(EventSchemas.safeParse(event)).toMatchObject({ success: true });
    expect(events.at(-1)).toMatchObject({ type: "RUN_ERROR" });
    expect(events.map(({ type }) => type)).toContain("RAW");
  });

  test("are read by the person who started the run, without the instructions, and by nobody else", async () => {
    const { params, user, backend } = await keepingApp();
    const ada = user("ada");
    const talk = await sendAndWait(ada, question);
    const run = { run_id: talk.run_id };
    const bodies = (await replayOf(ada, talk.run_id)).flatMap(({ type, event }) =>
      type === "RAW" ? [JSON.parse(event as string) as { messages: { role: string }[] }] : [],
    );
    expect(bodies).toHaveLength(2);
    for (const { messages } of bodies) expect(messages.map(({ role }) => role)).not.toContain("system");
    expect(JSON.stringify(bodies)).toContain("A dunlin asks");
    for (const stranger of [user("ben"), await server().anonymous(), admin, owner])
      await stranger.fails("run-not-found", "runs.replay", { params: run });
    const member = await join(owner, { email: "mia@example.com" });
    for (const other of [member, ada, backend, server().guest])
      expect([401, 403]).toContain(
        (await other.ask("console.replay", { params: { ...params, ...run } })).status,
      );
    const elsewhere = await newApp(server(), admin);
    await admin.fails("run-not-found", "console.replay", { params: { ...elsewhere.params, ...run } });
    // Those of people with an account are theirs alone.
    const [first] = (await admin.call("console.apps")).apps;
    const firstApp = { app_id: first!.id };
    const rules = { keep_threads_days: null, keep_span_texts_days: null };
    await admin.call("console.putRetention", { params: firstApp, body: { ...rules, keep_steps_days: 3 } });
    const own = await sendAndWait(member, question);
    expect((await replayOf(member, own.run_id)).at(-1)).toMatchObject({ type: "RUN_FINISHED" });
    const theirs = { params: { ...firstApp, run_id: own.run_id } };
    for (const who of [admin, owner]) await who.fails("run-not-found", "console.replay", theirs);
  });

  test("are not kept unless the app says so, and never of temporary and local-only chats", async () => {
    const { user } = await newApp(server(), admin);
    const off = await sendAndWait(user("ada"), question);
    await notKept(user("ada"), off.run_id);

    const app = await keepingApp();
    const ada = app.user("ada");
    const temporary = await ada.call("runs.start", {
      params: { thread_id: newId("thread") },
      body: { temporary: true, message: { parent_id: null, content: userMessage("Gone tokens=2") } },
    });
    await readWholeLog(ada, temporary.run_id);
    await notKept(ada, temporary.run_id);

    const talk = await sendAndWait(ada, question);
    const thread = { params: { thread_id: talk.thread_id } };
    await ada.call("threads.update", { ...thread, body: { local_only: true } });
    const local = await sendAndWait(ada, "Only here. tokens=2", below(talk));
    expect(local.reply.end?.state).toBe("completed");
    await notKept(ada, local.run_id);
    // Those of before are not shown while the chat is local only.
    await notKept(ada, talk.run_id);
    await ada.call("threads.update", { ...thread, body: { local_only: false } });
    await notKept(ada, local.run_id);
    expect((await replayOf(ada, talk.run_id)).length).toBeGreaterThan(5);
  });

  test("are deleted after the days, with their thread, and with everyone who wrote in it", async () => {
    const { admin: manager, user, backend, keep } = await keepingApp();
    const ada = user("ada");
    const old = await sendAndWait(ada, question);
    await pass([server()], 71, manager);
    expect((await replayOf(ada, old.run_id)).length).toBeGreaterThan(5);
    await pass([server()], 2, manager);
    await soon([server()], async () => await notKept(ada, old.run_id));

    const gone = await sendAndWait(ada, question);
    await ada.call("threads.remove", { params: { thread_id: gone.thread_id } });
    await ada.call("trash.remove", { params: { thread_id: gone.thread_id } });
    await notKept(ada, gone.run_id);

    // Ada's words are in the requests of those who write with her.
    const ben = user("ben", "team");
    const alone = await sendAndWait(ben, "Hello tokens=2");
    const first = await sendAndWait(ben, "Hello tokens=2");
    const hers = await sendAndWait(user("ada", "team"), question, below(first));
    const second = await sendAndWait(ben, "And 2+2? tokens=2", below(hers));
    expect(JSON.stringify(await replayOf(ben, second.run_id))).toContain("dunlin");
    await backend.call("apps.eraseUser", { params: { user_id: "ada" } });
    await notKept(ben, second.run_id);
    expect((await replayOf(ben, alone.run_id)).length).toBeGreaterThan(5);

    // Turned off, they are deleted a day later.
    const last = await sendAndWait(user("cleo"), question);
    await keep({});
    await pass([server()], 23, manager);
    expect((await replayOf(user("cleo"), last.run_id)).length).toBeGreaterThan(5);
    await pass([server()], 2, manager);
    await soon([server()], async () => await notKept(user("cleo"), last.run_id));
  });
});
