import { Socket } from "node:net";
import { afterEach, beforeAll, describe, expect, vi } from "vitest";
import { newId } from "#contract/ids.ts";
import { startModelServer, type ModelServer } from "#fixtures/model-server/model-server.ts";
import { fold } from "#contract/fold.ts";
import {
  branchOf,
  readWholeLog,
  sendAndWait,
  startRun,
  waitForFirstWord,
  below,
} from "../support/clients/conversation.ts";
import { expectProblem } from "../support/clients/problem.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { describeServer, test, type TestServer } from "../support/servers/server.ts";

/** Adds an Ollama on this machine that passes requests for its model `big:cloud` on, and returns the ids of its models. */
async function addOllama(server: TestServer) {
  const owner = await server.owner();
  const { provider } = await owner.call("providers.create", {
    body: {
      kind: "ollama",
      name: "Ollama",
      base_url: server.model.url.replace("/v1", ""),
      models: [
        { id: "small", name: "" },
        { id: "big:cloud", name: "" },
      ],
    },
  });
  return { owner, small: `${provider.id}/small`, cloud: `${provider.id}/big:cloud` };
}

const start = (who: Visitor, text: string, to: object) =>
  who.ask("runs.start", {
    params: { thread_id: newId("thread") },
    body: {
      message: { parent_id: null, content: { role: "user", content: [{ type: "text", text }] } },
      ...to,
    },
  });

describeServer("a thread or an assistant for local models only", { model: true }, (server) => {
  let models: Awaited<ReturnType<typeof addOllama>>;
  beforeAll(async () => void (models = await addOllama(server())));
  const sentToCloud = (words: string) =>
    server().model.requests.filter(
      ({ body }) => body?.model === "big:cloud" && JSON.stringify(body).includes(words),
    );

  async function newThread(who: Visitor, text: string, model: string) {
    const talk = await sendAndWait(who, text, { model } as object);
    await who.call("threads.update", { params: { thread_id: talk.thread_id }, body: { local_only: true } });
    return talk;
  }

  test("refuses another model before anything is stored, and answers with a local one", async () => {
    const { owner, small, cloud } = models;
    const { thread_id, reply_id } = await newThread(owner, "Before tokens=1", small);
    expect((await owner.call("threads.get", { params: { thread_id } })).thread.local_only).toBe(true);
    const before = await branchOf(owner, thread_id);
    const body = {
      message: {
        parent_id: reply_id,
        content: { role: "user", content: [{ type: "text", text: "Elsewhere" }] },
      },
    };
    const asked = await owner.ask("runs.start", { params: { thread_id }, body: { ...body, model: cloud } });
    expectProblem(asked, "model-not-local");
    expect(await branchOf(owner, thread_id)).toEqual(before);
    expect(sentToCloud("Elsewhere")).toEqual([]);
    const { reply } = await sendAndWait(owner, "Here tokens=1", { thread_id, parent_id: reply_id });
    expect(reply.end?.state).toBe("completed");
    // Without the rule the model answers.
    await owner.call("threads.update", { params: { thread_id }, body: { local_only: false } });
    expect(
      (await owner.ask("runs.start", { params: { thread_id }, body: { ...body, model: cloud } })).status,
    ).toBe(201);
  });

  test("refuses to continue an answer, and a queued message, with another model", async () => {
    const { owner, cloud } = models;
    const broken = await newThread(owner, "Break off die=2 tokens=5", cloud);
    expect(broken.reply.end?.state).toBe("failed");
    const count = sentToCloud("Break off").length;
    await owner.fails("model-not-local", "runs.continue", { params: { run_id: broken.run_id }, body: {} });
    expect(sentToCloud("Break off")).toHaveLength(count);

    const first = await startRun(owner, "Go on\nendless gap=5", { model: cloud } as object);
    await waitForFirstWord(owner, first.run_id);
    const { thread_id } = first;
    const queued = await owner.call("runs.start", {
      params: { thread_id },
      body: {
        message: {
          parent_id: first.reply_id,
          content: { role: "user", content: [{ type: "text", text: "Queued one" }] },
          queue: true,
        },
      },
    });
    await owner.call("threads.update", { params: { thread_id }, body: { local_only: true } });
    await owner.call("runs.stop", { params: { run_id: first.run_id } });
    const { end } = fold(await readWholeLog(owner, queued.run_id));
    expect(end).toMatchObject({ state: "failed", error: { code: "model-not-local" } });
    expect(sentToCloud("Queued one")).toEqual([]);
  });

  test("an assistant never falls back to another model", async () => {
    const { owner, small, cloud } = models;
    const create = async (name: string, model: string, parameters: object) =>
      (
        await owner.call("assistants.create", {
          body: { name, avatar: { text: "L", colour: "green" }, instructions: "", model, parameters },
        } as never)
      ).assistant.id;
    const careful = await create("Careful", small, { local_only: true, fallback_model: cloud });
    const failed = await sendAndWait(owner, "Fail status=503 retry-after=60", {
      assistant_id: careful,
    });
    expect(failed.reply.end).toMatchObject({ state: "failed", error: { code: "model-not-local" } });
    expect(sentToCloud("Fail")).toEqual([]);
    const wrong = await create("Wrong", cloud, { local_only: true });
    expectProblem(await start(owner, "Hello", { assistant_id: wrong }), "model-not-local");
    const body = {
      thread_id: "unstable_todo",
      assistant_id: wrong,
      messages: [{ role: "user", content: [{ type: "text", text: "By the protocol" }] }],
    };
    await owner.fails("model-not-local", "runs.stream", { body });
    expect(sentToCloud("By the protocol")).toEqual([]);
  });
});

describeServer(
  "a server for local models only",
  { model: true, settings: { PARLANCE_LOCAL_ONLY: "on" } },
  (server) => {
    test("refuses every other model for everyone", async ({ dan }) => {
      const { owner, small, cloud } = await addOllama(server());
      expectProblem(await start(owner, "Cloudy", { model: cloud }), "model-not-local");
      expect((await start(owner, "Local tokens=1", { model: small })).status).toBe(201);
      expectProblem(await start(dan, "Cloudy", { model: cloud }), "model-not-local");
      expect(JSON.stringify(server().model.requests.map(({ body }) => body))).not.toContain("Cloudy");
    });
  },
);

describeServer("a request for local models only", { model: true }, (server) => {
  afterEach(() => vi.restoreAllMocks());

  describe("that is connected to another network", () => {
    let elsewhere: ModelServer;
    afterEach(async () => await elsewhere.close());

    test("sends nothing, not even headers", async () => {
      const { owner } = await addOllama(server());
      elsewhere = await startModelServer();
      const { provider } = await owner.call("providers.create", {
        body: {
          kind: "openai-compatible",
          name: "Elsewhere",
          base_url: elsewhere.url,
          models: [{ id: "fixture-1", name: "" }],
        },
      });
      const talk = await sendAndWait(owner, "First tokens=1", {
        model: `${provider.id}/fixture-1`,
      } as object);
      await owner.call("threads.update", {
        params: { thread_id: talk.thread_id },
        body: { local_only: true },
      });
      // The name of the host resolves to an address of this machine, and the connection leads elsewhere.
      // What `remoteAddress` reads. A test cannot have a public address of its own.
      const sockets = Socket.prototype as unknown as { _getpeername(): object };
      vi.spyOn(sockets, "_getpeername").mockReturnValue({
        address: "93.184.215.14",
        family: "IPv4",
        port: 80,
      });
      const { reply } = await sendAndWait(owner, "Second tokens=1", below(talk));
      expect(reply.end).toMatchObject({ state: "failed", error: { code: "model-not-local" } });
      expect(JSON.stringify(elsewhere.requests.map(({ body }) => body ?? null))).not.toContain("Second");
    });
  });
});
