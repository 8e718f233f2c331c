import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { BodyInputOf } from "#contract/api.ts";
import { newId } from "#contract/ids.ts";
import { userMessage } from "#fixtures/people.ts";
import { approvalTools } from "../support/servers/approval-tools.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer } from "../support/servers/server.ts";
import {
  branchOf,
  answerCall,
  sendAndGetCall,
  waitForFirstWord,
  readWholeLog,
} from "../support/clients/conversation.ts";
import type { Visitor } from "../support/clients/visitor.ts";

type Selection = Pick<BodyInputOf<"runs.start">, "assistant_id" | "model">;

describeServer("the assistant of an answer", { model: true, tools: approvalTools() }, (server) => {
  let owner: Visitor;
  let ada: Visitor;
  beforeAll(async () => {
    owner = await server().owner();
    ada = server().inNewWorkspace();
  });

  const create = async (name: string, more: Partial<BodyInputOf<"assistants.create">> = {}) =>
    (await owner.call("assistants.create", { body: { name, ...more } })).assistant.id;
  const remove = async (id: string) =>
    await owner.call("assistants.remove", { params: { assistant_id: id } });

  /** Sends a message, and returns the started run. */
  async function start(
    text: string,
    selection: Selection = {},
    at: { thread?: string; parent?: string } = {},
  ) {
    const threadId = at.thread ?? newId("thread");
    const body = { message: { parent_id: at.parent ?? null, content: userMessage(text) }, ...selection };
    const run = await ada.call("runs.start", { params: { thread_id: threadId }, body });
    return { ...run, thread: threadId };
  }

  async function ask(text: string, selection: Selection = {}, at: { thread?: string; parent?: string } = {}) {
    const started = await start(text, selection, at);
    await readWholeLog(ada, started.run_id);
    const branch = await branchOf(ada, started.thread);
    const author = branch.find(({ id }) => id === started.reply_id)!.made_by!;
    return { ...started, parent: started.reply_id, author };
  }

  const threadOf = async (id: string) =>
    (await ada.call("threads.get", { params: { thread_id: id } })).thread;
  const update = async (id: string, body: BodyInputOf<"threads.update">) =>
    await ada.call("threads.update", { params: { thread_id: id }, body });
  /** The last request to the model that contains this text. */
  async function lastRequest(text: string) {
    const { body } = (await server().requestsWith(text)).at(-1)!;
    const messages = body!.messages as { role: string; content: string }[];
    return {
      ...(body as { model: string }),
      system: messages[0]!.content,
      tools: (body!.tools ?? []) as { function: { name: string } }[],
    };
  }

  test("is the selected one, with its exact instructions, model, tools and parameters", async () => {
    const id = await create("Gardener", {
      instructions: "Speak of plants.\n  Always.",
      model: "fixture-2",
      tools: ["date"],
      parameters: { temperature: 0.4, top_p: 0.5, max_output_tokens: 300, seed: 7, stop: ["END"] },
    });
    const { author } = await ask("A first thing to sow", { assistant_id: id });
    const request = await lastRequest("A first thing to sow");
    expect(request.system).toMatch(/^Speak of plants\.\n {2}Always\.\n\nToday is \w+, \w+ \d+, \d{4}\.$/);
    expect(request).toMatchObject({ model: "fixture-2", temperature: 0.4, top_p: 0.5, max_tokens: 300 });
    expect(request).toMatchObject({ seed: 7, stop: ["END"] });
    expect(request.tools.map((tool) => tool.function.name)).toEqual(["date"]);
    expect(author).toEqual({
      assistant_id: id,
      assistant_name: "Gardener",
      model: "env/fixture-2",
      notes: [],
    });
  });

  test("is the built-in one by default, with all tools and no parameters", async () => {
    const { author } = await ask("An ordinary question");
    const request = await lastRequest("An ordinary question");
    expect(request.system).toMatch(/^You are a helpful assistant[^]*\nToday is /);
    expect(request.tools.length).toBeGreaterThan(3);
    expect(Object.keys(request)).not.toEqual(expect.arrayContaining(["temperature"]));
    expect(author).toEqual({
      assistant_id: "default",
      assistant_name: "Parlance",
      model: "env/fixture-1",
      notes: [],
    });
  });

  test("has exactly its instructions, with any characters", async () => {
    const id = await create("Exact");
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "binary", minLength: 1, maxLength: 200 }),
        fc.uuid(),
        async (text, mark) => {
          const instructions = ` ${text}\u0000\ud800\r\n`;
          await owner.call("assistants.update", { params: { assistant_id: id }, body: { instructions } });
          await ask(`${mark} tokens=1`, { assistant_id: id });
          const { system } = await lastRequest(mark);
          expect(system.slice(0, system.lastIndexOf("\n\nToday is "))).toBe(instructions);
        },
      ),
      { numRuns: 4 },
    );
  });

  test("is another one for a single answer, which the thread does not remember", async () => {
    const id = await create("Once", { model: "fixture-2" });
    const first = await ask("Ask once tokens=1", { model: "env/fixture-1" });
    const again = async (selection: Selection) => {
      const { run_id, reply_id } = await ada.call("runs.start", {
        params: { thread_id: first.thread },
        body: { parent_id: first.message_id, remember: false, ...selection },
      });
      await readWholeLog(ada, run_id);
      return (await branchOf(ada, first.thread)).find((message) => message.id === reply_id)!;
    };
    const second = await again({ model: "env/fixture-2" });
    expect(second).toMatchObject({ made_by: { assistant_id: "default", model: "env/fixture-2" } });
    expect(second.siblings).toHaveLength(2);
    expect((await again({ assistant_id: id })).made_by).toMatchObject({
      assistant_id: id,
      model: "env/fixture-2",
    });
    expect(await threadOf(first.thread)).toMatchObject({ assistant_id: null, model: "env/fixture-1" });
    const next = await ask("Go on after it tokens=1", {}, { thread: first.thread, parent: second.id });
    expect(next.author).toMatchObject({ assistant_id: "default", model: "env/fixture-1" });
    const params = { thread_id: first.thread };
    const body = { parent_id: first.message_id, remember: false, model: "env/unknown" };
    await ada.fails("model-not-found", "runs.start", { params, body });
  });

  test("is stored in the thread, and published on the feed", async () => {
    const id = await create("Remembered");
    const feed = await ada.live();
    await feed.next();
    const first = await ask("Begin tokens=1", { assistant_id: id, model: "fixture-2" });
    const seen = await feed.until(
      ({ data }) =>
        data.type === "change" &&
        data.change.type === "thread-put" &&
        data.change.thread.id === first.thread &&
        data.change.thread.model !== null,
    );
    expect(seen.at(-1)?.data).toMatchObject({
      change: { thread: { assistant_id: id, model: "env/fixture-2" } },
    });
    feed.close();
    const second = await ask("Go on tokens=1", {}, first);
    expect(second.author).toMatchObject({ assistant_id: id, model: "env/fixture-2" });
    expect(
      (
        await server()
          .inNewWorkspace()
          .ask("threads.get", { params: { thread_id: first.thread } })
      ).status,
    ).toBe(404);
  });

  test("can be changed in a thread, and answers from the next message on", async () => {
    const [a, b] = [await create("A"), await create("B", { model: "fixture-2" })];
    const first = await ask("One tokens=1", { assistant_id: a });
    await update(first.thread, { assistant_id: b });
    const second = await ask("Two tokens=1", {}, first);
    const third = await ask("Three tokens=1", { assistant_id: null }, { ...second, thread: first.thread });
    expect([first, second, third].map(({ author }) => [author.assistant_name, author.model])).toEqual([
      ["A", "env/fixture-1"],
      ["B", "env/fixture-2"],
      ["Parlance", "env/fixture-1"],
    ]);
    expect(await threadOf(first.thread)).toMatchObject({ assistant_id: null, model: null });
  });

  test("uses its own model, unless one is selected with it", async () => {
    const id = await create("Own model", { model: "fixture-2" });
    const first = await ask("One tokens=1", { model: "env/fixture-1" });
    expect(await threadOf(first.thread)).toMatchObject({ assistant_id: null, model: "env/fixture-1" });
    const second = await ask("Two tokens=1", { assistant_id: id }, first);
    expect(second.author.model).toBe("env/fixture-2");
    const third = await ask(
      "Three tokens=1",
      { assistant_id: id, model: "builtin" },
      { ...second, thread: first.thread },
    );
    expect(third.author.model).toBe("builtin");
    const fourth = await ask("Four tokens=1", { model: null }, { ...third, thread: first.thread });
    expect(fourth.author).toMatchObject({ assistant_name: "Own model", model: "env/fixture-2" });
  });

  test("is refused if it does not exist, and nothing is stored", async () => {
    const deleted = await create("Gone");
    await remove(deleted);
    const params = { thread_id: newId("thread") };
    const message = { parent_id: null, content: userMessage("Lost?") };
    for (const id of ["nobody", deleted, "\u0000", "\ud800", "__proto__"])
      await ada.fails("assistant-not-found", "runs.start", { params, body: { message, assistant_id: id } });
    await ada.fails("model-not-found", "runs.start", { params, body: { message, model: "nothing" } });
    await ada.fails("thread-not-found", "threads.get", { params });
    const there = await ask("There tokens=1");
    await ada.fails("assistant-not-found", "threads.update", {
      params: { thread_id: there.thread },
      body: { assistant_id: deleted },
    });
    expect(await threadOf(there.thread)).toMatchObject({ assistant_id: null });
  });

  test("is the default one if the thread's was deleted, and the answer names the deleted one", async () => {
    const id = await create("Short-lived", { instructions: "Be short-lived." });
    const first = await ask("One tokens=1", { assistant_id: id });
    await remove(id);
    const second = await ask("A second word", {}, first);
    expect(second.author).toEqual({
      assistant_id: "default",
      assistant_name: "Parlance",
      model: "env/fixture-1",
      notes: [{ kind: "assistant-gone", name: "Short-lived" }],
    });
    expect((await lastRequest("A second word")).system).toMatch(/^You are a helpful/);
    expect((await branchOf(ada, first.thread))[1]!.made_by).toMatchObject({
      assistant_name: "Short-lived",
      notes: [],
    });
    await owner.call("assistants.restore", { params: { assistant_id: id } });
    const third = await ask("Three tokens=1", {}, { ...second, thread: first.thread });
    expect(third.author).toMatchObject({ assistant_id: id, notes: [] });
  });

  test("uses another model if the selected one is not available, and the answer says so", async () => {
    const first = await ask("One tokens=1");
    await update(first.thread, { model: "fixture-9" });
    const second = await ask("Two tokens=1", {}, first);
    expect(second.author).toMatchObject({
      model: "env/fixture-1",
      notes: [{ kind: "model-gone", name: "fixture-9" }],
    });
    const log = await readWholeLog(ada, second.run_id);
    expect(log[1]).toEqual({ type: "run-note", note: { kind: "model-gone", name: "fixture-9" } });
    const id = await create("Of another model", { model: "fixture-8" });
    const third = await ask("Three tokens=1", { assistant_id: id });
    expect(third.author).toMatchObject({
      model: "env/fixture-1",
      notes: [{ kind: "model-gone", name: "fixture-8" }],
    });
  });

  test("leaves out a setting that the model refuses, and the answer says so", async () => {
    const id = await create("Warm", { model: "fixture-2", parameters: { temperature: 1.5, top_p: 0.3 } });
    const text = "Be warm. status=400 times=1 says=Unsupported_value:_'temperature'_does_not_support_1.5";
    const { author } = await ask(text, { assistant_id: id });
    expect(author.notes).toEqual([{ kind: "setting-left-out", name: "temperature" }]);
    const [refused, taken] = await server().requestsWith("Be warm.");
    expect([refused?.body?.temperature, taken?.body?.temperature, taken?.body?.top_p]).toEqual([
      1.5,
      undefined,
      0.3,
    ]);
    // The setting is not sent again, and each answer says so.
    expect((await ask("Once more tokens=1", { assistant_id: id })).author.notes).toEqual(author.notes);
    expect(await server().requestsWith("Once more")).toHaveLength(1);
  });

  test("uses the assistant's fallback model if the first fails before its first token, and the answer says so", async () => {
    const parameters = { fallback_model: "env/fixture-1" };
    const id = await create("Careful", { model: "fixture-2", parameters });
    const { author } = await ask("Try. status=503 retry-after=60 times=1 tokens=1", { assistant_id: id });
    expect(author).toMatchObject({
      model: "env/fixture-1",
      notes: [{ kind: "model-failed", name: "fixture-2" }],
    });
    const requests = await server().requestsWith("Try. status");
    expect(requests.map(({ body }) => body?.model)).toEqual(["fixture-2", "fixture-1"]);
    // The model that failed is not asked for the title.
    const [title] = await server().titleRequestsWith("Try. status");
    expect(title?.body?.model).toBe("fixture-1");
    const long = await ask("Long. status=400 code=context_length_exceeded times=2 tokens=1", {
      assistant_id: id,
    });
    expect(long.author).toMatchObject({ model: "env/fixture-1" });
    const broken = await ask("Break. die=2 tokens=5", { assistant_id: id });
    expect(broken.author).toMatchObject({ model: "env/fixture-2", notes: [] });
  });

  test("of a queued message is the one selected when it was queued", async () => {
    const [a, b, c] = [await create("First"), await create("Second"), await create("Third")];
    const first = await start("Talk\nendless gap=5", { assistant_id: a });
    await waitForFirstWord(ada, first.run_id);
    const queued = await start(
      "Then tokens=1",
      { assistant_id: b, model: "fixture-2" },
      { thread: first.thread, parent: first.reply_id },
    );
    expect(queued.queued).toMatchObject({ assistant_id: b, model: "env/fixture-2" });
    await update(first.thread, { assistant_id: c, model: null });
    await ada.call("runs.stop", { params: { run_id: first.run_id } });
    await readWholeLog(ada, queued.run_id);
    const authors = (await branchOf(ada, first.thread)).flatMap(({ made_by: by }) =>
      by === null ? [] : [by],
    );
    expect(authors.map((by) => [by.assistant_name, by.model])).toEqual([
      ["First", "env/fixture-1"],
      ["Second", "env/fixture-2"],
    ]);
    expect(await threadOf(first.thread)).toMatchObject({ assistant_id: c });
  });

  test("of a queued message is the default one if the selected one was deleted", async () => {
    const id = await create("Waits in vain");
    const first = await start("Talk\nendless gap=5");
    await waitForFirstWord(ada, first.run_id);
    const queued = await start(
      "Then tokens=1",
      { assistant_id: id },
      { thread: first.thread, parent: first.reply_id },
    );
    await remove(id);
    await ada.call("runs.stop", { params: { run_id: first.run_id } });
    await readWholeLog(ada, queued.run_id);
    expect((await branchOf(ada, first.thread)).at(-1)!.made_by).toMatchObject({
      assistant_id: "default",
      notes: [{ kind: "assistant-gone", name: "Waits in vain" }],
    });
  });

  test("continues its own answer with its current instructions, whatever the thread's selection is now", async () => {
    const id = await create("Persistent", { instructions: "As it was." });
    const broken = await ask("Rivers run long. tokens=6 die=3", { assistant_id: id, model: "fixture-2" });
    await update(broken.thread, { assistant_id: null, model: "env/fixture-1" });
    await owner.call("assistants.update", {
      params: { assistant_id: id },
      body: { instructions: "As it is." },
    });
    const going = await ada.call("runs.continue", { params: { run_id: broken.run_id }, body: {} });
    await readWholeLog(ada, going.run_id);
    const request = await lastRequest("Rivers run long.");
    expect([request.system.split("\n")[0], request.model]).toEqual(["As it is.", "fixture-2"]);
    expect((await branchOf(ada, broken.thread)).at(-1)!.made_by).toMatchObject({
      assistant_id: id,
      model: "env/fixture-2",
    });
    expect(await threadOf(broken.thread)).toMatchObject({ assistant_id: null, model: "env/fixture-1" });
  });

  test("continues after an approval", async () => {
    const id = await create("Patient", { instructions: "Be patient.", tools: ["send_letter"] });
    const thread = newId("thread");
    await ada.call("threads.create", { body: { id: thread, last_message_at: new Date().toISOString() } });
    await update(thread, { assistant_id: id });
    const waiting = await sendAndGetCall(ada, 'Write to the patient. tool=send_letter({"to":"Ben"})', {
      thread_id: thread,
    });
    await update(thread, { assistant_id: null });
    await answerCall(ada, waiting.run_id, true);
    await (await ada.events(waiting.run_id)).until(({ data }) => data.type === "run-end");
    const last = await lastRequest("Write to the patient.");
    expect([last.system.split("\n")[0], last.tools.length]).toEqual(["Be patient.", 1]);
  });

  test("of a regenerated answer is the one selected now, and both answers keep their authors", async () => {
    const id = await create("Again");
    const first = await ask("Once tokens=1");
    const again = await ada.call("runs.start", {
      params: { thread_id: first.thread },
      body: { parent_id: first.message_id, assistant_id: id },
    });
    await readWholeLog(ada, again.run_id);
    const branch = await branchOf(ada, first.thread);
    expect(branch.at(-1)).toMatchObject({
      siblings: [first.reply_id, again.reply_id],
      made_by: { assistant_id: id },
    });
    expect(await threadOf(first.thread)).toMatchObject({ assistant_id: id });
  });

  test("is the default one with the owner's changes in threads without a selection", async () => {
    const params = { params: { assistant_id: "default" } };
    await owner.call("assistants.update", {
      ...params,
      body: { name: "House", instructions: "Be of this house." },
    });
    const { author } = await ask("Whose house is it");
    expect((await lastRequest("Whose house is it")).system).toMatch(/^Be of this house\.\n\nToday/);
    expect(author.assistant_name).toBe("House");
    await owner.call("assistants.remove", params);
    await ask("Whose is it now");
    expect((await lastRequest("Whose is it now")).system).toMatch(/^You are a helpful/);
  });

  describe("for protocol clients", () => {
    const stream = async (body: Partial<BodyInputOf<"runs.stream">>) =>
      await ada.ask("runs.stream", {
        body: {
          thread_id: "unstable_todo",
          assistant_id: "default",
          messages: [userMessage("tokens=1")],
          ...body,
        },
      });

    test("is the one that the request names, with the page's system prompt after its own", async () => {
      const id = await create("Wired", {
        instructions: "Be wired.",
        model: "fixture-2",
        parameters: { top_p: 0 },
      });
      const answer = await stream({
        assistant_id: id,
        messages: [userMessage("A word by wire")],
        system: "And brief.",
      });
      expect(answer.status).toBe(200);
      const request = await lastRequest("A word by wire");
      expect(request.system).toMatch(/^Be wired\.\n\nToday is [^\n]+\n\nAnd brief\.$/);
      expect(request).toMatchObject({ model: "fixture-2", top_p: 0 });
      await remove(id);
      expectProblem(await stream({ assistant_id: id }), "assistant-not-found");
    });

    test("may be any in a report of a client's run", async () => {
      const { thread } = await ask("Reported tokens=1");
      const body = { thread_id: thread, status: "completed" as const, assistant_id: "one of their own" };
      expect((await ada.ask("runs.report", { body })).status).toBe(201);
    });
  });
});
