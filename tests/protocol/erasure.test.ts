import { expect } from "vitest";
import { newId } from "#contract/ids.ts";
import { apiKey } from "#fixtures/people.ts";
import { openDatabase } from "#storage/database/open.ts";
import { ownedObjectsOf } from "../endpoints/owned-objects.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer, test, newPlace, startTestServer } from "../support/servers/server.ts";
import { bearer, visitor, type Visitor } from "../support/clients/visitor.ts";

describeServer("erasing a person", { model: true }, (server, engine) => {
  const backend = (): Visitor => visitor(server().url, "backend", bearer(apiKey));
  const now = () => new Date().toISOString();
  const erase = async (userId: string) =>
    await backend().ask("apps.eraseUser", { params: { user_id: userId } });
  let people = 0;

  /** Two colleagues with names that are unique in the app. */
  function colleagues() {
    people += 1;
    const headers = (name: string) => ({
      ...bearer(apiKey),
      "Aui-User-Id": `${name}_${people}`,
      "Aui-Workspace-Id": `office_${people}`,
    });
    return ["una", "ulf"].map((name) => visitor(server().url, `${name}_${people}`, headers(name))) as [
      Visitor,
      Visitor,
    ];
  }

  async function newThread(who: Visitor): Promise<string> {
    return (await who.call("threads.create", { body: { last_message_at: now(), title: `Of ${who.name}` } }))
      .thread_id;
  }

  async function add(
    who: Visitor,
    thread_id: string,
    parent_id: string | null,
    format: string,
    content: object,
  ): Promise<string> {
    return (
      await who.call("messages.add", {
        params: { thread_id },
        body: { parent_id, format, content: content as never },
      })
    ).message_id;
  }

  test("deletes their threads, text, scores and name, and keeps other people's", async () => {
    const [una, ulf] = colleagues();
    const hers = await newThread(una);
    await add(ulf, hers, null, "aui/v0", { role: "user", content: [{ type: "text", text: "Ulf in Una's" }] });
    const his = await newThread(ulf);
    const first = await add(ulf, his, null, "aui/v0", {
      role: "user",
      content: [{ type: "text", text: "Ulf's own" }],
    });
    const words = await add(una, his, first, "aui/v0", {
      role: "user",
      content: [{ type: "text", text: "Una's secret" }],
    });
    const parts = await add(una, his, words, "ai-sdk/v6", {
      role: "assistant",
      parts: [{ type: "text", text: "Una's secret" }],
    });
    const other = await add(una, his, parts, "my own", { secret: "Una's secret" });
    const last = await add(ulf, his, other, "aui/v0", {
      role: "user",
      content: [{ type: "text", text: "Ulf goes on" }],
    });
    await una.call("messages.feedback", {
      params: { thread_id: his, message_id: first },
      body: { type: "positive", comment: "Una's secret" },
    });
    await ulf.call("messages.feedback", {
      params: { thread_id: his, message_id: first },
      body: { type: "negative" },
    });
    await una.call("events.add", {
      body: { events: [{ kind: "message_sent", props: { of: "Una's secret" } }] },
    });
    const { run_id } = await una.call("runs.report", {
      body: {
        thread_id: his,
        status: "completed",
        output_text: "Una's secret",
        attributes: { of: "Una's secret" },
        tags: ["Una's secret"],
        output_tokens: 4,
      },
    });

    expect((await erase(una.name)).body).toEqual({ threads: 1, runs: 1 });

    expect((await ulf.call("threads.list")).threads.map(({ id }) => id)).toEqual([his]);
    const { messages } = await ulf.call("messages.list", { params: { thread_id: his } });
    expect(messages.map(({ id, parent_id, content }) => [id, parent_id, content])).toEqual([
      [last, other, { role: "user", content: [{ type: "text", text: "Ulf goes on" }] }],
      [other, parts, {}],
      [parts, words, { role: "assistant", parts: [] }],
      [words, first, { role: "user", content: [], metadata: { custom: {} } }],
      [first, null, { role: "user", content: [{ type: "text", text: "Ulf's own" }] }],
    ]);
    const run = await backend().call("apps.run", { params: { run_id } });
    expect(run).toMatchObject({ created_by: "usr_deleted", output_tokens: 4, attributes: {}, tags: [] });
    const { scores } = await backend().call("apps.scores", { query: { thread_id: his } });
    expect(scores.map(({ author_id, value }) => [author_id, value])).toEqual([[ulf.name, 0]]);
    const feed = await ulf.live({ after: 0 });
    const seen = [(await feed.next()).value?.data, (await feed.next()).value?.data];
    feed.close();
    // Earlier entries are deleted.
    expect(seen).toEqual([
      { type: "hello", seq: 0 },
      { type: "reset", seq: expect.any(Number) as number },
    ]);

    expect((await erase(una.name)).body).toEqual({ threads: 0, runs: 0 });
  });

  test("leaves none of their text in the database", async () => {
    const place = await newPlace(engine);
    const own = await startTestServer({ engine, place, model: true });
    const key = visitor(own.url, "backend", bearer(apiKey));
    const una = visitor(own.url, "una", {
      ...bearer(apiKey),
      "Aui-User-Id": "una_alone",
      "Aui-Workspace-Id": "una_alone",
    });
    const mine = await ownedObjectsOf(una, "The-secret of una_alone tokens=3");
    await una.call("threads.update", {
      params: { thread_id: mine.thread_id },
      body: { title: "The-secret", metadata: { of: "The-secret" } },
    });
    await una.call("scores.put", {
      body: { run_id: mine.run_id, name: "n", data_type: "categorical", string_value: "The-secret" },
    });
    await una.call("events.add", {
      body: { events: [{ kind: "message_sent", thread_id: mine.thread_id, props: { of: "The-secret" } }] },
    });
    await una.call("runs.report", {
      body: { thread_id: mine.thread_id, status: "error", error: "The-secret", environment: "e" },
    });
    await una.call("messages.remove", {
      params: { thread_id: mine.thread_id },
      body: { message_ids: [mine.reply_id] },
    });
    expect(await key.call("apps.eraseUser", { params: { user_id: "una_alone" } })).toEqual({
      threads: 1,
      runs: 2,
    });
    await own.close();
    const db = await openDatabase(place);
    const tables = [
      "workspaces",
      "users",
      "threads",
      "messages",
      "branch_heads",
      "runs",
      "run_reports",
      "scores",
      "events",
      "log_entries",
      "gone_messages",
    ] as const;
    for (const table of tables) {
      const rows = JSON.stringify(await db.read.selectFrom(table).selectAll().execute());
      expect(rows, table).not.toContain("The-secret");
      expect(rows, table).not.toContain("una_alone");
    }
    expect(await db.read.selectFrom("runs").select(["user_id", "thread_id"]).execute()).toEqual([
      { user_id: "usr_deleted", thread_id: null },
      { user_id: "usr_deleted", thread_id: null },
    ]);
    await db.close();
    await place.remove();
  });

  test("without an account ends their sessions", async ({ dan }) => {
    const { user_id } = await dan.call("auth.me");
    await newThread(dan);
    await newThread(dan);
    expect((await erase(user_id)).body).toEqual({ threads: 2, runs: 0 });
    await dan.fails("invalid-token", "threads.list");
  });

  test("stops their running answer", async () => {
    const [una] = colleagues();
    const started = await una.call("runs.start", {
      params: { thread_id: newId("thread") },
      body: {
        message: {
          parent_id: null,
          content: { role: "user", content: [{ type: "text", text: "Erased meanwhile\nendless gap=5" }] },
        },
      },
    });
    const stream = await una.events(started.run_id);
    await stream.until(({ data }) => data.type === "text-delta");
    expect((await erase(una.name)).body).toEqual({ threads: 1, runs: 1 });
    const [request] = await server().requestsWith("Erased meanwhile");
    await request?.end;
    expect(request?.ended).toBe("gone");
    stream.close();
  });

  test("lets a user of the same name start again with nothing", async () => {
    const [una] = colleagues();
    const alone = visitor(server().url, una.name, { ...una.headers, "Aui-Workspace-Id": una.name });
    const minted = server().withToken((await alone.call("auth.mint")).token);
    await newThread(alone);
    expect((await erase(una.name)).body).toEqual({ threads: 1, runs: 0 });
    expect((await alone.call("threads.list")).threads).toEqual([]);
    await newThread(alone);
    expect((await alone.call("threads.list")).threads).toHaveLength(1);
    // An earlier token belongs to the erased workspace, which has no name any more.
    expect((await minted.ask("threads.create", { body: { last_message_at: now() } })).status).toBe(201);
    expect((await alone.call("threads.list")).threads).toHaveLength(1);
  });

  test("who is the administrator is not allowed with an API key", async () => {
    const owner_secret = server().ownerLink.split("#")[1]!;
    const headers = { "Parlance-Client": "web" };
    const { user_id } = await server().guest.call("auth.openSession", { body: { owner_secret }, headers });
    expectProblem(await erase(user_id), "not-allowed");
    expect((await server().guest.ask("auth.openSession", { body: { owner_secret }, headers })).status).toBe(
      200,
    );
  });
});
