import { afterAll, beforeAll, expect, test } from "vitest";
import type { PullEvent } from "#contract/endpoints/providers.ts";
import { startModelServer, type ModelServer } from "#fixtures/model-server/model-server.ts";
import { suggestProviders } from "#server/models/stored-providers/suggest-providers.ts";
import { readEventStream } from "../support/clients/event-stream.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { describeServer } from "../support/servers/server.ts";

describeServer("the models of an Ollama server", {}, (server) => {
  let ollama: ModelServer;
  let owner: Visitor;
  let id: string;
  beforeAll(async () => {
    ollama = await startModelServer({ models: ["llama3.2"], apiKey: "sk-ollama" });
    owner = await server().owner();
    id = await add("ollama", `http://127.0.0.1:${ollama.port}`);
  });
  afterAll(async () => await ollama.close());

  async function add(kind: "ollama" | "openai-compatible", baseUrl: string): Promise<string> {
    const body = { kind, name: kind, base_url: baseUrl, api_key: "sk-ollama" } as const;
    return (await owner.call("providers.create", { body })).provider.id;
  }

  const request = (model: string, provider = id) => ({
    params: { provider_id: provider },
    body: { model },
  });

  async function pull(model: string) {
    const disconnect = new AbortController();
    const response = await fetch(`${server().url}/v1/providers/${id}/pulls`, {
      method: "POST",
      headers: { ...owner.headers, "Content-Type": "application/json" },
      body: JSON.stringify({ model }),
      signal: disconnect.signal,
    });
    expect(response.status).toBe(200);
    return readEventStream<PullEvent>(response, () => disconnect.abort());
  }

  const chatModels = async () =>
    (await owner.call("models.list")).models.flatMap((model) => (model.provider === id ? [model.name] : []));

  test("are downloaded with progress, can be chosen at once, and are deleted", async () => {
    expect(await chatModels()).toHaveLength(1);
    const events = (await (await pull("hf.co/garden/tulip:Q4_K_M")).rest()).map(({ data }) => data);
    expect(events.at(-1)).toEqual({ type: "pull-end" });
    expect(events[0]).toEqual({ type: "pull-progress", status: "pulling manifest", completed: 0, total: 0 });
    const sums = events.flatMap((event) => (event.type === "pull-progress" ? [event.completed] : []));
    expect(sums).toEqual(sums.toSorted((a, b) => a - b));
    expect(events.at(-2)).toMatchObject({ completed: 4_000_001_000, total: 4_000_001_000 });
    expect(await chatModels()).toHaveLength(2);
    const body = { model: "hf.co/garden/tulip:Q4_K_M" };
    for (let round = 0; round < 2; round++)
      await owner.call("providers.removeModel", { params: { provider_id: id }, body });
    expect(ollama.models).toEqual(["llama3.2"]);
    expect(await chatModels()).toHaveLength(1);
  });

  test("are not downloaded further when the owner disconnects", async () => {
    const events = await pull("slow");
    await events.until(({ data }) => data.type === "pull-progress" && data.completed > 0);
    events.close();
    const recorded = ollama.requests.findLast(({ path }) => path === "/api/pull");
    await recorded!.end;
    expect(recorded!.ended).toBe("gone");
    expect(ollama.models).not.toContain("slow");
  });

  test("fail with the reason", async () => {
    for (const [model, code] of [
      ["missing", "provider-model-unknown"],
      ["broken", "provider-broke-off"],
      ["page", "provider-not-a-model"],
    ] as const) {
      const last = (await (await pull(model)).rest()).at(-1)!;
      expect(last.data).toEqual({ type: "pull-failed", code });
    }
    const compatible = await add("openai-compatible", ollama.url);
    await owner.fails("bad-request", "providers.pull", request("x", compatible));
    await owner.fails("provider-not-found", "providers.pull", request("x", "nobody"));
    await owner.fails("bad-request", "providers.pull", request("x\ny"));
    const gone = await add("ollama", "http://127.0.0.1:9");
    await owner.fails("provider-unreachable", "providers.pull", request("x", gone));
    expect(server().log.takeErrors()).toHaveLength(1);
    const ada = await server().anonymous("ada");
    await ada.fails("not-allowed", "providers.pull", request("x"));
  });
});

test("model servers on this machine are found over HTTP, unless they are connected or have no models", async () => {
  const [ollama, studio, empty] = await Promise.all([
    startModelServer({ models: ["llama3.2", "qwen3"] }),
    startModelServer({ models: ["gemma"] }),
    startModelServer({ models: [] }),
  ]);
  const servers = [
    { kind: "ollama", name: "Ollama", base_url: `http://127.0.0.1:${ollama.port}` },
    { kind: "openai-compatible", name: "LM Studio", base_url: studio.url },
    { kind: "openai-compatible", name: "Empty", base_url: empty.url },
    { kind: "openai-compatible", name: "Nobody", base_url: "http://127.0.0.1:9/v1" },
  ] as const;
  const { signal } = new AbortController();
  const find = async (connected: string[]) => await suggestProviders(connected, fetch, signal, servers);
  expect(await find([])).toEqual([
    { ...servers[0], models: 2 },
    { ...servers[1], models: 1 },
  ]);
  expect(await find([`http://localhost:${ollama.port}`])).toEqual([{ ...servers[1], models: 1 }]);
  await Promise.all([ollama, studio, empty].map(async (one) => await one.close()));
});
