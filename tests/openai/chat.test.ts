import OpenAI, { APIError } from "openai";
import { beforeAll, expect, test } from "vitest";
import { dot as picture } from "#fixtures/dot.ts";
import { createOwner, type Browser } from "../support/clients/browser.ts";
import { describeServer } from "../support/servers/server.ts";

describeServer("the openai client of npm", { model: true }, (server) => {
  let owner: Browser;
  let client: OpenAI;
  beforeAll(async () => {
    owner = await createOwner(server());
    const { secret } = await owner.call("keys.create", { body: { name: "A script" } });
    client = clientWith(secret);
  });
  const clientWith = (apiKey: string) =>
    new OpenAI({ apiKey, baseURL: `${server().url}/openai/v1`, maxRetries: 0 });
  const chat = async (content: string, more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {}) =>
    await client.chat.completions.create({
      model: "env/fixture-1",
      messages: [{ role: "user", content }],
      ...more,
    });
  const bodyWith = async (words: string) =>
    (await server().requestsWith(words)).at(-1)!.body as Record<string, unknown>;

  test("lists the models and the assistants, and reads one", async () => {
    const { assistant } = await owner.call("assistants.create", { body: { name: "Gardener" } });
    const ids = [];
    for await (const { id } of client.models.list()) ids.push(id);
    expect(ids).toEqual(
      expect.arrayContaining(["env/fixture-1", "assistant/default", `assistant/${assistant.id}`]),
    );
    expect(await client.models.retrieve("env/fixture-1")).toMatchObject({ id: "env/fixture-1" });
    await expect(client.models.retrieve("env/none")).rejects.toMatchObject({
      status: 404,
      code: "model-not-found",
    });
  });

  test("gets an answer, and its tokens", async () => {
    const answer = await chat("Repeat after me: tulips\necho");
    expect(answer).toMatchObject({
      object: "chat.completion",
      model: "env/fixture-1",
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant" } }],
    });
    expect(answer.choices[0]!.message.content).toContain("Repeat after me: tulips");
    expect(answer.usage!.total_tokens).toBe(answer.usage!.prompt_tokens + answer.usage!.completion_tokens);
    expect(answer.usage!.completion_tokens).toBeGreaterThan(0);
  });

  test("streams an answer, with reasoning and the tokens at the end", async () => {
    const stream = await client.chat.completions.create({
      model: "env/fixture-1",
      messages: [{ role: "user", content: "Stream roses\nthink=3 echo" }],
      stream: true,
      stream_options: { include_usage: true },
    });
    let [text, reasoning] = ["", ""];
    const chunks = [];
    for await (const chunk of stream) {
      chunks.push(chunk);
      const delta = chunk.choices[0]?.delta as { content?: string; reasoning_content?: string } | undefined;
      text += delta?.content ?? "";
      reasoning += delta?.reasoning_content ?? "";
    }
    expect(text).toContain("Stream roses");
    expect(reasoning).not.toBe("");
    expect(chunks.at(-2)!.choices[0]!.finish_reason).toBe("stop");
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: expect.any(Number) } });
  });

  test("gets tool calls, whole and streamed, and answers them", async () => {
    const tools: OpenAI.ChatCompletionFunctionTool[] = [
      {
        type: "function",
        function: { name: "calculate", parameters: { type: "object", properties: { expression: {} } } },
      },
    ];
    const question = { role: "user" as const, content: 'How much is it? tool=calculate("1+1")' };
    const answer = await chat(question.content, { tools, tool_choice: "required" });
    expect(await bodyWith("How much is it?")).toMatchObject({ tool_choice: "required" });
    const [choice] = answer.choices;
    expect(choice).toMatchObject({
      finish_reason: "tool_calls",
      message: { content: null, tool_calls: [{ type: "function", function: { name: "calculate" } }] },
    });
    const call = choice!.message.tool_calls![0] as OpenAI.ChatCompletionMessageFunctionToolCall;
    expect(JSON.parse(call.function.arguments)).toEqual({ expression: "1+1" });

    const runner = client.chat.completions.stream({ model: "env/fixture-1", messages: [question], tools });
    const streamed = (await runner.finalChatCompletion()).choices[0]!.message.tool_calls![0]!;
    expect(streamed).toMatchObject({ type: "function", function: call.function });

    const result = { role: "tool" as const, tool_call_id: call.id, content: "two" };
    const final = await client.chat.completions.create({
      model: "env/fixture-1",
      messages: [question, choice!.message, result],
      tools,
    });
    expect(final.choices[0]!.message.content).toContain("two");
  });

  test("sends its settings, system message, picture and JSON format to the model", async () => {
    await client.chat.completions.create({
      model: "env/fixture-1",
      messages: [
        { role: "system", content: "Be short." },
        {
          role: "user",
          content: [
            { type: "text", text: "Look at this violet" },
            { type: "image_url", image_url: { url: picture } },
          ],
        },
      ],
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 77,
      stop: ["END"],
      seed: 7,
      response_format: { type: "json_object" },
    });
    const body = await bodyWith("Look at this violet");
    expect(body).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 77,
      stop: ["END"],
      seed: 7,
      response_format: { type: "json_object" },
    });
    expect(JSON.stringify(body["messages"])).toContain("Be short.");
    expect(JSON.stringify(body["messages"])).toContain(picture);
  });

  test("uses an assistant with its instructions and parameters", async () => {
    const { assistant } = await owner.call("assistants.create", {
      body: { name: "Pirate", instructions: "Talk like a pirate.", parameters: { temperature: 0.1 } },
    });
    await chat("Ahoy daisies", { model: `assistant/${assistant.id}` });
    const body = await bodyWith("Ahoy daisies");
    expect(JSON.stringify(body["messages"])).toContain("Talk like a pirate.");
    expect(body).toMatchObject({ temperature: 0.1 });
    await chat("Ahoy lilies", { model: `assistant/${assistant.id}`, temperature: 1 });
    expect(await bodyWith("Ahoy lilies")).toMatchObject({ temperature: 1 });
  });

  test("gets the answer of an assistant's fallback model if its own fails before the first word", async () => {
    const { assistant } = await owner.call("assistants.create", {
      body: {
        name: "Careful",
        instructions: "Be careful.",
        model: "env/fixture-1",
        parameters: { fallback_model: "env/fixture-2" },
      },
    });
    const model = `assistant/${assistant.id}`;
    const modelsAsked = (words: string) =>
      server()
        .model.requests.filter(({ body }) => JSON.stringify(body ?? "").includes(words))
        .map(({ body }) => body!.model);
    // Fails for the first model only: the fixture counts by the first line.
    const failing = "status=400 times=1 tokens=3";
    const { choices } = await chat(`Fall back, dahlia ${failing}`, { model });
    expect(choices[0]!.message.content).not.toBe("");
    expect(modelsAsked("dahlia")).toEqual(["fixture-1", "fixture-2"]);
    const stream = await client.chat.completions.create({
      model,
      messages: [{ role: "user", content: `Fall back, zinnia ${failing}` }],
      stream: true,
    });
    let text = "";
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
    expect(text).not.toBe("");
    await expect(chat(`Both fail, aster status=400`, { model })).rejects.toMatchObject({ status: 502 });
    expect(modelsAsked("aster")).toEqual(["fixture-1", "fixture-2"]);
    await expect(chat("Cut off, iris tokens=5 die=2", { model })).rejects.toBeInstanceOf(APIError);
    expect(modelsAsked("iris")).toEqual(["fixture-1"]);
    expect(server().log.takeErrors()).toHaveLength(2);
  });

  test("turns texts into vectors, more than a provider accepts at once", async () => {
    const texts = Array.from({ length: 200 }, (_, at) => "a".repeat(at + 1));
    for (const encoding_format of ["float", "base64"] as const) {
      const answer = await client.embeddings.create({
        model: "env/fixture-embed",
        input: texts,
        encoding_format,
      });
      expect(answer.usage.prompt_tokens).toBe(200);
      expect(answer.data).toHaveLength(200);
    }
    const { data } = await client.embeddings.create({ model: "env/fixture-embed", input: texts });
    expect(data.map(({ embedding }) => embedding)).toEqual(texts.map((text) => [text.length, 97]));
    const one = await client.embeddings.create({ model: "env/fixture-embed", input: "tulip" });
    expect(one.data[0]).toMatchObject({ index: 0, embedding: [5, 116] });
    await expect(client.embeddings.create({ model: "none/x", input: "x" })).rejects.toMatchObject({
      code: "model-not-found",
    });
    await expect(client.embeddings.create({ model: "builtin/x", input: "x" })).rejects.toMatchObject({
      code: "no-embeddings",
    });
  });

  test("counts in the usage of the person, and stores no thread", async () => {
    const before = (await owner.call("usage.own")).rows[0]?.requests ?? 0;
    const threads = (await owner.call("threads.list")).threads.length;
    await chat("Count this orchid");
    const { rows } = await owner.call("usage.own");
    expect(rows[0]!.requests).toBe(before + 1);
    expect((await owner.call("threads.list")).threads).toHaveLength(threads);
  });

  test("gets errors in the format that it understands", async () => {
    const failure = async (promise: Promise<unknown>): Promise<APIError> => {
      const error = await promise.then(() => undefined).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(APIError);
      return error as APIError;
    };
    expect(await failure(clientWith("sk_parlance_unknown").models.list())).toMatchObject({
      status: 401,
      code: "invalid-personal-key",
    });
    expect(await failure(chat("x", { model: "env/none" }))).toMatchObject({ status: 404 });
    expect(await failure(chat("x", { temperature: 3 }))).toMatchObject({
      status: 400,
      param: "temperature",
      message: expect.stringContaining("must be at most 2"),
    });
    const remote = { type: "image_url" as const, image_url: { url: "http://127.0.0.1/secret.png" } };
    expect(await failure(chat("x", { messages: [{ role: "user", content: [remote] }] }))).toMatchObject({
      status: 400,
      message: expect.stringContaining("data URL"),
    });
    const stray = { role: "tool" as const, tool_call_id: "call_x", content: "two" };
    expect(await failure(chat("x", { messages: [stray] }))).toMatchObject({
      param: "messages.0.tool_call_id",
    });
    expect(await failure(chat("Too much\nstatus=429 retry-after=30"))).toMatchObject({ status: 429 });
    const lost = client.get("/nothing");
    expect(await failure(lost)).toMatchObject({ status: 404, code: "not-found" });
  });

  test("gets an error for a failure within a stream, and no regular end", async () => {
    const stream = await client.chat.completions.create({
      model: "env/fixture-1",
      messages: [{ role: "user", content: "Tell me\ntokens=20 die=5" }],
      stream: true,
    });
    let text = "";
    const read = async () => {
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
    };
    await expect(read()).rejects.toBeInstanceOf(APIError);
    expect(text).not.toBe("");
  });

  test("stops the model when the program disconnects", async () => {
    const stream = await client.chat.completions.create({
      model: "env/fixture-1",
      messages: [{ role: "user", content: "Go on and on\nendless gap=10" }],
      stream: true,
    });
    for await (const { choices } of stream) if (choices.length > 0) break;
    const [request] = await server().requestsWith("Go on and on");
    await request!.end;
    expect(request!.ended).toBe("gone");
  });
});
