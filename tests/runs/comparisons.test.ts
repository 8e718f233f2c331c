import { describe, expect, vi } from "vitest";
import type { BodyInputOf } from "#contract/api.ts";
import type { Comparison } from "#contract/endpoints/comparisons.ts";
import { newId } from "#contract/ids.ts";
import { apiKey, userMessage } from "#fixtures/people.ts";
import { branchOf, readWholeLog, waitForFirstWord } from "../support/clients/conversation.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { bearer, visitor, type Visitor } from "../support/clients/visitor.ts";
import { killServer } from "../support/servers/kill-server.ts";
import { engines } from "../support/postgres/postgres.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { adaOn, childForTest, modelForTest, placeForTest, serverForTest } from "../support/test-scope.ts";

const both = ["env/fixture-1", "env/fixture-2"];

describeServer("a comparison", { model: true }, (server) => {
  async function compare(
    who: Visitor,
    text: string,
    more: Partial<BodyInputOf<"comparisons.start">> = {},
    threadId = newId("thread"),
  ): Promise<Comparison> {
    const body = { message: { parent_id: null, content: userMessage(text) }, models: both, ...more };
    return (await who.call("comparisons.start", { params: { thread_id: threadId }, body })).comparison;
  }
  const get = async (who: Visitor, { id }: Comparison) =>
    (await who.call("comparisons.get", { params: { comparison_id: id } })).comparison;
  const choose = async (who: Visitor, { id }: Comparison, replyId: string) =>
    await who.ask("comparisons.choose", { params: { comparison_id: id }, body: { reply_id: replyId } });
  const threadOf = async (who: Visitor, { thread_id }: Comparison) =>
    (await who.call("threads.get", { params: { thread_id } })).thread;
  const finish = async (who: Visitor, { answers }: Comparison) =>
    await Promise.all(answers.map(async ({ run_id }) => await readWholeLog(who, run_id)));

  test("is answered by all models at the same time, as siblings, and continues with the chosen one", async () => {
    const ada = server().inNewWorkspace();
    const made = await compare(ada, "Which one is better? tokens=30 gap=20");
    expect(made.answers.map(({ model }) => model)).toEqual(both);
    const runs = await Promise.all(
      made.answers.map(async ({ run_id }) => (await ada.call("runs.get", { params: { run_id } })).run),
    );
    expect(runs.map(({ state }) => state)).toEqual(["running", "running"]);
    await finish(ada, made);
    const [first, second] = made.answers;
    const branch = await branchOf(ada, made.thread_id);
    expect(branch.at(-1)!.siblings).toEqual([first!.reply_id, second!.reply_id]);
    expect(branch.at(-1)!.made_by).toMatchObject({ comparison_id: made.id });
    expect((await threadOf(ada, made)).model).toBeNull();

    const answer = await choose(ada, made, first!.reply_id);
    expect(answer.body).toMatchObject({ comparison: { chosen_reply_id: first!.reply_id } });
    expect((await branchOf(ada, made.thread_id)).at(-1)!.id).toBe(first!.reply_id);
    expect((await threadOf(ada, made)).model).toBe("env/fixture-1");
    // The first choice counts.
    expect((await choose(ada, made, first!.reply_id)).status).toBe(200);
    expectProblem(await choose(ada, made, second!.reply_id), "conflict");
    expect((await ada.call("comparisons.wins")).models).toEqual([
      { model: "env/fixture-1", wins: 1, comparisons: 1 },
      { model: "env/fixture-2", wins: 0, comparisons: 1 },
    ]);
  });

  test("gets one title", async ({ ada }) => {
    const made = await compare(ada, "Only one title for us tokens=3");
    await finish(ada, made);
    await expect.poll(async () => (await threadOf(ada, made)).title).not.toMatch(/^Only one title/);
    expect(await server().titleRequestsWith("Only one title for us")).toHaveLength(1);
  });

  test("hides its models until the choice if it is blind", async ({ ada }) => {
    const made = await compare(ada, "Who are you? tokens=4", { is_blind: true });
    const logs = await finish(ada, made);
    const params = { thread_id: made.thread_id };
    const seen = JSON.stringify([
      made,
      logs,
      await get(ada, made),
      await Promise.all(
        made.answers.map(async ({ run_id }) => await ada.call("runs.get", { params: { run_id } })),
      ),
      await Promise.all(
        made.answers.map(async ({ run_id }) => await ada.call("runs.receipt", { params: { run_id } })),
      ),
      await branchOf(ada, made.thread_id),
      await ada.call("messages.list", { params }),
      (await ada.send("GET", `/v1/threads/${made.thread_id}/export?format=json`)).text,
      (await ada.send("GET", `/v1/threads/${made.thread_id}/export?format=markdown`)).text,
    ]);
    expect(seen).not.toMatch(/fixture-[12]/);
    const { receipt } = await ada.call("runs.receipt", { params: { run_id: made.answers[0]!.run_id } });
    // The size of the body differs by the length of the model's name.
    expect(receipt.requests[0]).toMatchObject({
      host: null,
      is_local: null,
      body_bytes: null,
      body_sha256: null,
    });
    // Each model counts the tokens of the same words in its own way.
    const counts = /"(?:(?:input|output|reasoning|cached|cache_write)(?:_input)?(?:_tokens)?)":\s*\d+/g;
    expect(seen.match(counts)).toBeNull();
    await choose(ada, made, made.answers[1]!.reply_id);
    const after = await get(ada, made);
    expect(new Set(after.answers.map(({ model }) => model))).toEqual(new Set(both));
    expect((await branchOf(ada, made.thread_id)).at(-1)!.made_by!.model).toBe(after.answers[1]!.model);
  });

  test("is not found by its models before the choice if it is blind, in lists, sums and estimates", async () => {
    const ada = server().inNewWorkspace();
    const made = await compare(ada, "Sum me up? tokens=4", { is_blind: true });
    await finish(ada, made);
    const backend = visitor(server().url, "backend", bearer(apiKey));
    const about = async () => {
      const query = { thread_id: made.thread_id };
      const listed = await Promise.all(
        both.map(
          async (model_id) => (await backend.call("apps.runs", { query: { ...query, model_id } })).runs,
        ),
      );
      const { runs } = await backend.call("apps.runs", { query });
      const { days } = await backend.call("apps.usage", { query: { group_by: "model" } });
      const { rows } = await ada.call("usage.own", { query: { group_by: "model" } });
      const contexts = await Promise.all(
        both.map(
          async (model) =>
            await ada.call("threads.context", { params: { thread_id: made.thread_id }, query: { model } }),
        ),
      );
      return {
        found: listed.flat().length,
        costs: runs.map((run) => run.cost_usd),
        tokens: runs.map(({ input_tokens: tokens, usage_details: details }) => tokens ?? details),
        hiddenRuns: days.find((row) => row.model_id === null)?.runs ?? 0,
        models: rows.map(({ model }) => model),
        counted: contexts.filter((context) => !context.is_estimate).length,
      };
    };
    await expect.poll(async () => (await about()).models).toEqual([null]);
    const before = await about();
    expect(before).toMatchObject({
      found: 0,
      costs: [null, null],
      tokens: [null, null],
      counted: 0,
    });
    await choose(ada, made, made.answers[0]!.reply_id);
    const after = await about();
    expect(after).toMatchObject({ found: 2, models: both, counted: 1 });
    expect(after.tokens.every((count) => typeof count === "number" && count > 0)).toBe(true);
    expect(after.hiddenRuns).toBe(before.hiddenRuns - 2);
  });

  test("is the same for the same request, also after one of its models was removed", async ({ owner }) => {
    const { provider } = await owner.call("providers.create", {
      body: {
        kind: "openai-compatible",
        name: "Gone",
        base_url: server().model.url,
        models: [{ id: "fixture-1", name: "" }],
      },
    });
    const ids = { id: newId("comparison"), models: [`${provider.id}/fixture-1`, "env/fixture-2"] };
    const threadId = newId("thread");
    const made = await compare(owner, "Do it once tokens=2", ids, threadId);
    await finish(owner, made);
    const run = {
      params: { thread_id: newId("thread") },
      body: {
        id: newId("run"),
        model: ids.models[0]!,
        message: { parent_id: null, content: userMessage("Once tokens=2") },
      },
    };
    const started = await owner.call("runs.start", run);
    await readWholeLog(owner, started.run_id);
    await owner.call("providers.remove", { params: { provider_id: provider.id } });
    expect(await compare(owner, "Do it once tokens=2", ids, threadId)).toEqual(made);
    expect(await owner.call("runs.start", run)).toEqual(started);
    const other = { ...run.body, id: newId("run") };
    await owner.fails("model-not-found", "runs.start", { ...run, body: other });
  });

  test("shuffles the answers of a blind one", async ({ ada }) => {
    const orders = new Set<string | null>();
    for (let round = 0; round < 20 && orders.size < 2; round++) {
      const made = await compare(ada, "Shuffle tokens=1", { is_blind: true });
      await finish(ada, made);
      await choose(ada, made, made.answers[0]!.reply_id);
      orders.add((await get(ada, made)).answers[0]!.model);
    }
    expect(orders.size).toBe(2);
  });

  test("stops one answer or, with a choice, the others", async ({ ada }) => {
    const made = await compare(ada, "Talk on\nendless gap=10", { models: [...both, "builtin"] });
    const [one, two] = made.answers;
    await ada.call("runs.stop", { params: { run_id: one!.run_id } });
    const stateOf = async ({ run_id }: { run_id: string }) =>
      (await ada.call("runs.get", { params: { run_id } })).run.state;
    expect(await stateOf(one!)).toBe("cancelled");
    expect(await stateOf(two!)).toBe("running");
    await choose(ada, made, one!.reply_id);
    await readWholeLog(ada, two!.run_id);
    expect(await stateOf(two!)).toBe("cancelled");
    expect((await branchOf(ada, made.thread_id)).at(-1)!.id).toBe(one!.reply_id);
  });

  test("holds the queue until the choice, whichever answer a message was queued behind", async ({ ada }) => {
    const made = await compare(ada, "Wait for the choice tokens=40 gap=10");
    const [one, two] = made.answers;
    const queued = await ada.call("runs.start", {
      params: { thread_id: made.thread_id },
      body: {
        message: { parent_id: two!.reply_id, queue: true, content: userMessage("Then go on tokens=2") },
      },
    });
    expect(queued.queued).toBeDefined();
    await finish(ada, made);
    await ada.fails("run-not-found", "runs.get", { params: { run_id: queued.run_id } });
    await choose(ada, made, one!.reply_id);
    await vi.waitFor(async () => await readWholeLog(ada, queued.run_id), { timeout: 5_000 });
    expect((await branchOf(ada, made.thread_id)).map(({ id }) => id)).toEqual([
      made.message_id,
      one!.reply_id,
      queued.message_id,
      queued.reply_id,
    ]);
  });

  test("holds a message that another tab queues behind the answer above it", async ({ ada }) => {
    const first = await compare(ada, "Before it tokens=1");
    await finish(ada, first);
    const above = first.answers[0]!.reply_id;
    await choose(ada, first, above);
    const made = await compare(
      ada,
      "",
      { message: { parent_id: above, content: userMessage("Wait for it tokens=40 gap=10") } },
      first.thread_id,
    );
    const queued = await ada.call("runs.start", {
      params: { thread_id: made.thread_id },
      body: { message: { parent_id: above, queue: true, content: userMessage("Go on tokens=2") } },
    });
    expect(queued.queued).toBeDefined();
    await finish(ada, made);
    await ada.fails("run-not-found", "runs.get", { params: { run_id: queued.run_id } });
    const two = made.answers[1]!.reply_id;
    await choose(ada, made, two);
    await vi.waitFor(async () => await readWholeLog(ada, queued.run_id), { timeout: 5_000 });
    expect((await branchOf(ada, made.thread_id)).map(({ id }) => id)).toEqual([
      first.message_id,
      above,
      made.message_id,
      two,
      queued.message_id,
      queued.reply_id,
    ]);
  });

  test("goes on when one of its models fails, which can be continued or not chosen", async ({ ada }) => {
    const first = await compare(ada, "First a thread tokens=1", { models: both });
    await finish(ada, first);
    await choose(ada, first, first.answers[0]!.reply_id);
    const made = await compare(
      ada,
      "Half of us fail die=2 times=1",
      {
        message: {
          parent_id: first.answers[0]!.reply_id,
          content: userMessage("Half of us fail\ndie=3 times=1"),
        },
      },
      first.thread_id,
    );
    await finish(ada, made);
    const states = await Promise.all(
      made.answers.map(async ({ run_id }) => (await ada.call("runs.get", { params: { run_id } })).run.state),
    );
    expect(states.every((state) => ["failed", "completed"].includes(state))).toBe(true);
    const failed = made.answers[states.indexOf("failed")];
    if (failed !== undefined) {
      const again = await ada.call("runs.continue", { params: { run_id: failed.run_id }, body: {} });
      await readWholeLog(ada, again.run_id);
      expect((await get(ada, made)).answers.map(({ run_id }) => run_id)).toContain(again.run_id);
    }
    expect((await choose(ada, made, made.answers[1]!.reply_id)).status).toBe(200);
  });

  test("is started once, and refused with wrong models or while the thread is busy", async ({ ada }) => {
    const id = newId("comparison");
    const threadId = newId("thread");
    const body = { id, models: both };
    const made = await compare(ada, "Once gap=10\nendless", body, threadId);
    expect((await compare(ada, "Once gap=10\nendless", body, threadId)).answers).toEqual(made.answers);
    const ask = async (more: object) =>
      await ada.ask("comparisons.start", {
        params: { thread_id: threadId },
        body: { parent_id: made.message_id, models: both, ...more },
      });
    expectProblem(await ask({}), "thread-busy");
    expectProblem(await ask({ id }), "conflict");
    expectProblem(await ask({ models: ["env/fixture-1", "fixture-1"] }), "bad-request");
    expectProblem(await ask({ models: ["env/fixture-1"] }), "bad-request");
    expectProblem(await ask({ models: [...both, "nothing"] }), "model-not-found");
    expectProblem(await choose(ada, made, newId("message")), "bad-request");
    const stranger = server().inNewWorkspace();
    await stranger.fails("comparison-not-found", "comparisons.get", { params: { comparison_id: id } });
    expectProblem(await choose(stranger, made, made.answers[0]!.reply_id), "comparison-not-found");
    for (const { run_id } of made.answers) await ada.call("runs.stop", { params: { run_id } });
  });
});

describe.for(engines)("a server with a comparison in progress (%s)", (engine) => {
  test("ends all of its answers when it is killed, and lets one be chosen or continued afterwards", async () => {
    const where = await placeForTest(engine);
    const provider = await modelForTest();
    const first = await childForTest(where, provider);
    const body = {
      message: { parent_id: null, content: userMessage("Long\nendless gap=3") },
      models: ["fixture-1", "fixture-2"],
      is_blind: true,
    };
    const params = { thread_id: newId("thread") };
    const { comparison } = await adaOn(first).call("comparisons.start", { params, body });
    for (const { run_id } of comparison.answers) await waitForFirstWord(adaOn(first), run_id);
    await killServer(first, where);
    const second = await serverForTest({ engine, place: where, settings: { OPENAI_BASE_URL: provider.url } });
    const ada = adaOn(second);
    for (const { run_id } of comparison.answers)
      expect((await readWholeLog(ada, run_id)).at(-1)).toMatchObject({ state: "interrupted" });
    const [one, two] = comparison.answers;
    const again = await ada.call("runs.continue", { params: { run_id: one!.run_id }, body: {} });
    const continued = await ada.call("runs.continue", { params: { run_id: two!.run_id }, body: {} });
    const at = { params: { comparison_id: comparison.id } };
    const { answers } = (await ada.call("comparisons.get", at)).comparison;
    expect(answers).toEqual([
      { reply_id: one!.reply_id, run_id: again.run_id, model: null },
      { reply_id: two!.reply_id, run_id: continued.run_id, model: null },
    ]);
    await ada.call("comparisons.choose", { ...at, body: { reply_id: two!.reply_id } });
    for (const { run_id } of [again, continued])
      expect((await readWholeLog(ada, run_id)).at(-1)).toMatchObject({ type: "run-end" });
    expect((await branchOf(ada, params.thread_id)).at(-1)).toMatchObject({ id: two!.reply_id });
  });
});
