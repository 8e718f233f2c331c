import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startModelServer, type ModelServer } from "#fixtures/model-server/model-server.ts";
import { newId } from "#contract/ids.ts";
import type { RunStarted } from "#contract/endpoints/runs.ts";
import type { ProviderInfo } from "#contract/endpoints/providers.ts";
import {
  branchOf,
  readWholeLog,
  sendAndWait,
  startRun,
  waitForFirstWord,
  below,
} from "../support/clients/conversation.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { describeServer, newPlace, startTestServer } from "../support/servers/server.ts";
import { engines } from "../support/postgres/postgres.ts";
import type { Visitor } from "../support/clients/visitor.ts";

const apiKey = "sk-ant-secret-9876";

describeServer("model providers", {}, (server) => {
  let service: ModelServer;
  let other: ModelServer;
  let owner: Visitor;
  let ada: Visitor;
  beforeAll(async () => {
    service = await startModelServer({ apiKey, models: ["claude-a", "claude-b"], refusesUnknown: true });
    other = await startModelServer();
    owner = await server().owner();
    ada = await server().anonymous("ada");
  });
  afterAll(async () => {
    await service.close();
    await other.close();
  });

  async function add(more: object = {}): Promise<ProviderInfo> {
    const body = {
      kind: "anthropic",
      name: "Claude",
      base_url: service.url,
      api_key: apiKey,
      ...more,
    } as const;
    return (await owner.call("providers.create", { body })).provider;
  }
  const removeAll = async () => {
    for (const { id, from_environment: isFixed } of (await owner.call("providers.list")).providers)
      if (!isFixed) await owner.call("providers.remove", { params: { provider_id: id } });
  };
  const listed = async () => {
    const { models, default_model: first } = await ada.call("models.list");
    return { ids: models.map(({ id }) => id), first };
  };
  const ask = async (text: string, more: object = {}) => {
    const started = await ada.call("runs.start", {
      params: { thread_id: newId("thread") },
      body: {
        message: { parent_id: null, content: { role: "user", content: [{ type: "text", text }] } },
        ...more,
      },
    });
    await readWholeLog(ada, started.run_id);
    return started;
  };

  test("answer when the owner adds them, and are gone when removed", async () => {
    expect(await listed()).toEqual({ ids: ["builtin"], first: "builtin" });
    const added = await add();
    expect(added).toMatchObject({
      id: "claude",
      key_last_four: "9876",
      state: "ready",
      from_environment: false,
    });
    expect(await listed()).toEqual({
      ids: ["claude/claude-a", "claude/claude-b", "builtin"],
      first: "claude/claude-a",
    });
    const { thread_id: threadId } = await sendAndWait(ada, "hello\necho");
    const [, reply] = await branchOf(ada, threadId);
    expect(reply!.made_by).toMatchObject({ model: "claude/claude-a" });
    expect(service.requests.some(({ path }) => path === "/v1/messages")).toBe(true);
    await removeAll();
    expect(await listed()).toEqual({ ids: ["builtin"], first: "builtin" });
  });

  test("can be several, in an order, with chosen models and names and one default model", async () => {
    await add({
      models: [
        { id: "claude-b", name: "Second 🌿" },
        { id: "team/own/claude", name: "" },
      ],
    });
    const other = await add({ kind: "openai-compatible", name: "Claude" });
    expect(other.id).toBe("claude-2");
    expect(await listed()).toEqual({
      ids: ["claude/claude-b", "claude/team/own/claude", "claude-2/claude-a", "claude-2/claude-b", "builtin"],
      first: "claude/claude-b",
    });
    await owner.call("providers.reorder", { body: { provider_ids: ["claude-2", "nobody"] } });
    expect((await listed()).first).toBe("claude-2/claude-a");
    const { models } = await ada.call("models.list");
    expect(models.find(({ id }) => id === "claude/claude-b")).toMatchObject({
      name: "Second 🌿",
      provider_name: "Claude",
    });
    const makeDefault = async (id: string, version: number, model: string | null) =>
      (
        await owner.call("providers.update", {
          params: { provider_id: id },
          body: { version, default_model: model },
        })
      ).provider;
    await makeDefault("claude", 1, "claude-b");
    expect((await listed()).first).toBe("claude/claude-b");
    await makeDefault("claude-2", 1, "claude-b");
    expect((await listed()).first).toBe("claude-2/claude-b");
    const providers = (await owner.call("providers.list")).providers.filter(
      ({ from_environment: is }) => !is,
    );
    expect(providers.map(({ default_model: model }) => model)).toEqual(["claude-b", null]);
    await removeAll();
  });

  test("have the facts that the owner gives, where their lists say nothing", async () => {
    const facts = {
      context_tokens: 32_000,
      output_tokens: 4_000,
      prices: { input: 0.5, output: 2, cached: 0.1 },
      reads: ["audio" as const],
      tools: false,
      efforts: ["low" as const, "high" as const],
    };
    const models = [
      { id: "claude-a", name: "", facts },
      { id: "claude-b", name: "", facts: { prices: { input: 0, output: 0 } } },
    ];
    const added = await add({ kind: "openai-compatible", name: "Claude", models });
    expect(added.models).toEqual(models);
    const found = (await ada.call("models.list")).models;
    expect(found[0]).toMatchObject({ id: "claude/claude-a", ...facts });
    expect(found[1]).toMatchObject({
      tools: null,
      context_tokens: null,
      output_tokens: null,
      is_local: true,
      prices: { input: 0, output: 0, cached: null },
      reads: ["image"],
    });
    await ask("No tools for this model tokens=1");
    const request = service.requests.findLast(({ body }) => body?.["model"] === "claude-a")?.body;
    expect(request).toBeDefined();
    expect(request).not.toHaveProperty("tools");
    for (const [wrong, message] of [
      [{ prices: { input: -1, output: 1 } }, /from 0 to/],
      [{ prices: { input: 20_000, output: 1 } }, /from 0 to/],
      [{ prices: { input: 1, output: 2, cached: 3 } }, /higher/],
      [{ prices: { input: 1 } }, /./],
      [{ context_tokens: 0 }, /whole number/],
      [{ output_tokens: 1.5 }, /whole number/],
      [{ reads: ["image", "image"] }, /twice/],
      [{ efforts: ["much"] }, /one of/],
    ] as const) {
      const body = { version: 1, models: [{ id: "claude-a", name: "", facts: wrong }] } as never;
      const refused = await owner.ask("providers.update", { params: { provider_id: added.id }, body });
      expectProblem(refused, "bad-request");
      expect(JSON.stringify(refused.body)).toMatch(message);
    }
    await removeAll();
  });

  test("are new ones under the name of one that was just removed", async () => {
    await add({ api_key: "sk-wrong" });
    await owner.call("providers.remove", { params: { provider_id: "claude" } });
    expect(await add()).toMatchObject({ id: "claude", state: "ready" });
    await removeAll();
  });

  test.each(["meta/llama-3.1/8b", "🦙-tiny:7b", "a b/ç?x=1&y#z"])(
    "have a model named %s, which answers",
    async (id) => {
      const offered = { base_url: other.url, models: [{ id, name: "" }] };
      const { id: provider } = await add({ kind: "openai-compatible", name: "Odd", ...offered });
      expect((await listed()).ids).toContain(`${provider}/${id}`);
      const talk = await sendAndWait(ada, "Who are you? tokens=1", { model: `${provider}/${id}` } as object);
      expect(talk.reply.end?.state).toBe("completed");
      expect(other.requests.at(-1)?.body?.["model"]).toBe(id);
      const [answer] = (await branchOf(ada, talk.thread_id)).slice(-1);
      expect(answer!.made_by).toMatchObject({ model: `${provider}/${id}` });
      const { receipt } = await ada.call("runs.receipt", { params: { run_id: talk.run_id } });
      expect(receipt.requests[0]).toMatchObject({ model: `${provider}/${id}` });
      await removeAll();
    },
  );

  test("get the options that an assistant has for their kind, and no others", async () => {
    await add({ kind: "openai-compatible", name: "Claude" });
    const created = await owner.call("assistants.create", {
      body: {
        name: "Optional",
        parameters: {
          provider_options: {
            "openai-compatible": { top_k: 7, chat_template_kwargs: { deep: [1, null] } },
            anthropic: { sendReasoning: false },
          },
        },
      },
    });
    const id = created.assistant.id;
    await ask("Options please tokens=1", { assistant_id: id });
    const request = service.requests.findLast(({ body }) => body?.["top_k"] !== undefined)?.body;
    expect(request).toMatchObject({ top_k: 7, chat_template_kwargs: { deep: [1, null] } });
    expect(request).not.toHaveProperty("sendReasoning");
    const params = { assistant_id: id };
    for (const options of [
      { nobody: {} },
      { openai: 7 },
      [],
      "{}",
      { openai: { text: "x".repeat(5_000) } },
      JSON.parse('{"__proto__": {}}'),
    ])
      await owner.fails("bad-request", "assistants.update", {
        params,
        body: { parameters: { provider_options: options } },
      });
    await owner.call("assistants.remove", { params });
    await removeAll();
  });

  test("send the reasoning effort of the thread to models that have one", async () => {
    const models = ["gpt-5", "gpt-4.1"].map((id) => ({ id, name: "" }));
    await add({ kind: "openai", name: "OpenAI", base_url: other.url, models });
    const efforts = (await ada.call("models.list")).models.map((model) => [model.id, model.efforts]);
    expect(efforts).toEqual([
      ["openai/gpt-5", ["low", "medium", "high"]],
      ["openai/gpt-4.1", []],
      ["builtin", []],
    ]);
    const thread = newId("thread");
    let parent: string | null = null;
    const sent: unknown[] = [];
    for (const more of [
      { reasoning_effort: "high" },
      {},
      { model: "openai/gpt-4.1" },
      { model: "openai/gpt-5", reasoning_effort: null },
    ] as const) {
      const started: RunStarted = await ada.call("runs.start", {
        params: { thread_id: thread },
        body: {
          message: {
            parent_id: parent,
            content: { role: "user", content: [{ type: "text", text: "Think." }] },
          },
          ...more,
        },
      });
      await readWholeLog(ada, started.run_id);
      parent = started.reply_id;
      const asked = other.requests.filter(
        ({ body }) => !JSON.stringify(body ?? "title of at most").includes("title of at most"),
      );
      sent.push(asked.at(-1)!.body!.reasoning);
    }
    expect(sent).toMatchObject([{ effort: "high" }, { effort: "high" }, undefined, undefined]);
    expect(
      (await ada.call("threads.get", { params: { thread_id: thread } })).thread.reasoning_effort,
    ).toBeNull();
    await removeAll();
  });

  test("never return, log or export a key", async () => {
    const wrongKey = "sk-ant-wrong-key-0000";
    await add({ name: "Wrong", api_key: wrongKey });
    const { provider } = await owner.call("providers.update", {
      params: { provider_id: "wrong" },
      body: { version: 1, name: "Still wrong" },
    });
    expect(provider).toMatchObject({
      state: "failing",
      problem: "provider-refused-key",
      key_last_four: "0000",
    });
    const { text } = await owner.ask("providers.list");
    const tested = await owner.ask("providers.test", {
      body: { kind: "anthropic", provider_id: "wrong", base_url: service.url },
    });
    expect(tested.body.problem).toBe("provider-refused-key");
    const { run_id: runId } = await ask("2+2", { model: "builtin" });
    const seen = [text, tested.text, server().log.text(), JSON.stringify(await readWholeLog(ada, runId))];
    for (const shown of seen) expect(shown).not.toContain(wrongKey);
    const rows = await rawSql(server().place, (run) => run("select * from model_provider_keys"));
    expect(JSON.stringify(rows)).not.toContain(wrongKey);
    await removeAll();
  });

  test("never send a stored key to another host", async () => {
    const elsewhere = await startModelServer();
    await add();
    const body = { version: 1, base_url: elsewhere.url };
    const params = { provider_id: "claude" };
    await owner.fails("bad-request", "providers.update", { params, body });
    const test = { kind: "anthropic", provider_id: "claude", base_url: elsewhere.url } as const;
    await owner.fails("bad-request", "providers.test", { body: test });
    expect(elsewhere.requests).toEqual([]);
    const moved = await owner.call("providers.update", { params, body: { ...body, api_key: "another-key" } });
    expect(moved.provider).toMatchObject({ state: "ready", key_last_four: "-key" });
    expect(elsewhere.requests.every(({ headers }) => headers["x-api-key"] === "another-key")).toBe(true);
    const short = await owner.call("providers.update", {
      params,
      body: { ...body, version: 2, api_key: "1234567" },
    });
    expect(short.provider.key_last_four).toBe("****");
    await elsewhere.close();
    await removeAll();
  });

  test("refuse the change of an owner who has not seen another change", async () => {
    await add();
    const update = async (name: string) =>
      await owner.ask("providers.update", { params: { provider_id: "claude" }, body: { version: 1, name } });
    const [one, other] = await Promise.all([update("One"), update("Other")]);
    const refused = one.status === 200 ? other : one;
    expect(new Set([one.status, other.status])).toEqual(new Set([200, 409]));
    expectProblem(refused, "provider-changed");
    await removeAll();
    expectProblem(await update("Gone"), "provider-not-found");
  });

  test("complete the answer in progress when they are removed, and the next one says so", async () => {
    await add();
    const started = await startRun(ada, "Long tokens=60 gap=10");
    await waitForFirstWord(ada, started.run_id);
    await removeAll();
    const log = await readWholeLog(ada, started.run_id);
    expect(log.at(-1)).toMatchObject({ type: "run-end", state: "completed" });
    await ada.call("threads.update", {
      params: { thread_id: started.thread_id },
      body: { model: "claude/claude-a" },
    });
    await sendAndWait(ada, "2+2", below(started));
    expect((await branchOf(ada, started.thread_id)).at(-1)!.made_by).toMatchObject({
      model: "builtin",
      notes: [{ kind: "model-gone", name: "claude-a" }],
    });
  });

  test.each([
    [{ api_key: "sk\nsecond" }, "body.api_key"],
    [{ api_key: "sk-ключ" }, "body.api_key"],
    [{ name: "Two\nlines" }, "body.name"],
    [{ name: "  " }, "body.name"],
    [{ base_url: "ftp://127.0.0.1/v1" }, "body.base_url"],
    [{ base_url: "https://user:password@example.com/v1" }, "body.base_url"],
    [{ base_url: "https://example.com/v1?key=1" }, "body.base_url"],
    [{ kind: "azure", base_url: "" }, "body.base_url"],
    [
      {
        models: [
          { id: "a", name: "" },
          { id: "a", name: "" },
        ],
      },
      "body.models",
    ],
    [{ models: [{ id: "a\nb", name: "" }] }, "body.models.0.id"],
  ])("refuse %j", async (wrong, path) => {
    const body = { kind: "anthropic", name: "Claude", base_url: service.url, api_key: apiKey, ...wrong };
    const answer = await owner.ask("providers.create", { body: body as never });
    expectProblem(answer, "bad-request");
    expect(answer.text).toContain(path);
    expect(answer.text).not.toContain(apiKey);
  });

  test("accept a key with spaces around it, and a URL that was copied with its path", async () => {
    const added = await add({ api_key: ` ${apiKey}\n`, base_url: `${service.url}/messages/` });
    expect(added).toMatchObject({ state: "ready", base_url: service.url });
    await removeAll();
  });

  describe("the test of a connection", () => {
    const run = async (more: object = {}) =>
      await owner.call("providers.test", {
        body: { kind: "anthropic", base_url: service.url, api_key: apiKey, ...more } as const,
      });

    test("reports the models and the latency", async () => {
      expect(await run()).toEqual({
        problem: null,
        detail: null,
        model: "claude-a",
        latency_ms: expect.any(Number),
        models: [
          { id: "claude-a", name: "claude-a" },
          { id: "claude-b", name: "Claude B" },
        ].map(({ id }) => ({ id, name: expect.any(String) })),
      });
    });

    test.each([
      [{ api_key: "sk-wrong" }, "provider-refused-key"],
      [{ model: "claude-z" }, "provider-model-unknown"],
      [{ base_url: "http://127.0.0.1:9/v1" }, "provider-unreachable"],
    ])("reports %j as %s", async (wrong, problem) => {
      expect(await run(wrong)).toMatchObject({ problem, latency_ms: null });
    });

    test("reports a web page and a wrong path as such", async () => {
      for (const base_url of [server().url, `${server().url}/nothing`, `${service.url}/nothing`])
        expect((await run({ base_url, kind: "openai-compatible" })).problem).toBe("provider-not-a-model");
    });
  });
});

describe.each(engines)("the keys of model providers (%s)", (engine) => {
  test("are asked for again if the database is opened with another secret", async () => {
    const service = await startModelServer({ apiKey });
    const place = await newPlace(engine);
    const body = { kind: "openai-compatible", name: "Kept", base_url: service.url, api_key: apiKey } as const;
    let server = await startTestServer({ engine, place });
    await (await server.owner()).call("providers.create", { body });
    await server.close();
    server = await startTestServer({
      engine,
      place,
      settings: { PARLANCE_SECRET: "x".repeat(40) },
    });
    const owner = await server.owner();
    const [kept] = (await owner.call("providers.list")).providers;
    expect(kept).toMatchObject({ id: "kept", state: "key-needed", key_last_four: null });
    const { reply } = await sendAndWait(owner, "2+2");
    expect(reply.end?.state).toBe("completed");
    const { provider } = await owner.call("providers.update", {
      params: { provider_id: "kept" },
      body: { version: kept!.version, api_key: apiKey },
    });
    expect(provider.state).toBe("ready");
    await server.close();
    await service.close();
    await place.remove();
  });
});

test("a key is refused on PostgreSQL without an explicit secret", async ({ skip }) => {
  if (!engines.includes("postgres")) skip();
  const server = await startTestServer({ engine: "postgres", settings: { PARLANCE_SECRET: "" } });
  const owner = await server.owner();
  const body = { kind: "openai", name: "OpenAI", api_key: apiKey } as const;
  await owner.fails("secret-not-set", "providers.create", { body });
  expect((await owner.call("providers.list")).providers).toEqual([]);
  await server.close();
});
