import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import {
  startModelServer,
  type ModelServer,
  type ModelServerOptions,
} from "#fixtures/model-server/model-server.ts";
import { AppError } from "#server/lib/errors.ts";
import { ModelError } from "./model.ts";
import { createModels, type Models, type ModelsOptions } from "./models.ts";
import type { ProviderSettings } from "./providers/provider.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const closable of open.splice(0)) await closable.close();
});

async function serverWith(options: ModelServerOptions = {}): Promise<ModelServer> {
  const server = await startModelServer(options);
  open.push(server);
  return server;
}

/** The URL of an Ollama has no version. */
const asOllama = (server: ModelServer) => server.url.replace(/\/v1$/, "");

const noOpenAi = { apiKey: undefined, baseUrl: undefined, model: undefined };

let nowMs = 0;
const clock = { now: () => nowMs, sleep: async () => {} };

function modelsWith({
  fetch: fetchList = fetch,
  ...settings
}: Partial<ProviderSettings> & Pick<ModelsOptions, "fetch">): { models: Models; warnings: object[] } {
  const warnings: object[] = [];
  const logger = {
    warn: (fields: object) => void warnings.push(fields),
  } as unknown as ModelsOptions["logger"];
  const models = createModels({
    settings: { openai: noOpenAi, ollamaUrl: undefined, modelReads: [], ...settings },
    clock,
    logger,
    fetch: fetchList,
  });
  open.push(models);
  return { models, warnings };
}

async function ask(models: Models, id?: string): Promise<string> {
  const model = await models.get(id);
  let text = "";
  for await (const event of model.stream(
    {
      messages: [{ role: "user", parts: [{ type: "text", text: "hello\necho" }] }],
      tools: [],
      purpose: "answer",
    },
    new AbortController().signal,
  )) {
    if (event.type === "text") text += event.text;
  }
  return text;
}

describe("with nothing set and no Ollama", () => {
  test("offers only the built-in assistant and sends no requests", async () => {
    const requests: unknown[] = [];
    const { models } = modelsWith({
      fetch: async (input) => {
        requests.push(input);
        throw new Error("no");
      },
    });
    expect(await models.list()).toMatchObject({
      models: [
        {
          id: "builtin",
          name: "Built-in assistant",
          provider: "builtin",
          provider_name: "Parlance",
          reads: [],
        },
      ],
      default: "builtin",
    });
    expect((await models.get(undefined)).info.id).toBe("builtin");
    expect((await models.get("builtin")).info.id).toBe("builtin");
    await expect(models.get("gpt-5")).rejects.toMatchObject({ code: "model-not-found" });
    expect(requests).toEqual([]);
  });
});

describe("with a base URL", () => {
  test("lists the provider's chat models with the first as the default and the built-in assistant last", async () => {
    const server = await serverWith({ models: ["text-embedding-3", "big", "small", "whisper-1"] });
    const { models } = modelsWith({ openai: { ...noOpenAi, baseUrl: `${server.url}/` } });
    const { models: list, default: first } = await models.list();
    expect(list.map(({ id }) => id)).toEqual(["env/big", "env/small", "builtin"]);
    expect(first).toBe("env/big");
    expect(await ask(models, "env/small")).toBe("hello");
    expect(server.requests.at(-1)?.body?.model).toBe("small");
  });

  test("lists the configured model first, whether or not the provider lists it", async () => {
    const server = await serverWith({ models: ["big", "small"] });
    for (const model of ["small", "unlisted"]) {
      const { models } = modelsWith({ openai: { ...noOpenAi, baseUrl: server.url, model } });
      expect((await models.list()).default).toBe(`env/${model}`);
      expect((await models.get(undefined)).info.id).toBe(`env/${model}`);
    }
  });

  test("does not find a model that the provider does not list", async () => {
    const server = await serverWith();
    const { models } = modelsWith({ openai: { ...noOpenAi, baseUrl: server.url } });
    await expect(models.get("no-such-model")).rejects.toBeInstanceOf(AppError);
  });

  test("sends the key and never logs it", async () => {
    const server = await serverWith({ apiKey: "sk-ada", models: ["big"] });
    const good = modelsWith({ openai: { ...noOpenAi, baseUrl: server.url, apiKey: "sk-ada" } });
    expect((await good.models.list()).default).toBe("env/big");
    const bad = modelsWith({ openai: { ...noOpenAi, baseUrl: server.url, apiKey: "sk-ben" } });
    await bad.models.list();
    expect(bad.warnings).toHaveLength(1);
    expect(JSON.stringify(bad.warnings) + String((bad.warnings[0] as { err: unknown }).err)).not.toContain(
      "sk-ben",
    );
  });

  test("requests the list at most once a minute", async () => {
    const server = await serverWith();
    const { models } = modelsWith({ openai: { ...noOpenAi, baseUrl: server.url } });
    await Promise.all([models.list(), models.list(), models.get(undefined)]);
    await models.list();
    expect(server.requests).toHaveLength(1);
    nowMs += 61_000;
    await models.list();
    expect(server.requests).toHaveLength(2);
  });

  test("returns the configured model without a request for the list", async () => {
    const requests: unknown[] = [];
    const neverAnswers: Pick<ModelsOptions, "fetch"> = {
      fetch: async (input) => {
        requests.push(input);
        return await new Promise<never>(() => {});
      },
    };
    const { models } = modelsWith({
      openai: { ...noOpenAi, baseUrl: "http://127.0.0.1:1/v1", model: "mine" },
      ...neverAnswers,
    });
    expect((await models.get(undefined)).info.id).toBe("env/mine");
    for (const id of ["env/mine", "mine"]) expect((await models.get(id)).info.id).toBe("env/mine");
    expect(requests).toEqual([]);
  });

  test("suggests a model if the built-in assistant is chosen", async () => {
    const server = await serverWith({ models: ["big"] });
    const { models } = modelsWith({ openai: { ...noOpenAi, baseUrl: server.url } });
    await models.list();
    const request = {
      messages: [{ role: "user" as const, parts: [{ type: "text" as const, text: "Why is the sky blue?" }] }],
      tools: [],
      purpose: "answer" as const,
    };
    let text = "";
    for await (const event of (await models.get("builtin")).stream(request, new AbortController().signal)) {
      if (event.type === "text") text += event.text;
    }
    expect(text).toMatch(
      /^I am the built-in assistant.*\n\nChoose \*\*big\*\* as the model, and ask again\.$/s,
    );
  });

  test("keeps the last known list, or the configured model, if the list cannot be loaded", async () => {
    const server = await startModelServer({ models: ["big", "small"] });
    const known = modelsWith({ openai: { ...noOpenAi, baseUrl: server.url } });
    expect((await known.models.list()).default).toBe("env/big");
    await server.close();
    nowMs += 61_000;
    expect((await known.models.list()).default).toBe("env/big");
    const set = modelsWith({ openai: { ...noOpenAi, baseUrl: server.url, model: "mine" } });
    expect((await set.models.list()).models.map(({ id }) => id)).toEqual(["env/mine", "builtin"]);
    expect(set.warnings).toHaveLength(1);
  });

  test("reports that the base URL leads to a web page", async () => {
    const page = async () => new Response("<!DOCTYPE html><title>Welcome</title>", { status: 200 });
    const { models } = modelsWith({ openai: { ...noOpenAi, baseUrl: "http://127.0.0.1:9" }, fetch: page });
    await expect(ask(models)).rejects.toMatchObject({ code: "provider-not-a-model" });
  });

  test("reports why a provider without known models cannot answer, and uses it once it is back", async () => {
    const server = await startModelServer({ models: ["big"] });
    await server.close();
    const { models } = modelsWith({ openai: { ...noOpenAi, baseUrl: server.url } });
    expect((await models.list()).default).toBe("env/default");
    await expect(ask(models)).rejects.toBeInstanceOf(ModelError);
    await expect(ask(models)).rejects.toMatchObject({ code: "provider-unreachable" });
    const again = await startModelServer({ port: server.port, models: ["big"] });
    open.push(again);
    nowMs += 11_000;
    expect(await ask(models, "env/default")).toBe("hello");
  });

  test("contacts only OpenAI if only a key is set", async () => {
    const requests: string[] = [];
    const { models } = modelsWith({
      openai: { ...noOpenAi, apiKey: "sk-ada" },
      ollamaUrl: "http://127.0.0.1:11434",
      fetch: async (input) => {
        requests.push(input as string);
        return Response.json({
          data: [
            { id: "gpt-5" },
            { id: "gpt-5-2025-08-07" },
            { id: "ours", display_name: "Our model" },
            { id: "gpt-5-realtime" },
            { id: "dall-e-3" },
          ],
        });
      },
    });
    const openAi = { provider: "env", provider_name: "OpenAI" };
    expect((await models.list()).models).toMatchObject([
      { id: "env/gpt-5", name: "GPT-5", ...openAi, reads: ["image", "pdf"] },
      // Another model has the name.
      { id: "env/gpt-5-2025-08-07", name: "gpt-5-2025-08-07", ...openAi, reads: ["image", "pdf"] },
      { id: "env/ours", name: "Our model", ...openAi, reads: ["image", "pdf"] },
      {
        id: "builtin",
        name: "Built-in assistant",
        provider: "builtin",
        provider_name: "Parlance",
        reads: [],
      },
    ]);
    expect(requests).toEqual(["https://api.openai.com/v1/models"]);
  });
});

describe("with an Ollama on this machine", () => {
  test("offers its chat models", async () => {
    const server = await serverWith({
      models: ["llama3.2:latest", "nomic-embed-text:latest", "bge-m3:latest", "qwen3:8b"],
    });
    const { models } = modelsWith({ ollamaUrl: asOllama(server) });
    expect(await models.list()).toMatchObject({
      models: [
        {
          id: "env/llama3.2:latest",
          name: "Llama 3.2",
          provider: "env",
          provider_name: "Ollama",
          reads: ["image"],
        },
        { id: "env/qwen3:8b", name: "Qwen3 8B", provider: "env", provider_name: "Ollama", reads: ["image"] },
        {
          id: "builtin",
          name: "Built-in assistant",
          provider: "builtin",
          provider_name: "Parlance",
          reads: [],
        },
      ],
      default: "env/llama3.2:latest",
    });
    expect(await ask(models)).toBe("hello");
  });

  test("notices within ten seconds that it started or stopped, and logs nothing", async () => {
    const server = await startModelServer({ models: ["llama3.2:latest"] });
    await server.close();
    const { models, warnings } = modelsWith({ ollamaUrl: asOllama(server) });
    expect((await models.list()).default).toBe("builtin");
    const back = await startModelServer({ port: server.port, models: ["llama3.2:latest"] });
    expect((await models.list()).default, "no second request so soon").toBe("builtin");
    nowMs += 10_001;
    expect((await models.list()).default).toBe("env/llama3.2:latest");
    await back.close();
    nowMs += 10_001;
    expect((await models.list()).default).toBe("builtin");
    expect((await models.get("env/llama3.2:latest")).info.id, "answers that have started can continue").toBe(
      "env/llama3.2:latest",
    );
    expect(warnings).toEqual([]);
  });

  test("does not wait long for one that does not answer", async () => {
    const { models } = modelsWith({
      ollamaUrl: "http://127.0.0.1:11434",
      fetch: async (_, init) =>
        await new Promise((_resolve, reject) => {
          init?.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error));
        }),
    });
    const limitsMs: number[] = [];
    const spy = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
      limitsMs.push(ms);
      const over = new AbortController();
      setImmediate(() => over.abort(new DOMException("over", "TimeoutError")));
      return over.signal;
    });
    onTestFinished(() => spy.mockRestore());
    expect((await models.list()).default).toBe("builtin");
    expect(limitsMs).toEqual([500]);
  });

  test("ignores other servers at its URL", async () => {
    for (const body of ["<h1>hi</h1>", "null", '{"data":7}', '{"data":[{"id":7},null]}']) {
      const { models } = modelsWith({
        ollamaUrl: "http://127.0.0.1:11434",
        fetch: async () => new Response(body),
      });
      expect((await models.list()).models.map(({ id }) => id)).toEqual(["builtin"]);
    }
  });
});

test("aborts open requests when it is closed", async () => {
  const { models } = modelsWith({
    openai: { ...noOpenAi, baseUrl: "http://127.0.0.1:1/v1", model: "mine" },
    fetch: async (_, init) =>
      await new Promise((_resolve, reject) => {
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error));
      }),
  });
  models.start();
  const listing = models.list();
  models.close();
  expect((await listing).default).toBe("env/mine");
});
