import { describe, expect, onTestFinished, test } from "vitest";
import type { ProviderKindId } from "#contract/provider-kinds.ts";
import { startModelServer } from "#fixtures/model-server/model-server.ts";
import type { Model, ModelEvent, ModelMessage, ModelRequest } from "#server/models/model.ts";
import { createConnectedProvider } from "../connected-provider.ts";

type Body = { messages?: Record<string, unknown>[] } & Record<string, unknown>;

/** A provider of this kind, whose server calls itself `ownedBy` in its list, and the bodies that it got. */
async function providerFor(kind: ProviderKindId, modelId: string, ownedBy = "fixture") {
  const server = await startModelServer({ models: [modelId], ownedBy });
  const origin = `http://127.0.0.1:${server.port}`;
  const provider = createConnectedProvider({
    id: "mine",
    name: "Mine",
    kind,
    connection: {
      baseUrl: kind === "google" ? `${origin}/v1beta` : kind === "ollama" ? origin : `${origin}/v1`,
      apiKey: "sk-ada",
    },
    // The list of models was not loaded.
    offers: { which: "listed", configured: modelId, mayBeMissing: false, isUnnamedOffered: false },
    list: { freshMs: 60_000, timeoutMs: 5_000 },
    rules: [],
    onListFailure() {},
    clock: { now: () => 0, sleep: async () => {} },
    fetch,
  });
  onTestFinished(async () => {
    provider.close();
    await server.close();
  });
  const bodies = () => server.requests.flatMap(({ body }) => (body === undefined ? [] : [body as Body]));
  return { model: (await provider.get(modelId))!, bodies };
}

function startOf(...parts: Extract<ModelMessage, { role: "assistant" }>["parts"]): ModelMessage[] {
  return [
    { role: "user", parts: [{ type: "text", text: "Count. tokens=9" }] },
    { role: "assistant", parts },
  ];
}

const started = startOf({ type: "text", text: "One, two" });

async function continueAnswer(model: Model, more: Partial<ModelRequest> = {}): Promise<ModelEvent["type"][]> {
  const request: ModelRequest = {
    messages: started,
    tools: [],
    purpose: "answer",
    continuesAnswer: true,
    ...more,
  };
  const types: ModelEvent["type"][] = [];
  for await (const { type } of model.stream(request, new AbortController().signal)) types.push(type);
  return types;
}

describe("the start of an answer is the end of the request", () => {
  test.for([
    ["mistral", "mistral-large", undefined, { prefix: true, content: "One, two" }, {}],
    ["anthropic", "claude-sonnet-4-5", undefined, {}, {}],
    ["anthropic", "claude-opus-4-1-20250805", undefined, {}, {}],
    ["anthropic", "claude-sonnet-4-20250514", undefined, {}, {}],
    ["anthropic", "claude-3-5-haiku-latest", undefined, {}, {}],
    ["openai-compatible", "llama", "llamacpp", { content: "One, two" }, {}],
    [
      "openai-compatible",
      "llama",
      "vllm",
      { content: "One, two" },
      { continue_final_message: true, add_generation_prompt: false },
    ],
    ["openai-compatible", "llama", "sglang", { content: "One, two" }, { continue_final_message: true }],
  ] as const)("for %s, %s, %s", async ([kind, modelId, ownedBy, last, fields]) => {
    const { model, bodies } = await providerFor(kind, modelId, ownedBy);
    expect((await continueAnswer(model))[0]).toBe("prefilled");
    const [body] = bodies();
    expect(body).toMatchObject(fields);
    expect(body!.messages!.at(-1)).toMatchObject({ role: "assistant", ...last });
  });
});

describe("a model is asked to continue its answer", () => {
  const asks = /Go on exactly/;

  async function expectAsked(
    model: Model,
    bodies: () => Body[],
    more?: Partial<ModelRequest>,
  ): Promise<void> {
    expect(await continueAnswer(model, more)).not.toContain("prefilled");
    expect(JSON.stringify(bodies().at(-1))).toMatch(asks);
  }

  test.for([
    ["openai", "gpt-5"],
    ["azure", "gpt-5"],
    ["google", "gemini-3-pro"],
    ["anthropic", "claude-opus-4-6"],
    ["anthropic", "claude-sonnet-5"],
    ["ollama", "llama"],
    ["openrouter", "llama"],
    ["openai-compatible", "llama"],
  ] as const)("by %s, %s", async ([kind, modelId]) => {
    const { model, bodies } = await providerFor(kind, modelId);
    await expectAsked(model, bodies);
  });

  test.for([
    ["after a space", { messages: startOf({ type: "text", text: "One, " }) }],
    [
      "after reasoning",
      { messages: startOf({ type: "reasoning", text: "Hm." }, { type: "text", text: "One, two" }) },
    ],
    ["if it thinks", { settings: { reasoning: "high" as const } }],
  ] as const)("%s", async ([, more]) => {
    const { model, bodies } = await providerFor("openai-compatible", "llama", "llamacpp");
    await expectAsked(model, bodies, more);
  });

  test("once its server has refused the start of an answer", async () => {
    const { model, bodies } = await providerFor("openai-compatible", "qwen", "llamacpp");
    const says = "Assistant_response_prefill_is_incompatible_with_enable_thinking.";
    const [question, answer] = started as [ModelMessage, ModelMessage];
    const refused = {
      ...question,
      parts: [{ type: "text" as const, text: `Refused. status=400 times=1 says=${says}` }],
    } as ModelMessage;
    await expectAsked(model, bodies, { messages: [refused, answer] });
    expect(bodies().map(({ messages }) => messages!.at(-1)!.role)).toEqual(["assistant", "user"]);
    await expectAsked(model, bodies);
    expect(bodies()).toHaveLength(3);
  });
});
