import { describe, expect, onTestFinished, test } from "vitest";
import { createCuttableProxy } from "#storage/testing/cuttable-proxy.ts";
import { engines } from "../support/postgres/postgres.ts";
import { eventsOf, sendAndWait, startRun } from "../support/clients/conversation.ts";
import { placeForTest, serverForTest } from "../support/test-scope.ts";

/** A server on PostgreSQL, and how its connections are cut before statements with a text, a number of times. */
async function startCuttable() {
  const place = await placeForTest("postgres");
  const proxy = await createCuttableProxy(place.databaseUrl!);
  onTestFinished(proxy.close);
  const server = await serverForTest({
    engine: "postgres",
    place: { ...place, databaseUrl: proxy.url },
    model: true,
  });
  let cuts = 0;
  const cutBefore = (text: string, times: number) => {
    proxy.onSent = (data) => {
      if (cuts === times || !data.includes(text)) return "pass";
      cuts += 1;
      return "cut-before";
    };
  };
  return { server, cutBefore, cuts: () => cuts };
}

/** One more than the attempts of a transaction. */
const writeCuts = 7;

describe.runIf(engines.includes("postgres"))("an unavailable database", () => {
  test("makes an answer wait that reads the conversation", async () => {
    const { server, cutBefore, cuts } = await startCuttable();
    const ada = server.inNewWorkspace();
    cutBefore("with recursive", 3);
    const talk = await startRun(ada, "tokens=3");
    const events = eventsOf(await (await ada.events(talk.run_id)).rest());
    expect(cuts()).toBe(3);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "completed" });
    server.log.takeErrors();
  });

  test("makes an answer wait that replaces its deleted assistant", async () => {
    const { server, cutBefore, cuts } = await startCuttable();
    const owner = await server.owner();
    const { assistant } = await owner.call("assistants.create", { body: { name: "Short-lived" } });
    const { thread_id, reply_id } = await sendAndWait(owner, "tokens=1", { assistant_id: assistant.id });
    await owner.call("assistants.remove", { params: { assistant_id: assistant.id } });
    cutBefore('update "runs" set "assistant_id"', writeCuts);
    const { run_id } = await sendAndWait(owner, "tokens=3", { thread_id, parent_id: reply_id });
    expect(cuts()).toBe(writeCuts);
    const { run } = await owner.call("runs.get", { params: { run_id } });
    expect(run).toMatchObject({ state: "completed", assistant_id: "default" });
    server.log.takeErrors();
  });

  test("makes an answer wait whose fallback model takes over", async () => {
    const { server, cutBefore, cuts } = await startCuttable();
    const owner = await server.owner();
    const body = { name: "Careful", model: "env/fixture-1", parameters: { fallback_model: "builtin" } };
    const { assistant } = await owner.call("assistants.create", { body });
    cutBefore('update "runs" set "model"', writeCuts);
    const { run_id } = await sendAndWait(owner, "Fail status=400", { assistant_id: assistant.id });
    expect(cuts()).toBe(writeCuts);
    const { run } = await owner.call("runs.get", { params: { run_id } });
    expect(run).toMatchObject({ state: "completed", model: "builtin" });
    server.log.takeErrors();
  });
});
