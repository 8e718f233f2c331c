import { describe, expect, test } from "vitest";
import type { ModelInput } from "#contract/endpoints/models.ts";
import { chatModels } from "./chat-models.ts";
import { refusedFiles } from "./providers/openai-compatible/refused-files.ts";
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

  test("is the operator's word, then the list's, then what is usual, and for an hour not what it refused", () => {
    let nowMs = 0;
    const clock = { now: () => nowMs };
    const what = createWhatModelsRead({ rules, usual: ["image"], connection: listed, clock });
    expect(["ruled", "listed", "other"].map((id) => what.known(id).reads)).toEqual([
      ["pdf"],
      ["audio"],
      ["image"],
    ]);
    what.refused("ruled", { of: "kind", input: "pdf" });
    what.refused("other", { of: "kind", input: "image" });
    what.refused("listed", { of: "one", input: "audio" });
    expect(["ruled", "listed", "other"].map((id) => what.known(id).reads)).toEqual([[], ["audio"], []]);
    nowMs = 3_600_000;
    expect(["ruled", "listed", "other"].map((id) => what.known(id).reads)).toEqual([
      ["pdf"],
      ["audio"],
      ["image"],
    ]);
  });

  test("is not less for one refusal of what it has taken", () => {
    const clock = { now: () => 0 };
    const what = createWhatModelsRead({ rules: [], usual: ["image"], connection: listed, clock });
    what.accepted("m", { inputs: new Set(["image"]), pictures: 1 });
    what.refused("m", { of: "kind", input: "image" });
    expect(what.known("m")).toEqual({ reads: ["image"] });
    what.refused("m", { of: "pictures", most: 4 });
    expect(what.known("m")).toEqual({ reads: ["image"], pictures: 4 });
    what.accepted("m", { inputs: new Set(["image"]), pictures: 5 });
    expect(what.known("m")).toEqual({ reads: ["image"] });
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
      clock: { now: () => 0 },
      show,
    });
    expect(await what.of("llama")).toEqual({ reads: ["image"] });
    expect(await what.of("llama")).toEqual({ reads: [], contextTokens: 16_384 });
    expect(await what.of("llama")).toEqual({ reads: [], contextTokens: 16_384 });
    expect(asked).toEqual(Array.from({ length: 2 }, () => 'http://ollama/api/show {"model":"llama"}'));
  });
});

describe("a refusal", () => {
  const picture = { type: "file" as const, data: "AAAA", mediaType: "image/png" };
  const ask = (...parts: { type: "file"; data: string; mediaType: string }[]) => ({
    messages: [{ role: "user" as const, parts }],
  });
  const refusalOf = (status: number, says: string, asked = ask(picture)) =>
    refusedFiles({ status, says, code: "", retryAfterMs: undefined }, asked);

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
  ] as const)("of pictures is heard in: %s %s", ([status, says]) =>
    expect(refusalOf(status, says)).toEqual({ of: "kind", input: "image" }),
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
  ] as const)("of one picture is heard in: %s %s", ([status, says]) =>
    expect(refusalOf(status, says)).toEqual({ of: "one", input: "image" }),
  );

  test("of one PDF is no refusal of all", () => {
    const pdf = ask({ type: "file", data: "AAAA", mediaType: "application/pdf" });
    expect(refusalOf(400, "The PDF specified was not valid.", pdf)).toEqual({ of: "one", input: "pdf" });
  });

  test.for([
    ["At most 4 image(s) may be provided in one prompt.", 4],
    ["Too many images in the request: exceeds the limit of 8", 5],
    ["The number of images exceeds the limit of 8", 8],
    ["Too many images and documents: 10 + 0 > 6", 5],
    ["This model accepts up to 3 images per request", 3],
  ] as const)("of so many pictures is heard in: %s", ([says, most]) =>
    expect(refusalOf(400, says, ask(...Array.from({ length: 10 }, () => picture)))).toEqual({
      of: "pictures",
      most,
    }),
  );

  test.for([
    "Timeout while downloading https://pictures.example.org/far.png.",
    "This model does not support image input.",
    "You uploaded an unsupported image.",
    "404, message='Not Found', url='https://pictures.example.org/far.png'",
  ])("is of what stands elsewhere first of all: %s", (says) =>
    expect(
      refusalOf(400, says, ask(picture, { ...picture, data: "https://pictures.example.org/far.png" })),
    ).toEqual({ of: "addresses" }),
  );

  test.for([
    [400, "Your request was rejected by our safety system: this image is not allowed"],
    [429, "this model does not support image input"],
    [400, "The model does not support tools"],
    [400, "maximum context length is 4096 tokens"],
  ] as const)("is not heard in: %s %s", ([status, says]) => expect(refusalOf(status, says)).toBeUndefined());

  test("is not heard where there were no files", () => {
    expect(refusalOf(400, "does not support image input", ask())).toBeUndefined();
  });
});
