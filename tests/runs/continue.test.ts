import { expect } from "vitest";
import { fold } from "#contract/fold.ts";
import { newId } from "#contract/ids.ts";
import { describeServer, test } from "../support/servers/server.ts";
import {
  branchOf,
  startRun,
  sendAndWait,
  textOf,
  waitForFirstWord,
  readWholeLog,
} from "../support/clients/conversation.ts";

describeServer("continuing an interrupted answer", { model: true }, (server) => {
  test("completes the same message from its text so far", async ({ ada }) => {
    const broken = await sendAndWait(ada, "Rivers are long. echo tokens=6 die=3");
    const before = (await branchOf(ada, broken.thread_id)).at(-1)!;
    expect(before.status).toMatchObject({ type: "incomplete", reason: "error" });

    const going = await ada.call("runs.continue", { params: { run_id: broken.run_id }, body: {} });
    expect(going).toMatchObject({ message_id: broken.message_id, reply_id: broken.reply_id });
    const log = await readWholeLog(ada, going.run_id);
    expect(log[0]).toMatchObject({ type: "run-start", content: before.content.content });

    const branch = await branchOf(ada, broken.thread_id);
    expect(branch.map(({ id }) => id)).toEqual([broken.message_id, broken.reply_id]);
    const after = branch.at(-1)!;
    expect(after.run_id).toBe(going.run_id);
    expect(after.content.content).toEqual(fold(log).parts);
    expect(textOf(fold(log).parts).startsWith(textOf(before.content.content as never))).toBe(true);
  });

  test("sends the answer so far to the model as the last message", async ({ ada }) => {
    const broken = await sendAndWait(ada, "A quite particular question. tokens=6 die=3");
    const going = await ada.call("runs.continue", { params: { run_id: broken.run_id }, body: {} });
    await readWholeLog(ada, going.run_id);
    const said = textOf((await branchOf(ada, broken.thread_id)).at(-1)!.content.content as never);
    const request = (await server().requestsWith("Go on exactly")).at(-1)!;
    const messages = request.body!.messages as { role: string; content: string }[];
    expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    expect(said.startsWith(messages[2]!.content)).toBe(true);
  });

  test("continues after a stop, and returns the same run for the same id", async ({ ada }) => {
    const talk = await startRun(ada, "endless gap=5");
    await waitForFirstWord(ada, talk.run_id);
    await ada.call("runs.stop", { params: { run_id: talk.run_id } });
    const id = newId("run");
    const again = { params: { run_id: talk.run_id }, body: { id } };
    const answers = await Promise.all(
      Array.from({ length: 5 }, async () => await ada.call("runs.continue", again)),
    );
    for (const answer of answers)
      expect(answer).toEqual({ run_id: id, message_id: talk.message_id, reply_id: talk.reply_id });
    await ada.fails("run-not-continuable", "runs.continue", { params: { run_id: talk.run_id }, body: {} });
    await readWholeLog(ada, id);
  });

  test("rejects a complete answer, and an answer of a stranger", async ({ ada, eve }) => {
    const whole = await sendAndWait(ada, "tokens=3");
    await ada.fails("run-not-continuable", "runs.continue", { params: { run_id: whole.run_id }, body: {} });
    const broken = await sendAndWait(ada, "tokens=6 die=3");
    await eve.fails("run-not-found", "runs.continue", { params: { run_id: broken.run_id }, body: {} });
    await ada.fails("run-not-found", "runs.continue", { params: { run_id: newId("run") }, body: {} });
  });
});
