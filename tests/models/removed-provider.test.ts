import { beforeAll, afterAll, expect } from "vitest";
import { newId } from "#contract/ids.ts";
import { startModelServer, type ModelServer } from "#fixtures/model-server/model-server.ts";
import { userMessage } from "#fixtures/people.ts";
import { answerCall, branchOf, readWholeLog, waitForFirstWord } from "../support/clients/conversation.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { approvalTools } from "../support/servers/approval-tools.ts";
import { describeServer, test } from "../support/servers/server.ts";

describeServer("a provider that is removed", { model: true, tools: approvalTools() }, (server) => {
  let service: ModelServer;
  let owner: Visitor;
  beforeAll(async () => {
    service = await startModelServer();
    owner = await server().owner();
  });
  afterAll(async () => await service.close());

  const add = async () =>
    await owner.call("providers.create", {
      body: { kind: "openai-compatible", name: "Gone", base_url: service.url },
    });
  const remove = async () => await owner.call("providers.remove", { params: { provider_id: "gone" } });

  async function start(who: Visitor, text: string) {
    const thread_id = newId("thread");
    const body = {
      model: "gone/fixture-1",
      message: { parent_id: null, content: userMessage(text) },
    };
    return { thread_id, ...(await who.call("runs.start", { params: { thread_id }, body })) };
  }
  const answerOf = async (who: Visitor, threadId: string) => (await branchOf(who, threadId)).at(-1)!;

  test("still gets the results of tools that its model called", async ({ ada }) => {
    await add();
    const talk = await start(ada, 'Add up slowly gap=60 pieces=12 tool=calculate("20+22")');
    const stream = await ada.events(talk.run_id);
    await stream.until(({ data }) => data.type === "tool-call-start");
    await remove();
    stream.close();
    expect((await readWholeLog(ada, talk.run_id)).at(-1)).toMatchObject({ state: "completed" });
    const { made_by: madeBy, content } = await answerOf(ada, talk.thread_id);
    expect(JSON.stringify(content)).toContain("42");
    expect(madeBy).toMatchObject({ model: "gone/fixture-1", notes: [] });
  });

  test("leaves a waiting answer to the default model, which says so", async ({ ada }) => {
    await add();
    const talk = await start(ada, 'tool=send_letter({"to":"Ben"})');
    const stream = await ada.events(talk.run_id);
    await stream.until(({ data }) => data.type === "run-wait");
    stream.close();
    await remove();
    expect((await answerCall(ada, talk.run_id, true)).status).toBe(200);
    expect((await readWholeLog(ada, talk.run_id)).at(-1)).toMatchObject({ state: "completed" });
    expect((await answerOf(ada, talk.thread_id)).made_by).toMatchObject({
      model: "env/fixture-1",
      notes: [{ kind: "model-gone", name: "fixture-1" }],
    });
  });

  test("leaves a stopped answer to the default model when it is continued", async ({ ada }) => {
    await add();
    const talk = await start(ada, "Talk on\nendless gap=10");
    const { stream } = await waitForFirstWord(ada, talk.run_id);
    stream.close();
    await ada.call("runs.stop", { params: { run_id: talk.run_id } });
    await readWholeLog(ada, talk.run_id);
    await remove();
    const again = await ada.call("runs.continue", { params: { run_id: talk.run_id }, body: {} });
    (await waitForFirstWord(ada, again.run_id)).stream.close();
    await ada.call("runs.stop", { params: { run_id: again.run_id } });
    await readWholeLog(ada, again.run_id);
    expect((await answerOf(ada, talk.thread_id)).made_by).toMatchObject({
      model: "env/fixture-1",
      notes: [{ kind: "model-gone", name: "fixture-1" }],
    });
  });

  test("leaves the other answers of a comparison, and its own can be chosen but not continued", async () => {
    const ada = server().inNewWorkspace();
    await add();
    const params = { thread_id: newId("thread") };
    const body = {
      message: { parent_id: null, content: userMessage("Compare\nendless gap=10") },
      models: ["gone/fixture-1", "env/fixture-2"],
      is_blind: true,
    };
    const { comparison } = await ada.call("comparisons.start", { params, body });
    for (const { run_id } of comparison.answers) (await waitForFirstWord(ada, run_id)).stream.close();
    for (const { run_id } of comparison.answers) await ada.call("runs.stop", { params: { run_id } });
    await remove();
    const continued = await Promise.all(
      comparison.answers.map(
        async ({ run_id }) => await ada.ask("runs.continue", { params: { run_id }, body: {} }),
      ),
    );
    const runIds = continued.map(({ status, body: answer }) => {
      expect(status).toBe(201);
      return (answer as { run_id: string }).run_id;
    });
    const logs = await Promise.all(runIds.map(async (runId) => await readWholeLog(ada, runId)));
    expect(logs.map((log) => log.at(-1))).toContainEqual(
      expect.objectContaining({
        state: "failed",
        error: expect.objectContaining({ code: "model-not-found" }) as object,
      }),
    );
    // Not even the error tells which model it was.
    for (const log of logs) expect(JSON.stringify(log)).not.toMatch(/fixture-[12]/);
    const at = { params: { comparison_id: comparison.id } };
    const [one] = comparison.answers;
    await ada.call("comparisons.choose", { ...at, body: { reply_id: one!.reply_id } });
    expect((await ada.call("comparisons.wins")).models).toHaveLength(2);
    const again = { params: { thread_id: newId("thread") }, body };
    await ada.fails("model-not-found", "comparisons.start", again);
  });
});
