import { describe, expect, test } from "vitest";
import { fold } from "#contract/fold.ts";
import { newId } from "#contract/ids.ts";
import type { JsonObject } from "#contract/json.ts";
import type { ProviderKindId } from "#contract/provider-kinds.ts";
import type { ModelServer, ModelServerOptions } from "#fixtures/model-server/model-server.ts";
import { userMessage } from "#fixtures/people.ts";
import { branchOf, readWholeLog, textOf } from "../support/clients/conversation.ts";
import { createOwner, join } from "../support/clients/browser.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { shareWith } from "../shares/sharing.ts";
import { engines } from "../support/postgres/postgres.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import type { TestServer } from "../support/servers/server.ts";
import { adaOn, modelForTest, placeForTest, serverForTest } from "../support/test-scope.ts";

type Talk = { thread_id: string; run_id: string; reply_id: string };

async function connect(server: TestServer, kind: ProviderKindId, service: ModelServer, model = "m") {
  const base_url = kind === "google" ? service.url.replace("/v1", "/v1beta") : service.url;
  const models = [{ id: model, name: "" }];
  const body = { kind, name: kind, base_url, api_key: "sk-0000", models };
  const { provider } = await (await server.owner()).call("providers.create", { body });
  return `${provider.id}/${model}`;
}

/** Asks below `parent` and waits for the end of the answer. */
async function ask(
  who: Visitor,
  text: string,
  more: object,
  parent?: Talk,
): Promise<Talk & { text: string }> {
  const thread_id = parent?.thread_id ?? newId("thread");
  const message = { parent_id: parent?.reply_id ?? null, content: userMessage(text) };
  const run = await who.call("runs.start", { params: { thread_id }, body: { message, ...more } });
  const { parts, end } = fold(await readWholeLog(who, run.run_id));
  expect([text, end?.state, end?.error?.code]).toEqual([text, "completed", undefined]);
  return { ...run, thread_id, text: textOf(parts) };
}

/** The requests with these words, without those for titles. */
function requestsWith({ requests }: ModelServer, words: string) {
  return requests.filter(({ rawBody }) => {
    const body = rawBody.toString();
    return body.includes(words) && !body.includes("title of at most");
  });
}

/** The messages of the model in the last request with these words. */
function answersIn(service: ModelServer, words: string): JsonObject[] {
  const { messages } = requestsWith(service, words).at(-1)!.body as { messages: JsonObject[] };
  return messages.filter(({ role }) => role === "assistant");
}

const addition = 'tool=calculate("1+1")';

describe.for(engines)("a question after a tool call (%s)", (engine) => {
  async function start(options: ModelServerOptions, kind: ProviderKindId, modelId: string) {
    const place = await placeForTest(engine);
    const service = await modelForTest(options);
    const server = await serverForTest({ engine, place });
    const model = await connect(server, kind, service, modelId);
    return { place, service, server, model };
  }

  test.for(["deepseek-v4-pro", "kimi-k2.6"])(
    "has the reasoning of all earlier answers for %s, after a restart too",
    async (modelId) => {
      const { place, service, server, model } = await start(
        { reasoning: "required" },
        "openai-compatible",
        modelId,
      );
      const first = await ask(adaOn(server), `Add. think=3 ${addition}`, { model });
      await server.close();
      const ada = adaOn(await serverForTest({ engine, place }));
      // Without reasoning: the field must be there all the same.
      const second = await ask(ada, `Add again. ${addition}`, { model }, first);
      await ask(ada, "And now? tokens=2", { model }, second);
      const fields = answersIn(service, "And now?").map(({ reasoning_content: text }) => text);
      const thought = expect.stringMatching(/\w+ \w+ \w+/);
      expect(fields).toEqual([thought, thought, "", ""]);
      expect(requestsWith(service, "Add").map(({ ended }) => ended)).not.toContain("failed");
    },
  );

  test("has that reasoning for every model that asks for it, which costs no later chat its own", async () => {
    const { service, server, model } = await start({ reasoning: "required" }, "openai-compatible", "m");
    const ada = adaOn(server);
    const first = await ask(ada, `Add. think=3 ${addition}`, { model });
    await ask(ada, "And now? tokens=2", { model }, first);
    expect(requestsWith(service, "And now?").map(({ ended }) => ended)).toEqual(["failed", "done"]);
    const other = await ask(ada, `Another sum. think=3 ${addition}`, { model });
    await ask(ada, "And then? tokens=2", { model }, other);
    const later = [...requestsWith(service, "Another sum."), ...requestsWith(service, "And then?")];
    expect(later.map(({ ended }) => ended)).not.toContain("failed");
    expect(answersIn(service, "And then?")[0]!.reasoning_content).toMatch(/\w+ \w+ \w+/);
  });

  test("has no reasoning of earlier answers for other models, and none at all for those that refuse it", async () => {
    const { service, server, model } = await start({}, "openai-compatible", "m");
    const strict = await modelForTest({ reasoning: "refused" });
    const strictModel = await connect(server, "groq", strict);
    const ada = adaOn(server);
    const first = await ask(ada, `Add. think=3 ${addition}`, { model });
    expect(answersIn(service, "Add.")[0]).toHaveProperty("reasoning_content");
    await ask(ada, "And now? tokens=2", { model }, first);
    expect(answersIn(service, "And now?").filter((answer) => "reasoning_content" in answer)).toEqual([]);

    await ask(ada, `Add strictly. think=3 ${addition}`, { model: strictModel });
    await ask(ada, `Add once more. think=3 ${addition}`, { model: strictModel });
    expect(requestsWith(strict, "Add strictly.").map(({ ended }) => ended)).toEqual([
      "done",
      "failed",
      "done",
    ]);
    expect(requestsWith(strict, "Add once more.").map(({ ended }) => ended)).toEqual(["done", "done"]);
  });

  test("has the signed reasoning of OpenRouter in every step and in later turns, and others do not get it", async () => {
    const { place, service, server, model } = await start(
      { reasoning: "details" },
      "openrouter",
      "google/gemini-3",
    );
    // The model uses the same id in each step.
    const first = await ask(adaOn(server), `Add. think=3 rounds=2 call-id=tool_ ${addition}`, { model });
    await server.close();
    const restarted = await serverForTest({ engine, place });
    const ada = adaOn(restarted);
    const second = await ask(ada, "And now? tokens=2", { model }, first);
    // The fixture refuses details that are not complete and in order.
    const details = answersIn(service, "And now?").map(({ reasoning_details: found }) => found);
    expect(details).toMatchObject([
      [{ type: "reasoning.text" }, { type: "reasoning.encrypted", id: "tool_0" }],
      [{ type: "reasoning.text" }, { type: "reasoning.encrypted", id: "tool_0_2" }],
      ...(details.length > 2 ? [undefined] : []),
    ]);
    expect(service.requests.map(({ ended }) => ended)).not.toContain("failed");

    const { receipt } = await ada.call("runs.receipt", { params: { run_id: second.run_id } });
    const { items } = receipt.requests[0]!;
    expect(items.filter(({ kind }) => kind === "reasoning").slice(0, 2)).toMatchObject([
      { left_out: null },
      { left_out: null },
    ]);

    const other = await modelForTest();
    await ask(ada, "Who? tokens=2", { model: await connect(restarted, "openai-compatible", other) }, second);
    expect(JSON.stringify(requestsWith(other, "Who?").at(-1)!.body)).not.toContain("reasoning_details");
    // Neither do clients.
    const listed = await ada.send("GET", `/v1/threads/${first.thread_id}/messages`);
    expect(listed.text).not.toContain("reasoning_details");
  });

  test("has the signed reasoning in a shared chat too, except of answers that read other chats, and it is erased with its person", async () => {
    const { place, service, server } = await start({ reasoning: "details" }, "openrouter", "google/gemini-3");
    const owner = await createOwner(server);
    const { provider } = await owner.call("providers.create", {
      body: {
        kind: "openrouter",
        name: "Shared",
        base_url: service.url,
        api_key: "sk-0000",
        models: [{ id: "google/gemini-3", name: "" }],
      },
    });
    const model = `${provider.id}/google/gemini-3`;
    const ben = await join(owner, { email: "ben@example.com" });
    const first = await ask(owner, `Add. think=3 ${addition}`, { model });
    await shareWith(owner, first.thread_id, ben);
    const next = await ask(ben, `And now? think=3 ${addition}`, { model }, first);
    const [answer] = answersIn(service, "And now?");
    expect(answer).toHaveProperty("reasoning_details");

    const second = await ask(owner, 'Look. think=3 tool=search_threads({"query":"sum"})', { model });
    await shareWith(owner, second.thread_id, ben);
    const message = { parent_id: second.reply_id, content: userMessage("And then? tokens=2") };
    const params = { thread_id: second.thread_id };
    const { run_id } = await ben.call("runs.start", { params, body: { message, model } });
    await readWholeLog(ben, run_id);
    const answers = JSON.stringify(answersIn(service, "And then?"));
    expect(answers).toContain("search_threads");
    expect(answers).not.toMatch(/reasoning_details|sum/);

    const stepsOf = async ({ reply_id }: Talk) =>
      await rawSql(
        place,
        async (run) => await run(`select 1 from reply_steps where message_id = '${reply_id}'`),
      );
    expect([await stepsOf(first), await stepsOf(next)]).toMatchObject([[{}], [{}]]);
    await ben.call("erasure.everything");
    expect([await stepsOf(first), await stepsOf(next)]).toMatchObject([[{}], []]);
  });

  test("has what a person made of an earlier answer, and not its signed reasoning", async () => {
    const { service, server, model } = await start({ reasoning: "details" }, "openrouter", "google/gemini-3");
    const ada = adaOn(server);
    const first = await ask(ada, `Add. think=3 ${addition}`, { model });
    const params = { thread_id: first.thread_id, message_id: first.reply_id };
    const branch = await branchOf(ada, first.thread_id);
    const text = JSON.stringify(branch.at(-1)!.content).replaceAll("1+1", "7+7");
    await ada.call("messages.update", { params, body: { content: JSON.parse(text) as JsonObject } });
    const message = { parent_id: first.reply_id, content: userMessage("And now? tokens=2") };
    const { run_id } = await ada.call("runs.start", {
      params: { thread_id: first.thread_id },
      body: { message, model },
    });
    // The fixture requires it of every call, and so refuses this one.
    await readWholeLog(ada, run_id);
    const answers = JSON.stringify(answersIn(service, "And now?"));
    expect(answers).toContain("7+7");
    expect(answers).not.toMatch(/1\+1|reasoning_details/);
  });
});

/** The ids that the models of each kind give their calls; Google's SDK makes them. */
const idsOf: [name: string, kind: ProviderKindId, prefix: string][] = [
  ["OpenAI", "openai", "call_6QtoWZkRlrBtlBXp6rnrWwB"],
  ["Anthropic", "anthropic", "toolu_01A09q90qw90lq91783"],
  ["Google", "google", ""],
  ["Mistral", "mistral", "D681PevK"],
  ["Kimi", "openai-compatible", "functions.calculate:"],
  ["a proxy", "openai-compatible", `call_${"x".repeat(80)}`],
];

/** Kinds with an API of their own, and which ids their servers accept. */
const strict: [kind: ProviderKindId, callIds?: RegExp][] = [
  ["openai"],
  ["anthropic"],
  ["google"],
  ["mistral", /^[A-Za-z0-9]{9}$/],
  ["openai-compatible"],
];

describe.for(idsOf)("a chat with a tool call of %s", ([, kind, prefix]) => {
  test.for(strict)("goes on, is compared and falls back to %s", async ([other, callIds]) => {
    const server = await serverForTest({ engine: "sqlite" });
    const [from, to] = [await modelForTest(), await modelForTest(callIds && { callIds })];
    const gone = await modelForTest();
    const model = await connect(server, kind, from);
    const next = await connect(server, other, to);
    const broken = await connect(server, "groq", gone);
    await gone.close();
    const ada = adaOn(server);
    const ids = prefix === "" ? "" : `call-id=${prefix}`;
    const first = await ask(ada, `Add. ${ids} ${addition} ${addition}`, { model });
    expect(first.text).toMatch(/2.* and .*2/);
    // The same ids once more.
    const second = await ask(ada, `Again. ${ids} ${addition} ${addition}`, { model }, first);

    const changed = await ask(ada, "Go on. tokens=2", { model: next }, second);
    await ask(ada, "And on. tokens=2", { model: next }, changed);
    const [before, after] = ["Go on.", "And on."].map((words) =>
      messagesIn(requestsWith(to, words).at(-1)!.body!),
    );
    // Requests begin alike, so that the provider reads its cache.
    expect(JSON.stringify(after).startsWith(JSON.stringify(before).slice(0, -1).split("Go on.")[0]!)).toBe(
      true,
    );

    const parameters = { fallback_model: next };
    const body = { name: "Careful", model: broken, parameters };
    const { assistant } = await (await server.owner()).call("assistants.create", { body });
    await ask(ada, "Fall back. tokens=2", { assistant_id: assistant.id, model: broken }, second);

    const message = { parent_id: second.reply_id, content: userMessage("Compare. tokens=2") };
    const params = { thread_id: first.thread_id };
    const { comparison } = await ada.call("comparisons.start", {
      params,
      body: { message, models: [model, next] },
    });
    for (const { run_id } of comparison.answers)
      expect(fold(await readWholeLog(ada, run_id)).end?.state).toBe("completed");
    for (const words of ["Go on.", "Fall back.", "Compare."])
      expect(new Set(requestsWith(to, words).map(({ ended }) => ended))).toEqual(new Set(["done"]));
  });
});

function messagesIn({ messages, input, contents }: JsonObject): unknown {
  return messages ?? input ?? contents;
}

test("a server that refuses ids of calls gets others, in all later requests", async () => {
  const server = await serverForTest({ engine: "sqlite" });
  const service = await modelForTest({ callIds: /^[A-Za-z0-9]{9}$/ });
  const model = await connect(server, "openai-compatible", service);
  const ada = adaOn(server);
  await ask(ada, `Add. ${addition}`, { model });
  await ask(ada, `Add again. ${addition}`, { model });
  expect(requestsWith(service, "Add").map(({ ended }) => ended)).toEqual([
    "done",
    "failed",
    "done",
    "done",
    "done",
  ]);
});
