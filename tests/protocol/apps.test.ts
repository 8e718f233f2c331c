import { describe, expect } from "vitest";
import { newId } from "#contract/ids.ts";
import { apiKey } from "#fixtures/people.ts";
import { ownedObjectsOf } from "../endpoints/owned-objects.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer, test, startTestServer } from "../support/servers/server.ts";
import { bearer, visitor, type Visitor } from "../support/clients/visitor.ts";
import { clients, keyCloud } from "./clients.ts";

const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const dayMs = 24 * 60 * 60_000;

describeServer("an app's data, read with its API key,", { model: true }, (server, engine) => {
  /** The API key alone, without a user and workspace. */
  const backend = (): Visitor => visitor(server().url, "backend", bearer(apiKey));
  const now = () => new Date().toISOString();

  async function newThread(who: Visitor, external_id: string, more: object = {}): Promise<string> {
    return (await who.call("threads.create", { body: { last_message_at: now(), external_id, ...more } }))
      .thread_id;
  }

  test.for(clients)("has every workspace's threads and messages: %s", async ([, client]) => {
    const external = `of every workspace ${newId("thread")}`;
    const owners = [server().inNewWorkspace(), server().inNewWorkspace(), await server().anonymous("dan")];
    const ids = [];
    for (const owner of owners) ids.push(await newThread(owner, external));
    const body = {
      parent_id: null,
      format: "aui/v0",
      content: { role: "user", content: [{ type: "text", text: "Hi" }] },
    };
    const { message_id } = await owners[2]!.call("messages.add", { params: { thread_id: ids[2]! }, body });
    const cloud = keyCloud(client, server());
    const { threads } = await cloud.projects.threads.list({ limit: 100 });
    expect(threads.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    const names = new Map(threads.map(({ id, workspace_id }) => [id, workspace_id]));
    for (const [index, owner] of owners.entries())
      expect(names.get(ids[index]!)).toBe((await owner.call("auth.me")).workspace_id);
    const { messages } = await cloud.projects.threads.messages.list(ids[2]!, { format: "ai-sdk/v6" });
    expect(messages).toMatchObject([
      {
        id: message_id,
        format: "ai-sdk/v6",
        content: { role: "user", parts: [{ type: "text", text: "Hi" }] },
      },
    ]);
    expect(
      (await backend().call("apps.threads", { query: { external_id: external } })).threads.map(
        ({ id }) => id,
      ),
    ).toEqual(ids.toReversed());
  });

  test("lists threads like a workspace: active or archived, in pages, without the trash", async ({ ada }) => {
    const external_id = `pages ${newId("thread")}`;
    const ids: string[] = [];
    for (let index = 0; index < 5; index++)
      ids.unshift(await newThread(index % 2 === 0 ? ada : server().inNewWorkspace(), external_id));
    const list = async (query: object) =>
      (await backend().call("apps.threads", { query: { external_id, ...query } })).threads.map(
        ({ id }) => id,
      );
    expect(await list({})).toEqual(ids);
    expect(await list({ limit: 2 })).toEqual(ids.slice(0, 2));
    expect(await list({ limit: 2, after: ids[1]! })).toEqual(ids.slice(2, 4));
    await ada.call("threads.update", { params: { thread_id: ids[0]! }, body: { is_archived: true } });
    await ada.call("threads.remove", { params: { thread_id: ids[2]! } });
    expect(await list({})).toEqual([ids[1], ids[3], ids[4]]);
    expect(await list({ is_archived: "true" })).toEqual([ids[0]]);
    for (const after of ["x", newId("thread")]) expect(await list({ after })).toEqual(await list({}));
    for (const limit of ["0", "101", "x"])
      await backend().fails("bad-request", "apps.threads", { query: { limit } });
    expect(await backend().call("apps.messages", { params: { thread_id: ids[2]! } })).toEqual({
      messages: [],
    });
    expect(await backend().call("apps.messages", { params: { thread_id: newId("thread") } })).toEqual({
      messages: [],
    });
  });

  test("has the active users and titles of this month", async () => {
    const before = await backend().call("apps.usagePeriod");
    await ownedObjectsOf(server().inNewWorkspace("zoe"));
    await expect
      .poll(async () => (await backend().call("apps.usagePeriod")).thread_titles.used)
      .toBe(before.thread_titles.used + 1);
    const after = await backend().call("apps.usagePeriod");
    expect(after.active_users).toBe(before.active_users + 1);
    expect(after).toMatchObject({ plan: "self-hosted", included: null, cap: null, capped_at: null });
    const [start, end] = [new Date(after.period_start), new Date(after.period_end)];
    expect([start.getUTCDate(), end.getUTCDate(), start.getUTCHours(), end.getUTCHours()]).toEqual([
      1, 1, 0, 0,
    ]);
    expect(start.getTime()).toBeLessThanOrEqual(server().clock.now());
    expect(end.getTime()).toBeGreaterThan(server().clock.now());
    await backend().fails("mcp-not-offered", "mcp.call");
  });

  test("is accessible with a valid API key, with or without other headers", async () => {
    const requests = [
      ["GET", "/v1/projects/threads"],
      ["GET", `/v1/projects/threads/${newId("thread")}/messages`],
      ["GET", "/v1/projects/runs"],
      ["GET", `/v1/projects/runs/${newId("run")}`],
      ["GET", "/v1/projects/usage/daily"],
      ["GET", "/v1/projects/scores"],
      ["DELETE", "/v1/projects/users/user_nobody_at_all"],
    ] as const;
    for (const [method, path] of requests) {
      for (const [headers, code] of [
        [{ Authorization: "Basic x" }, "unsupported-scheme"],
        [{ Authorization: "Bearer x" }, "unsupported-credential"],
        [{ Authorization: "Bearer sk_aui_proj_nobodys" }, "invalid-api-key"],
        [{ Authorization: "Bearer a.b.c" }, "invalid-token"],
      ] as const) {
        expectProblem(await server().guest.send(method, path, { headers }), code);
      }
      // The headers of other calls are ignored here.
      for (const headers of [
        {},
        { "Aui-Workspace-Id": "with space" },
        { "Aui-User-Id": "", "Aui-Workspace-Id": "org" },
      ]) {
        expect([200, 404]).toContain((await backend().send(method, path, { headers })).status);
      }
    }
  });

  describe("of runs", () => {
    test("has our own and reported ones", async ({ ada }) => {
      const mine = await ownedObjectsOf(ada);
      const run = await backend().call("apps.run", { params: { run_id: mine.run_id } });
      const { user_id } = await ada.call("auth.me");
      expect(run).toMatchObject({
        id: mine.run_id,
        thread_id: mine.thread_id,
        message_id: mine.reply_id,
        created_by: user_id,
        status: "completed",
        outcome_type: null,
        model_id: "env/fixture-1",
        output_tokens: 3,
        tags: [],
        attributes: {},
        metadata: {},
      });
      expect(run.duration_ms).toBeGreaterThanOrEqual(run.first_token_ms!);
      const failed = await ownedObjectsOf(ada, "This breaks off. tokens=5 die=3");
      expect(await backend().call("apps.run", { params: { run_id: failed.run_id } })).toMatchObject({
        status: "error",
        outcome_type: "provider_error",
      });
      await backend().fails("run-not-found", "apps.run", { params: { run_id: newId("run") } });
    });

    test("is filtered, newest first, and paged by its cursor", async ({ ada }) => {
      const thread_id = await newThread(ada, "runs");
      const created: string[] = [];
      const report = async (more: object) =>
        created.unshift(
          (await ada.call("runs.report", { body: { thread_id, status: "completed", ...more } })).run_id,
        );
      await report({ tags: ["a", 'quo"te', "A,b"], environment: "production" });
      await report({ status: "error", outcome_type: "timeout", provider: "p", model_id: "m" });
      await report({ tags: ["ab", "\\"], release: "r 1" });
      await report({ status: "incomplete", outcome_type: "aborted", tags: ["%"] });
      const list = async (query: object = {}) => {
        const { runs } = await backend().call("apps.runs", { query: { thread_id, ...query } });
        return runs.map(({ id }) => id);
      };
      expect(await list()).toEqual(created);
      expect(await list({ status: "completed" })).toEqual([created[1], created[3]]);
      expect(await list({ status: "error" })).toEqual([created[2]]);
      expect(await list({ status: "incomplete", outcome_type: "aborted" })).toEqual([created[0]]);
      expect(await list({ outcome_type: "timeout", provider: "p", model_id: "m" })).toEqual([created[2]]);
      expect(await list({ environment: "production" })).toEqual([created[3]]);
      expect(await list({ release: "r 1" })).toEqual([created[1]]);
      expect(await list({ created_by: (await ada.call("auth.me")).user_id })).toEqual(created);
      expect(await list({ created_by: "nobody" })).toEqual([]);
      for (const [tag, found] of [
        ["a", created[3]],
        ['quo"te', created[3]],
        ["A,b", created[3]],
        ["ab", created[1]],
        ["\\", created[1]],
        ["%", created[0]],
      ] as const) {
        expect(await list({ tag }), tag).toEqual([found]);
      }
      for (const tag of ["b", "A", "_", "a,", '"', "quo"]) expect(await list({ tag }), tag).toEqual([]);
      const { created_at } = await backend().call("apps.run", { params: { run_id: created[0]! } });
      expect(await list({ from: created_at })).toContain(created[0]);
      expect(await list({ from: new Date(Date.parse(created_at) + 1).toISOString() })).toEqual([]);
      expect(await list({ to: created_at })).toEqual(created);
      expect(await list({ to: "2020-01-01T00:00:00.000Z" })).toEqual([]);

      const walked: string[] = [];
      let cursor: string | null = null;
      do {
        const page: { runs: { id: string }[]; next_cursor: string | null } = await backend().call(
          "apps.runs",
          {
            query: { thread_id, limit: 3, ...(cursor === null ? {} : { cursor }) },
          },
        );
        walked.push(...page.runs.map(({ id }) => id));
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(walked).toEqual(created);
      for (const broken of [
        "x",
        "e30",
        "bnVsbA",
        Buffer.from('["x",1]').toString("base64url"),
        Buffer.from('["1",2]').toString("base64url"),
      ]) {
        await backend().fails("bad-cursor", "apps.runs", { query: { cursor: broken } });
      }
      for (const query of [{ limit: "0" }, { limit: "101" }, { status: "done" }, { from: "x" }]) {
        await backend().fails("bad-request", "apps.runs", { query });
      }
    });
  });

  describe("of usage", () => {
    test("is summed by day or by model, with every day of the range", async () => {
      const own = await startTestServer({ engine });
      const key = visitor(own.url, "backend", bearer(apiKey));
      const ada = own.inNewWorkspace();
      const { thread_id } = await ada.call("threads.create", { body: { last_message_at: now() } });
      const report = async (more: object) =>
        await ada.call("runs.report", { body: { thread_id, status: "completed", ...more } });
      await report({ model_id: "m", provider: "p", input_tokens: 10, output_tokens: 5, cost_usd: 0.25 });
      await report({ model_id: "m", provider: "p", input_tokens: 1, status: "error", cost_usd: 0.000001 });
      await report({ model_id: "n" });
      await report({});
      const { days } = await key.call("apps.usage");
      expect(days).toHaveLength(30);
      expect(days.at(-1)).toEqual({
        day: day(Date.now()),
        runs: 4,
        errors: 1,
        input_tokens: 11,
        output_tokens: 5,
        total_tokens: 16,
        cost_usd: 0.250001,
      });
      expect(days[0]).toEqual({
        day: day(Date.now() - 29 * dayMs),
        runs: 0,
        errors: 0,
        input_tokens: 0,
        output_tokens: 0,
        total_tokens: 0,
        cost_usd: 0,
      });
      const byModel = (await key.call("apps.usage", { query: { group_by: "model" } })).days;
      const used = byModel.map(({ provider, model_id, runs }) => ({ provider, model_id, runs }));
      expect(used).toHaveLength(3);
      expect(used).toContainEqual({ provider: null, model_id: null, runs: 1 });
      expect(used).toContainEqual({ provider: null, model_id: "n", runs: 1 });
      expect(used).toContainEqual({ provider: "p", model_id: "m", runs: 2 });
      const range = async (from: string, to: string) => await key.ask("apps.usage", { query: { from, to } });
      expect((await range("2024-02-28", "2024-03-01")).body.days.map((used) => used.day)).toEqual([
        "2024-02-28",
        "2024-02-29",
        "2024-03-01",
      ]);
      expect((await range("2025-01-01", "2025-01-01")).body.days).toHaveLength(1);
      expect((await range("2024-01-01", "2025-01-01")).status).toBe(200);
      for (const [from, to] of [
        ["2025-01-02", "2025-01-01"],
        ["2024-01-01", "2025-01-02"],
        ["2025-02-29", "2025-03-01"],
        ["2025-13-01", "2025-12-01"],
      ] as const) {
        expectProblem(await range(from, to), "bad-day-range");
      }
      for (const from of ["2025-1-1", "yesterday", "2025-01-01T00:00:00Z"])
        expectProblem(await range(from, "2025-01-01"), "bad-request");
      await own.close();
    });
  });

  test("lists scores, newest first, in pages", async ({ ada }) => {
    const thread_id = await newThread(ada, "scores");
    const ids: string[] = [];
    for (let value = 0; value < 5; value++) {
      ids.unshift(
        (
          await ada.call("scores.put", {
            body: { thread_id, name: `n${value}`, data_type: "numeric", value },
          })
        ).score_id,
      );
    }
    const list = async (query: object) =>
      (await backend().call("apps.scores", { query: { thread_id, ...query } })).scores.map(({ id }) => id);
    expect(await list({})).toEqual(ids);
    expect(await list({ limit: 2, after: ids[1]! })).toEqual(ids.slice(2, 4));
    expect(await list({ name: "n3" })).toEqual([ids[1]]);
    expect(await list({ since: new Date(Date.now() + 60_000).toISOString() })).toEqual([]);
    for (const after of ["x", newId("score")])
      await backend().fails("bad-cursor", "apps.scores", { query: { after } });
  });
});
