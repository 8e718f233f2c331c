import { describe, expect, test } from "vitest";
import type { ModelInput } from "#contract/endpoints/models.ts";
import { parseModelList } from "./parse-model-list.ts";
import { findFilesRefusal } from "../requests/refusals/file-refusals.ts";
import { showModel } from "#server/models/provider-kinds/ollama.ts";
import { catalogueFacts } from "./catalogue.ts";
import { createModelFacts } from "./model-facts.ts";

describe("facts in a provider's list", () => {
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
    ["a list without facts", { object: "model" }, undefined, undefined],
    [
      "a list with invalid fields",
      { architecture: "transformer", capabilities: 7, context_length: "much" },
      undefined,
      undefined,
    ],
  ] as const)("are read from %s", ([, entry, reads, contextTokens]) => {
    const [model] = parseModelList({ data: [{ id: "m", ...entry }] });
    expect([model?.facts.reads, model?.facts.contextTokens]).toEqual([reads, contextTokens]);
  });
});

test("prices and reasoning efforts are read from OpenRouter's list, else prices from the catalogue", () => {
  const entry = {
    id: "m",
    pricing: { prompt: "0.000003", completion: "0.000015", input_cache_read: "0.0000003" },
    supported_parameters: ["tools", "reasoning"],
  };
  expect(parseModelList({ data: [entry] })[0]?.facts).toEqual({
    tools: true,
    efforts: ["none", "low", "medium", "high"],
    prices: { input: 3, output: 15, cached: 0.3 },
  });
  const wrong = { id: "m", pricing: { prompt: "-1", completion: {} }, supported_parameters: "all" };
  expect(parseModelList({ data: [wrong] })[0]?.facts).toEqual({});
  expect(catalogueFacts("https://api.openai.com/v1", "gpt-4o-mini")).toEqual({
    contextTokens: 128_000,
    prices: { input: 0.15, output: 0.6, cached: 0.075 },
  });
  expect(catalogueFacts("http://127.0.0.1:1234/v1", "gpt-4o-mini")).toEqual({});
});

test.for([
  [
    "OpenRouter",
    { supported_parameters: ["tools"], top_provider: { max_completion_tokens: 8_000 } },
    true,
    8_000,
  ],
  ["OpenRouter, without tools", { supported_parameters: ["stop"] }, false, undefined],
  ["Ollama", { capabilities: ["completion", "tools"] }, true, undefined],
  ["Mistral", { capabilities: { function_calling: false } }, false, undefined],
  ["Groq", { max_completion_tokens: 32_768 }, undefined, 32_768],
  ["Fireworks", { supports_tools: true }, true, undefined],
  ["nonsense", { max_completion_tokens: -4, supports_tools: "yes" }, undefined, undefined],
] as const)("tools and the longest answer are read from the list of %s", ([, entry, tools, outputTokens]) => {
  const facts = parseModelList({ data: [{ id: "m", ...entry }] })[0]?.facts;
  expect([facts?.tools, facts?.outputTokens]).toEqual([tools, outputTokens]);
});

describe("model facts", () => {
  const listed = {
    find: (id: string) => (id === "listed" ? { id, facts: { reads: ["audio" as const] } } : undefined),
  };
  const rules = [{ matches: (id: string) => id === "ruled", reads: ["pdf"] as ModelInput[] }];

  test("prefer the operator's rules, then the list, and exclude refused files for an hour", () => {
    let nowMs = 0;
    const clock = { now: () => nowMs };
    const facts = createModelFacts({ rules, usualInputs: ["image"], list: listed, clock });
    expect(["ruled", "listed", "other"].map((id) => facts.known(id).reads)).toEqual([
      ["pdf"],
      ["audio"],
      ["image"],
    ]);
    facts.recordRefusal("ruled", { of: "kind", input: "pdf" });
    facts.recordRefusal("other", { of: "kind", input: "image" });
    facts.recordRefusal("listed", { of: "one", input: "audio" });
    expect(["ruled", "listed", "other"].map((id) => facts.known(id).reads)).toEqual([[], ["audio"], []]);
    nowMs = 3_600_000;
    expect(["ruled", "listed", "other"].map((id) => facts.known(id).reads)).toEqual([
      ["pdf"],
      ["audio"],
      ["image"],
    ]);
  });

  test("keep a kind of file that the model accepted before", () => {
    const clock = { now: () => 0 };
    const facts = createModelFacts({ rules: [], usualInputs: ["image"], list: listed, clock });
    facts.recordAccepted("m", { inputs: new Set(["image"]), pictures: 1 });
    facts.recordRefusal("m", { of: "kind", input: "image" });
    expect(facts.known("m")).toEqual({ reads: ["image"] });
    facts.recordRefusal("m", { of: "pictures", most: 4 });
    expect(facts.known("m")).toEqual({ reads: ["image"], pictures: 4 });
    facts.recordAccepted("m", { inputs: new Set(["image"]), pictures: 5 });
    expect(facts.known("m")).toEqual({ reads: ["image"] });
  });

  test("are requested from Ollama until it answers", async () => {
    const requests: string[] = [];
    const answers = [
      new Response("no", { status: 404 }),
      Response.json({
        capabilities: ["completion"],
        parameters: "stop  x\nnum_ctx                        16384",
      }),
    ];
    const loadFacts = async (id: string) =>
      await showModel({ baseUrl: "http://ollama", apiKey: undefined }, id, async (input, init) => {
        requests.push(`${input as string} ${init?.body as string}`);
        return answers.shift()!;
      });
    const facts = createModelFacts({
      rules: [],
      usualInputs: ["image"],
      list: { find: () => undefined },
      clock: { now: () => 0 },
      loadFacts,
    });
    expect(await facts.load("llama")).toEqual({ reads: ["image"] });
    expect(await facts.load("llama")).toEqual({ reads: [], tools: false, contextTokens: 16_384 });
    expect(await facts.load("llama")).toEqual({ reads: [], tools: false, contextTokens: 16_384 });
    expect(requests).toEqual(Array.from({ length: 2 }, () => 'http://ollama/api/show {"model":"llama"}'));
  });
});

describe("a refusal of files", () => {
  const picture = { type: "file" as const, data: "AAAA", mediaType: "image/png" };
  const requestWith = (...parts: { type: "file"; data: string; mediaType: string }[]) => ({
    messages: [{ role: "user" as const, parts }],
  });
  const refusalOf = (status: number, message: string, request = requestWith(picture)) =>
    findFilesRefusal({ status, message, code: "", retryAfterMs: undefined }, request);

  test.for([
    [400, "This model does not support image input."],
    [404, "No endpoints found that support image input"],
    [500, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"],
    [400, "At most 0 image(s) may be provided in one request."],
    [400, "llama3 is not a multimodal model"],
    [400, "this model is missing data required for image input"],
    [400, "Invalid content type. image_url is only supported by certain models."],
    [400, "unsupported content type image_url"],
    [422, "messages[0].content must be a string"],
  ] as const)("is of all pictures in: %s %s", ([status, message]) =>
    expect(refusalOf(status, message)).toEqual({ of: "kind", input: "image" }),
  );

  test.for([
    [
      400,
      "You uploaded an unsupported image. Please make sure your image is of one of the following formats.",
    ],
    [400, "The image data you provided does not represent a valid image. Please check your input."],
    [400, "Could not process image"],
    [400, "cannot identify image file <_io.BytesIO object at 0x7f>"],
    [500, "Failed to load image or audio file"],
    [400, "Unable to process input image. Please retry."],
    [400, "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6 > 5242880 bytes"],
    [400, "Invalid base64 image_url."],
  ] as const)("is of one picture in: %s %s", ([status, message]) =>
    expect(refusalOf(status, message)).toEqual({ of: "one", input: "image" }),
  );

  test("is of one PDF", () => {
    const pdf = requestWith({ type: "file", data: "AAAA", mediaType: "application/pdf" });
    expect(refusalOf(400, "The PDF specified was not valid.", pdf)).toEqual({ of: "one", input: "pdf" });
  });

  test.for([
    ["At most 4 image(s) may be provided in one prompt.", 4],
    ["Too many images in the request: exceeds the limit of 8", 5],
    ["The number of images exceeds the limit of 8", 8],
    ["Too many images and documents: 10 + 0 > 6", 5],
    ["This model accepts up to 3 images per request", 3],
  ] as const)("is of the number of pictures in: %s", ([message, most]) =>
    expect(refusalOf(400, message, requestWith(...Array.from({ length: 10 }, () => picture)))).toEqual({
      of: "pictures",
      most,
    }),
  );

  test.for([
    "Timeout while downloading https://pictures.example.org/far.png.",
    "This model does not support image input.",
    "You uploaded an unsupported image.",
    "404, message='Not Found', url='https://pictures.example.org/far.png'",
  ])("is of URLs first, if there are any: %s", (message) =>
    expect(
      refusalOf(
        400,
        message,
        requestWith(picture, { ...picture, data: "https://pictures.example.org/far.png" }),
      ),
    ).toEqual({ of: "addresses" }),
  );

  test.for([
    [400, "Your request was rejected by our safety system: this image is not allowed"],
    [429, "this model does not support image input"],
    [400, "The model does not support tools"],
    [400, "maximum context length is 4096 tokens"],
  ] as const)("is not recognized in: %s %s", ([status, message]) =>
    expect(refusalOf(status, message)).toBeUndefined(),
  );

  test("needs files in the request", () => {
    expect(refusalOf(400, "does not support image input", requestWith())).toBeUndefined();
  });
});
