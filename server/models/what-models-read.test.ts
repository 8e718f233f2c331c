import { describe, expect, test } from "vitest";
import type { ModelInput } from "#contract/models.ts";
import { chatModels } from "./chat-models.ts";
import { refusedInput } from "./providers/openai-compatible/refused-input.ts";
import { showOfOllama } from "./ollama-show.ts";
import { createWhatModelsRead } from "./what-models-read.ts";

describe("what a provider's list says", () => {
  test.for([
    [
      "OpenRouter",
      { architecture: { input_modalities: ["text", "image", "file"] }, context_length: 200_000 },
      ["image", "pdf"],
      200_000,
    ],
    ["Mistral", { capabilities: { vision: false }, max_context_length: 32_768 }, [], 32_768],
    ["vLLM", { max_model_len: 8_192 }, undefined, 8_192],
    ["Ollama", { capabilities: ["completion", "vision", "tools"] }, ["image"], undefined],
    ["a list that says nothing", { object: "model" }, undefined, undefined],
    [
      "a list that says it wrongly",
      { architecture: "transformer", capabilities: 7, context_length: "much" },
      undefined,
      undefined,
    ],
  ] as const)("%s", ([, entry, reads, contextTokens]) => {
    const [model] = chatModels({ data: [{ id: "m", ...entry }] });
    expect([model?.facts.reads, model?.facts.contextTokens]).toEqual([reads, contextTokens]);
  });
});

describe("what a model reads", () => {
  const listed = {
    known: (id: string) => (id === "listed" ? { id, facts: { reads: ["audio" as const] } } : undefined),
  };
  const rules = [{ matches: (id: string) => id === "ruled", reads: ["pdf"] as ModelInput[] }];

  test("is the operator's word, then the list's, then what is usual, and never what it refused", () => {
    const what = createWhatModelsRead({ rules, usual: ["image"], connection: listed });
    expect(["ruled", "listed", "other"].map((id) => what.known(id).reads)).toEqual([
      ["pdf"],
      ["audio"],
      ["image"],
    ]);
    what.refused("ruled", "pdf");
    what.refused("other", "image");
    expect(["ruled", "listed", "other"].map((id) => what.known(id).reads)).toEqual([[], ["audio"], []]);
  });

  test("is asked of an Ollama once it is there, and usual where it does not say", async () => {
    const asked: string[] = [];
    const answers = [
      new Response("no", { status: 404 }),
      Response.json({
        capabilities: ["completion"],
        parameters: "stop  x\nnum_ctx                        16384",
      }),
    ];
    const show = async (id: string) =>
      await showOfOllama("http://ollama", id, async (input, init) => {
        asked.push(`${input as string} ${init?.body as string}`);
        return answers.shift()!;
      });
    const what = createWhatModelsRead({
      rules: [],
      usual: ["image"],
      connection: { known: () => undefined },
      show,
    });
    expect(await what.of("llama")).toEqual({ reads: ["image"] });
    expect(await what.of("llama")).toEqual({ reads: [], contextTokens: 16_384 });
    expect(await what.of("llama")).toEqual({ reads: [], contextTokens: 16_384 });
    expect(asked).toEqual(Array.from({ length: 2 }, () => 'http://ollama/api/show {"model":"llama"}'));
  });
});

describe("a refusal of pictures", () => {
  const request = {
    messages: [
      { role: "user" as const, parts: [{ type: "file" as const, data: "AAAA", mediaType: "image/png" }] },
    ],
    tools: [],
    purpose: "answer" as const,
  };
  const inputOf = (status: number, says: string, asked: typeof request = request) =>
    refusedInput({ status, says, code: "", retryAfterMs: undefined }, asked);

  test.for([
    [400, "This model does not support image input."],
    [404, "No endpoints found that support image input"],
    [500, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"],
    [400, "At most 0 image(s) may be provided in one request."],
    [400, "llama3 is not a multimodal model"],
    [400, "this model is missing data required for image input"],
    [422, "messages[0].content must be a string"],
  ] as const)("is heard: %s %s", ([status, says]) => expect(inputOf(status, says)).toBe("image"));

  test.for([
    [400, "image exceeds 5 MB maximum"],
    [400, "Your request was rejected by our safety system: this image is not allowed"],
    [429, "this model does not support image input"],
    [400, "The model does not support tools"],
    [400, "maximum context length is 4096 tokens"],
  ] as const)("is not heard in: %s %s", ([status, says]) => expect(inputOf(status, says)).toBeUndefined());

  test("is not heard where there were no pictures", () => {
    expect(inputOf(400, "does not support image input", { ...request, messages: [] })).toBeUndefined();
  });
});
