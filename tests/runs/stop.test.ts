import { expect, onTestFinished, vi } from "vitest";
import { fold } from "#contract/fold.ts";
import { describeServer, test } from "../support/servers/server.ts";
import {
  branchOf,
  eventsOf,
  startRun,
  sendAndWait,
  textOf,
  waitForFirstWord,
  readWholeLog,
} from "../support/clients/conversation.ts";

describeServer("stopping a run", { model: true }, (server) => {
  test("keeps the output and closes the model's connection", async ({ ada, ben }) => {
    const talk = await startRun(ada, "Stop me soon\nendless gap=5");
    const { stream, seen } = await waitForFirstWord(ada, talk.run_id);
    const { run } = await ben.call("runs.stop", { params: { run_id: talk.run_id } });
    expect(run).toMatchObject({ state: "cancelled", error: null });
    const events = eventsOf([...seen, ...(await stream.rest())]);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "cancelled" });
    const reply = fold(events);
    expect(textOf(reply.parts)).not.toBe("");
    const message = (await branchOf(ada, talk.thread_id)).at(-1)!;
    expect(message.status).toEqual({ type: "incomplete", reason: "cancelled", error_code: null });
    expect(message.content).toMatchObject({
      content: reply.parts,
      status: { type: "incomplete", reason: "cancelled" },
    });
    const [request] = await server().requestsWith("Stop me soon");
    await request?.end;
    expect(request?.ended).toBe("gone");
  });

  test("stops a run without output", async ({ ada }) => {
    const talk = await startRun(ada, "Take your time wait=60000");
    const [request] = await server().requestsWith("Take your time");
    const { run } = await ada.call("runs.stop", { params: { run_id: talk.run_id } });
    expect(run).toMatchObject({ state: "cancelled", first_token_at: null, last_seq: 2 });
    await request?.end;
    expect((await branchOf(ada, talk.thread_id)).at(-1)?.content.content).toEqual([]);
  });

  test("stops a run immediately after its start", async ({ ada }) => {
    const talk = await startRun(ada, "endless gap=5");
    const { run } = await ada.call("runs.stop", { params: { run_id: talk.run_id } });
    expect(run.state).toBe("cancelled");
    expect((await readWholeLog(ada, talk.run_id)).at(-1)).toMatchObject({ state: "cancelled" });
  });

  test("has the same result for simultaneous requests", async ({ ada, ben }) => {
    const talk = await startRun(ada, "endless gap=5");
    await waitForFirstWord(ada, talk.run_id);
    const asks = [ada, ben, ada, ben, ada, ben].map(
      async (who) => await who.call("runs.stop", { params: { run_id: talk.run_id } }),
    );
    for (const { run } of await Promise.all(asks)) expect(run.state).toBe("cancelled");
    await readWholeLog(ada, talk.run_id);
  });

  test("does not change a run that has ended", async ({ ada }) => {
    const talk = await sendAndWait(ada, "tokens=3");
    const { run: before } = await ada.call("runs.get", { params: { run_id: talk.run_id } });
    const { run } = await ada.call("runs.stop", { params: { run_id: talk.run_id } });
    expect(run).toEqual(before);
    expect(run.state).toBe("completed");
  });

  test("responds without its time limit when the run ends at the same moment", async ({ ada }) => {
    const { clock } = server();
    const { sleep } = clock;
    const stopTimeoutMs = 2_000;
    // With this, a response that waited for the time limit would never come.
    const spy = vi
      .spyOn(clock, "sleep")
      .mockImplementation(async (ms, signal) =>
        ms === stopTimeoutMs ? await new Promise<never>(() => {}) : await sleep(ms, signal),
      );
    onTestFinished(() => spy.mockRestore());
    for (let delayMs = 0; delayMs < 60; delayMs += 5) {
      const talk = await startRun(ada, "tokens=1");
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      const { run } = await ada.call("runs.stop", { params: { run_id: talk.run_id } });
      expect(["completed", "cancelled"]).toContain(run.state);
      expect((await readWholeLog(ada, talk.run_id)).at(-1)).toMatchObject({ state: run.state });
    }
    expect(spy.mock.calls.map(([ms]) => ms)).toContain(stopTimeoutMs);
  });

  test("a run continues and ends without a reader", async ({ ada }) => {
    const talk = await startRun(ada, "tokens=30 gap=5");
    const { stream } = await waitForFirstWord(ada, talk.run_id);
    stream.close();
    expect((await readWholeLog(ada, talk.run_id)).at(-1)).toMatchObject({ state: "completed" });
  });

  test("a thread in the trash completes its answer, which a restored thread has", async ({ ada }) => {
    const talk = await startRun(ada, "tokens=10 gap=10");
    const params = { thread_id: talk.thread_id };
    await ada.call("threads.remove", { params });
    const events = await readWholeLog(ada, talk.run_id);
    await ada.call("threads.restore", { params });
    expect((await branchOf(ada, talk.thread_id)).at(-1)?.content.content).toEqual(fold(events).parts);
  });
});
