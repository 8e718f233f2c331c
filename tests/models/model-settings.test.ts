import OpenAI from "openai";
import { afterEach, beforeAll, describe, expect } from "vitest";
import { limits } from "#contract/limits.ts";
import type { ModelSettings } from "#contract/endpoints/models.ts";
import { createOwner, join } from "../support/clients/browser.ts";
import { sendAndWait } from "../support/clients/conversation.ts";
import { expectProblem } from "../support/clients/problem.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { describeServer, test, type TestServer } from "../support/servers/server.ts";

const usual: ModelSettings = {
  small_model: null,
  titles: true,
  summaries: true,
  suggestions: false,
  local_only: false,
  steps_max: limits.runSteps,
};

/** Adds an Ollama on this machine that passes requests for its model `big:cloud` on, and returns the ids of its models. */
async function addOllama(server: TestServer, owner: Visitor) {
  const { provider } = await owner.call("providers.create", {
    body: {
      kind: "ollama",
      name: "Ollama",
      base_url: server.model.url.replace("/v1", ""),
      models: ["small", "big:cloud"].map((id) => ({ id, name: "" })),
    },
  });
  return { owner, small: `${provider.id}/small`, cloud: `${provider.id}/big:cloud` };
}

const threadOf = async (who: Visitor, threadId: string) =>
  (await who.call("threads.get", { params: { thread_id: threadId } })).thread;

describeServer("what the owner decides for all models", { model: true }, (server) => {
  let models: Awaited<ReturnType<typeof addOllama>>;
  beforeAll(async () => void (models = await addOllama(server(), await server().owner())));
  const change = async (settings: Partial<ModelSettings>) =>
    await models.owner.call("modelSettings.put", { body: { ...usual, ...settings } });
  afterEach(async () => void (await change({})));

  const modelsAskedFor = (words: string) =>
    server()
      .model.requests.filter(({ body }) => JSON.stringify(body ?? "").includes(words))
      .map(({ body }) => body!.model);

  test("is stored, recorded in the audit log, and only for those who manage models", async () => {
    const { owner, small } = models;
    await change({ small_model: small, suggestions: true });
    expect(await owner.call("modelSettings.get")).toEqual({
      settings: { ...usual, small_model: small, suggestions: true },
      from_environment: { local_only: false, summary_model: null },
    });
    expect(await owner.call("models.list")).toMatchObject({ suggestions: true, local_only: false });
    const { entries } = await owner.call("audit.list", { query: { action: "model-settings-changed" } });
    expect(entries[0]).toMatchObject({ action: "model-settings-changed", details: { small_model: small } });
    const ben = await server().anonymous("ben");
    await ben.fails("not-allowed", "modelSettings.get");
    await ben.fails("not-allowed", "modelSettings.put", { body: usual });
  });

  test("is local models only if the owner says so, and no other role changes that", async () => {
    const { owner } = models;
    await change({ local_only: true });
    const admin = await join(owner, { email: "amy@example.com", role: "admin" });
    const member = await join(owner, { email: "mel@example.com" });
    const guest = await server().anonymous("guest");
    expect((await admin.call("auth.me")).permissions).not.toContain("models.restrict");
    for (const who of [admin, member, guest]) {
      const off = await who.ask("modelSettings.put", { body: { local_only: false } });
      expectProblem(off, "not-allowed");
    }
    await admin.call("modelSettings.put", { body: { local_only: true, titles: false } });
    const { settings } = await owner.call("modelSettings.get");
    expect(settings).toMatchObject({ local_only: true, titles: false });
    await change({});
    await admin.fails("not-allowed", "modelSettings.put", { body: { local_only: true } });
  });

  test("keeps what a change does not name, so that an old page undoes nothing", async () => {
    const { owner } = models;
    await change({ local_only: true });
    await owner.call("modelSettings.put", { body: { titles: false } });
    expect((await owner.call("modelSettings.get")).settings).toEqual({
      ...usual,
      local_only: true,
      titles: false,
    });
  });

  test("a small model writes titles in place of the one that answers, if it exists", async () => {
    const { owner, small } = models;
    await change({ small_model: small });
    const { thread_id } = await sendAndWait(owner, "Larks sing tokens=2");
    await expect.poll(async () => (await threadOf(owner, thread_id)).title_source).toBe("model");
    expect(modelsAskedFor("Larks sing")).toEqual(["fixture-1", "small"]);
    await change({ small_model: "gone/model" });
    const next = await sendAndWait(owner, "Wrens sing tokens=2");
    await expect.poll(async () => (await threadOf(owner, next.thread_id)).title_source).toBe("model");
    expect(modelsAskedFor("Wrens sing")).toEqual(["fixture-1", "fixture-1"]);
  });

  test("a small model elsewhere does not get what only local models may read", async () => {
    const { owner, small, cloud } = models;
    await change({ small_model: cloud });
    const { assistant } = await owner.call("assistants.create", {
      body: { name: "Careful", instructions: "", model: small, parameters: { local_only: true } },
    });
    const { thread_id } = await sendAndWait(owner, "Owls see tokens=2", {
      assistant_id: assistant.id,
    });
    await expect.poll(async () => (await threadOf(owner, thread_id)).title_source).toBe("model");
    expect(modelsAskedFor("Owls see")).toEqual(["small", "small"]);
  });

  test("without titles, a thread keeps its first words, also for clients of the protocol", async () => {
    const ada = server().inNewWorkspace();
    const { owner } = models;
    await change({ titles: false });
    const { thread_id } = await sendAndWait(owner, "Finches hop about tokens=2");
    // The next answer of the same thread comes after the title would have been requested.
    await sendAndWait(owner, "Another tokens=1");
    expect(await threadOf(owner, thread_id)).toMatchObject({
      title: "Finches hop about tokens=2",
      title_source: "fallback",
    });
    const created = await ada.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    const answer = await ada.ask("runs.stream", {
      body: {
        thread_id: created.thread_id,
        assistant_id: "system/thread_title",
        messages: [{ role: "user", content: [{ type: "text", text: "Ravens talk to each other" }] }],
      },
    });
    expect(answer.text).toContain("Ravens talk to each other");
    expect(modelsAskedFor("Ravens talk")).toEqual([]);
  });

  describe("local models only", () => {
    test("refuses every other model for everyone and every purpose, at once", async () => {
      const { owner, small, cloud } = models;
      const before = await sendAndWait(owner, "Before tokens=1", { model: cloud } as object);
      expect(before.reply.end?.state).toBe("completed");
      await change({ local_only: true, small_model: cloud });
      expect(await owner.call("models.list")).toMatchObject({ local_only: true });
      const ben = await server().anonymous("ben");
      for (const who of [owner, ben]) {
        const body = (model: string) => ({
          message: {
            parent_id: null,
            content: { role: "user" as const, content: [{ type: "text" as const, text: "Geese fly" }] },
          },
          model,
        });
        const params = { thread_id: `thread_0${"0".repeat(23)}${who === owner ? 1 : 2}` };
        await who.fails("model-not-local", "runs.start", { params, body: body(cloud) });
        await who.fails("model-not-local", "comparisons.start", {
          params,
          body: { message: body("").message, models: [small, cloud] },
        });
      }
      const again = await owner.ask("runs.continue", { params: { run_id: before.run_id }, body: {} });
      expect(again.status).toBeGreaterThanOrEqual(400);
      const local = await sendAndWait(owner, "Swans fly tokens=1", { model: small } as object);
      await expect.poll(async () => (await threadOf(owner, local.thread_id)).title_source).toBe("model");
      expect(modelsAskedFor("Geese fly")).toEqual([]);
      expect(modelsAskedFor("Swans fly")).toEqual(["small", "small"]);
    });

    test("shows in the test of a connection", async () => {
      const { owner } = models;
      await change({ local_only: true });
      const body = {
        kind: "ollama" as const,
        base_url: server().model.url.replace("/v1", ""),
      };
      const problemWith = async (model: string) =>
        (await owner.call("providers.test", { body: { ...body, model } })).problem;
      expect(await problemWith("fixture-1")).toBeNull();
      expect(await problemWith("big:cloud")).toBe("model-not-local");
    });
  });
});

describeServer("editors and scripts on a server for local models only", { model: true }, (server) => {
  test("get no other model, for answers and for vectors", async () => {
    const owner = await createOwner(server());
    const { small, cloud } = await addOllama(server(), owner);
    const { secret: apiKey } = await owner.call("keys.create", { body: { name: "A script" } });
    const client = new OpenAI({ apiKey, baseURL: `${server().url}/openai/v1`, maxRetries: 0 });
    const chat = async (model: string) =>
      await client.chat.completions.create({
        model,
        messages: [{ role: "user", content: "Storks nest tokens=1" }],
      });
    expect((await chat(cloud)).choices).toHaveLength(1);
    await owner.call("modelSettings.put", { body: { ...usual, local_only: true } });
    await expect(chat(cloud)).rejects.toMatchObject({ code: "model-not-local" });
    await expect(client.embeddings.create({ model: cloud, input: "Storks" })).rejects.toMatchObject({
      code: "model-not-local",
    });
    expect((await chat(small)).choices).toHaveLength(1);
    const asked = server().model.requests.filter(({ body }) => JSON.stringify(body ?? "").includes("Storks"));
    expect(asked.map(({ body }) => body!.model)).toEqual(["big:cloud", "small"]);
  });
});

describeServer(
  "what environment variables require of models",
  { model: true, settings: { PARLANCE_LOCAL_ONLY: "on", PARLANCE_SUMMARY_MODEL: "off" } },
  (server) => {
    test("is shown, and counts before what the owner chose", async () => {
      const { owner, cloud } = await addOllama(server(), await server().owner());
      await owner.call("modelSettings.put", { body: usual });
      expect(await owner.call("modelSettings.get")).toEqual({
        settings: usual,
        from_environment: { local_only: true, summary_model: "off" },
      });
      expect(await owner.call("models.list")).toMatchObject({ local_only: true });
      const params = { thread_id: `thread_0${"0".repeat(24)}` };
      const content = { role: "user" as const, content: [{ type: "text" as const, text: "Hello" }] };
      await owner.fails("model-not-local", "runs.start", {
        params,
        body: { message: { parent_id: null, content }, model: cloud },
      });
    });
  },
);
