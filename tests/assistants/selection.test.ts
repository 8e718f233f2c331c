import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { BodyInputOf } from "#contract/api.ts";
import { newId } from "#contract/ids.ts";
import { said } from "#fixtures/people.ts";
import { askingTools } from "../support/asking-tools.ts";
import { expectProblem } from "../support/problem.ts";
import { describeServer } from "../support/server.ts";
import { branchOf, decide, sayAndBeAsked, untilSpoken, wholeLog } from "../support/talk.ts";
import type { Visitor } from "../support/visitor.ts";

type Choice = Pick<BodyInputOf<"runs.start">, "assistant_id" | "model">;

describeServer("who answers", { model: true, tools: askingTools() }, (server) => {
  let owner: Visitor;
  let ada: Visitor;
  beforeAll(async () => {
    owner = await server().owner();
    ada = server().inNewWorkspace();
  });

  const make = async (name: string, more: Partial<BodyInputOf<"assistants.create">> = {}) =>
    (await owner.call("assistants.create", { body: { name, ...more } })).assistant.id;
  const remove = async (id: string) =>
    await owner.call("assistants.remove", { params: { assistant_id: id } });

  /** Says something and answers what was begun. */
  async function begin(text: string, choice: Choice = {}, at: { thread?: string; parent?: string } = {}) {
    const threadId = at.thread ?? newId("thread");
    const body = { message: { parent_id: at.parent ?? null, content: said(text) }, ...choice };
    const started = await ada.call("runs.start", { params: { thread_id: threadId }, body });
    return { ...started, thread: threadId };
  }

  async function ask(text: string, choice: Choice = {}, at: { thread?: string; parent?: string } = {}) {
    const begun = await begin(text, choice, at);
    await wholeLog(ada, begun.run_id);
    const branch = await branchOf(ada, begun.thread);
    const maker = branch.find(({ id }) => id === begun.reply_id)!.made_by!;
    return { ...begun, parent: begun.reply_id, maker };
  }

  const threadOf = async (id: string) =>
    (await ada.call("threads.get", { params: { thread_id: id } })).thread;
  const update = async (id: string, body: BodyInputOf<"threads.update">) =>
    await ada.call("threads.update", { params: { thread_id: id }, body });
  /** What the model was told and asked at last, with these words in it. */
  async function lastAsked(words: string) {
    const { body } = (await server().asked(words)).at(-1)!;
    const messages = body!.messages as { role: string; content: string }[];
    return {
      ...(body as { model: string }),
      system: messages[0]!.content,
      tools: (body!.tools ?? []) as { function: { name: string } }[],
    };
  }

  test("is the assistant that was chosen: with its words to the letter, its model, its tools and its parameters", async () => {
    const id = await make("Gardener", {
      instructions: "Speak of plants.\n  Always.",
      model: "fixture-2",
      tools: ["date"],
      parameters: { temperature: 0.4, top_p: 0.5, max_output_tokens: 300 },
    });
    const { maker } = await ask("A first thing to sow", { assistant_id: id });
    const asked = await lastAsked("A first thing to sow");
    expect(asked.system).toMatch(/^Speak of plants\.\n {2}Always\.\n\nToday is \w+, \w+ \d+, \d{4}\.$/);
    expect(asked).toMatchObject({ model: "fixture-2", temperature: 0.4, top_p: 0.5, max_tokens: 300 });
    expect(asked.tools.map((tool) => tool.function.name)).toEqual(["date"]);
    expect(maker).toEqual({ assistant_id: id, assistant_name: "Gardener", model: "fixture-2", notes: [] });
  });

  test("is by default the one of the start, with every tool and no parameters", async () => {
    const { maker } = await ask("An ordinary question");
    const asked = await lastAsked("An ordinary question");
    expect(asked.system).toMatch(/^You are a helpful assistant[^]*\nToday is /);
    expect(asked.tools.length).toBeGreaterThan(3);
    expect(Object.keys(asked)).not.toEqual(expect.arrayContaining(["temperature"]));
    expect(maker).toEqual({
      assistant_id: "default",
      assistant_name: "Parlance",
      model: "fixture-1",
      notes: [],
    });
  });

  test("is told its instructions exactly, whatever they are of", async () => {
    const id = await make("Exact");
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "binary", minLength: 1, maxLength: 200 }),
        fc.uuid(),
        async (text, mark) => {
          const instructions = ` ${text}\u0000\ud800\r\n`;
          await owner.call("assistants.update", { params: { assistant_id: id }, body: { instructions } });
          await ask(`${mark} tokens=1`, { assistant_id: id });
          const { system } = await lastAsked(mark);
          expect(system.slice(0, system.lastIndexOf("\n\nToday is "))).toBe(instructions);
        },
      ),
      { numRuns: 4 },
    );
  });

  test("is remembered by the thread, and told to its other tabs", async () => {
    const id = await make("Remembered");
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
    expect(seen.at(-1)?.data).toMatchObject({ change: { thread: { assistant_id: id, model: "fixture-2" } } });
    feed.close();
    const second = await ask("Go on tokens=1", {}, first);
    expect(second.maker).toMatchObject({ assistant_id: id, model: "fixture-2" });
    expect(
      (
        await server()
          .inNewWorkspace()
          .ask("threads.get", { params: { thread_id: first.thread } })
      ).status,
    ).toBe(404);
  });

  test("can be changed in mid-thread, and answers from the next message on", async () => {
    const [a, b] = [await make("A"), await make("B", { model: "fixture-2" })];
    const first = await ask("One tokens=1", { assistant_id: a });
    await update(first.thread, { assistant_id: b });
    const second = await ask("Two tokens=1", {}, first);
    const third = await ask("Three tokens=1", { assistant_id: null }, { ...second, thread: first.thread });
    expect([first, second, third].map(({ maker }) => [maker.assistant_name, maker.model])).toEqual([
      ["A", "fixture-1"],
      ["B", "fixture-2"],
      ["Parlance", "fixture-1"],
    ]);
    expect(await threadOf(first.thread)).toMatchObject({ assistant_id: null, model: null });
  });

  test("brings its own model along, unless one is chosen with it", async () => {
    const id = await make("Own model", { model: "fixture-2" });
    const first = await ask("One tokens=1", { model: "fixture-1" });
    expect(await threadOf(first.thread)).toMatchObject({ assistant_id: null, model: "fixture-1" });
    const second = await ask("Two tokens=1", { assistant_id: id }, first);
    expect(second.maker.model).toBe("fixture-2");
    const third = await ask(
      "Three tokens=1",
      { assistant_id: id, model: "builtin" },
      { ...second, thread: first.thread },
    );
    expect(third.maker.model).toBe("builtin");
    const fourth = await ask("Four tokens=1", { model: null }, { ...third, thread: first.thread });
    expect(fourth.maker).toMatchObject({ assistant_name: "Own model", model: "fixture-2" });
  });

  test("that is asked for by name and not there is refused, and nothing is stored", async () => {
    const gone = await make("Gone");
    await remove(gone);
    const params = { thread_id: newId("thread") };
    const message = { parent_id: null, content: said("Lost?") };
    for (const id of ["nobody", gone, "\u0000", "\ud800", "__proto__"])
      expectProblem(
        await ada.ask("runs.start", { params, body: { message, assistant_id: id } }),
        "assistant-not-found",
      );
    expectProblem(
      await ada.ask("runs.start", { params, body: { message, model: "nothing" } }),
      "model-not-found",
    );
    expectProblem(await ada.ask("threads.get", { params }), "thread-not-found");
    const there = await ask("There tokens=1");
    expectProblem(
      await ada.ask("threads.update", { params: { thread_id: there.thread }, body: { assistant_id: gone } }),
      "assistant-not-found",
    );
    expect(await threadOf(there.thread)).toMatchObject({ assistant_id: null });
  });

  test("is the default one where the thread's own is gone, and the answer says whose place it takes", async () => {
    const id = await make("Short-lived", { instructions: "Be short-lived." });
    const first = await ask("One tokens=1", { assistant_id: id });
    await remove(id);
    const second = await ask("A second word", {}, first);
    expect(second.maker).toEqual({
      assistant_id: "default",
      assistant_name: "Parlance",
      model: "fixture-1",
      notes: [{ kind: "assistant-gone", name: "Short-lived" }],
    });
    expect((await lastAsked("A second word")).system).toMatch(/^You are a helpful/);
    expect((await branchOf(ada, first.thread))[1]!.made_by).toMatchObject({
      assistant_name: "Short-lived",
      notes: [],
    });
    await owner.call("assistants.restore", { params: { assistant_id: id } });
    const third = await ask("Three tokens=1", {}, { ...second, thread: first.thread });
    expect(third.maker).toMatchObject({ assistant_id: id, notes: [] });
  });

  test("is another model where the thread's or the assistant's is gone, and the answer says so", async () => {
    const first = await ask("One tokens=1");
    await update(first.thread, { model: "fixture-9" });
    const second = await ask("Two tokens=1", {}, first);
    expect(second.maker).toMatchObject({
      model: "fixture-1",
      notes: [{ kind: "model-gone", name: "fixture-9" }],
    });
    const log = await wholeLog(ada, second.run_id);
    expect(log[1]).toEqual({ type: "run-note", note: { kind: "model-gone", name: "fixture-9" } });
    const id = await make("Of another model", { model: "fixture-8" });
    const third = await ask("Three tokens=1", { assistant_id: id });
    expect(third.maker).toMatchObject({
      model: "fixture-1",
      notes: [{ kind: "model-gone", name: "fixture-8" }],
    });
  });

  test("leaves out a setting that the model refuses, and says so", async () => {
    const id = await make("Warm", { model: "fixture-2", parameters: { temperature: 1.5, top_p: 0.3 } });
    const text = "Be warm. status=400 times=1 says=Unsupported_value:_'temperature'_does_not_support_1.5";
    const { maker } = await ask(text, { assistant_id: id });
    expect(maker.notes).toEqual([{ kind: "setting-left-out", name: "temperature" }]);
    const [refused, taken] = await server().asked("Be warm.");
    expect([refused?.body?.temperature, taken?.body?.temperature, taken?.body?.top_p]).toEqual([
      1.5,
      undefined,
      0.3,
    ]);
    // It is not asked with it again, and says so each time.
    expect((await ask("Once more tokens=1", { assistant_id: id })).maker.notes).toEqual(maker.notes);
    expect(await server().asked("Once more")).toHaveLength(1);
  });

  test("of a message that waits for its turn stays who was chosen for it", async () => {
    const [a, b, c] = [await make("First"), await make("Second"), await make("Third")];
    const first = await begin("Talk\nendless gap=5", { assistant_id: a });
    await untilSpoken(ada, first.run_id);
    const queued = await begin(
      "Then tokens=1",
      { assistant_id: b, model: "fixture-2" },
      { thread: first.thread, parent: first.reply_id },
    );
    expect(queued.queued).toMatchObject({ assistant_id: b, model: "fixture-2" });
    await update(first.thread, { assistant_id: c, model: null });
    await ada.call("runs.stop", { params: { run_id: first.run_id } });
    await wholeLog(ada, queued.run_id);
    const makers = (await branchOf(ada, first.thread)).flatMap(({ made_by: by }) =>
      by === null ? [] : [by],
    );
    expect(makers.map((by) => [by.assistant_name, by.model])).toEqual([
      ["First", "fixture-1"],
      ["Second", "fixture-2"],
    ]);
    expect(await threadOf(first.thread)).toMatchObject({ assistant_id: c });
  });

  test("of a message that waits is the default one where the chosen one went meanwhile", async () => {
    const id = await make("Waits in vain");
    const first = await begin("Talk\nendless gap=5");
    await untilSpoken(ada, first.run_id);
    const queued = await begin(
      "Then tokens=1",
      { assistant_id: id },
      { thread: first.thread, parent: first.reply_id },
    );
    await remove(id);
    await ada.call("runs.stop", { params: { run_id: first.run_id } });
    await wholeLog(ada, queued.run_id);
    expect((await branchOf(ada, first.thread)).at(-1)!.made_by).toMatchObject({
      assistant_id: "default",
      notes: [{ kind: "assistant-gone", name: "Waits in vain" }],
    });
  });

  test("goes on with what it began, whatever the thread has chosen since, and as it is told now", async () => {
    const id = await make("Persistent", { instructions: "As it was." });
    const broken = await ask("Rivers run long. tokens=6 die=3", { assistant_id: id, model: "fixture-2" });
    await update(broken.thread, { assistant_id: null, model: "fixture-1" });
    await owner.call("assistants.update", {
      params: { assistant_id: id },
      body: { instructions: "As it is." },
    });
    const going = await ada.call("runs.continue", { params: { run_id: broken.run_id }, body: {} });
    await wholeLog(ada, going.run_id);
    const asked = await lastAsked("Rivers run long.");
    expect([asked.system.split("\n")[0], asked.model]).toEqual(["As it is.", "fixture-2"]);
    expect((await branchOf(ada, broken.thread)).at(-1)!.made_by).toMatchObject({
      assistant_id: id,
      model: "fixture-2",
    });
    expect(await threadOf(broken.thread)).toMatchObject({ assistant_id: null, model: "fixture-1" });
  });

  test("goes on after it has waited for a person", async () => {
    const id = await make("Patient", { instructions: "Be patient.", tools: ["send_letter"] });
    const thread = newId("thread");
    await ada.call("threads.create", { body: { id: thread, last_message_at: new Date().toISOString() } });
    await update(thread, { assistant_id: id });
    const asked = await sayAndBeAsked(ada, 'Write to the patient. tool=send_letter({"to":"Ben"})', {
      thread_id: thread,
    });
    await update(thread, { assistant_id: null });
    await decide(ada, asked.run_id, true);
    await (await ada.events(asked.run_id)).until(({ data }) => data.type === "run-end");
    const last = await lastAsked("Write to the patient.");
    expect([last.system.split("\n")[0], last.tools.length]).toEqual(["Be patient.", 1]);
  });

  test("answers again as is chosen now, and the two answers stand side by side, each with its maker", async () => {
    const id = await make("Again");
    const first = await ask("Once tokens=1");
    const again = await ada.call("runs.start", {
      params: { thread_id: first.thread },
      body: { parent_id: first.message_id, assistant_id: id },
    });
    await wholeLog(ada, again.run_id);
    const branch = await branchOf(ada, first.thread);
    expect(branch.at(-1)).toMatchObject({
      siblings: [first.reply_id, again.reply_id],
      made_by: { assistant_id: id },
    });
    expect(await threadOf(first.thread)).toMatchObject({ assistant_id: id });
  });

  test("is the default one as its owner changed it, in every thread that chose none", async () => {
    const params = { params: { assistant_id: "default" } };
    await owner.call("assistants.update", {
      ...params,
      body: { name: "House", instructions: "Be of this house." },
    });
    const { maker } = await ask("Whose house is it");
    expect((await lastAsked("Whose house is it")).system).toMatch(/^Be of this house\.\n\nToday/);
    expect(maker.assistant_name).toBe("House");
    await owner.call("assistants.remove", params);
    await ask("Whose is it now");
    expect((await lastAsked("Whose is it now")).system).toMatch(/^You are a helpful/);
  });

  describe("on the protocol's wire", () => {
    const stream = async (body: Partial<BodyInputOf<"runs.stream">>) =>
      await ada.ask("runs.stream", {
        body: { thread_id: "unstable_todo", assistant_id: "default", messages: [said("tokens=1")], ...body },
      });

    test("is the assistant that the request names, and the page's words come after its own", async () => {
      const id = await make("Wired", {
        instructions: "Be wired.",
        model: "fixture-2",
        parameters: { top_p: 0 },
      });
      const answer = await stream({
        assistant_id: id,
        messages: [said("A word by wire")],
        system: "And brief.",
      });
      expect(answer.status).toBe(200);
      const asked = await lastAsked("A word by wire");
      expect(asked.system).toMatch(/^Be wired\.\n\nToday is [^\n]+\n\nAnd brief\.$/);
      expect(asked).toMatchObject({ model: "fixture-2", top_p: 0 });
      await remove(id);
      expectProblem(await stream({ assistant_id: id }), "assistant-not-found");
    });

    test("may be any in a report of a run made elsewhere", async () => {
      const { thread } = await ask("Reported tokens=1");
      const body = { thread_id: thread, status: "completed" as const, assistant_id: "one of their own" };
      expect((await ada.ask("runs.report", { body })).status).toBe(201);
    });
  });
});
