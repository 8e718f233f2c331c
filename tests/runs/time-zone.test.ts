import { expect } from "vitest";
import { fold, type Reply } from "#contract/fold.ts";
import { newId } from "#contract/ids.ts";
import { userMessage } from "#fixtures/people.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { textOf, readWholeLog } from "../support/clients/conversation.ts";
import type { Visitor } from "../support/clients/visitor.ts";

/** More than a day apart: the dates always differ. */
const east = "Pacific/Kiritimati";
const west = "Pacific/Pago_Pago";

const today = (timeZone: string) => new Intl.DateTimeFormat("en-CA", { timeZone }).format(Date.now());
const serverZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

async function askAndWait(who: Visitor, text: string, timeZone?: string): Promise<Reply> {
  const started = await who.call("runs.start", {
    params: { thread_id: newId("thread") },
    body: {
      message: { parent_id: null, content: userMessage(text) },
      ...(timeZone === undefined ? {} : { time_zone: timeZone }),
    },
  });
  return fold(await readWholeLog(who, started.run_id));
}

describeServer("the date for a person", {}, (server) => {
  test("is the one in their time zone", async ({ ada }) => {
    for (const zone of [east, west]) {
      const { parts } = await askAndWait(ada, "What time is it?", zone);
      expect(textOf(parts)).toContain(`(${zone})`);
      expect(parts).toContainEqual(
        expect.objectContaining({ result: expect.objectContaining({ date: today(zone) }) as unknown }),
      );
    }
  });

  test.each([undefined, "Mars/Olympus", "constructor", "-1"])(
    "is the server's for the unknown time zone %j",
    async (zone) => {
      const { parts } = await askAndWait(server().inNewWorkspace(), "What time is it?", zone);
      expect(textOf(parts)).toContain(`(${serverZone})`);
    },
  );

  test.each([["Europe/Berlin".repeat(10)], [""], [7], [null], ["Europe/\u0000Berlin"]])(
    "is rejected with the time zone %j",
    async (zone) => {
      const message = { parent_id: null, content: userMessage("What time is it?") };
      const answer = await server()
        .inNewWorkspace()
        .ask("runs.start", {
          params: { thread_id: newId("thread") },
          body: { message, time_zone: zone as string },
        });
      expectProblem(answer, "bad-request");
      expect(answer.text).toContain("body.time_zone");
    },
  );

  test("does not make a repeated request a different one", async ({ ada }) => {
    const runId = newId("run");
    const thread = { thread_id: newId("thread") };
    const body = {
      id: runId,
      message: { id: newId("message"), parent_id: null, content: userMessage("What time is it?") },
    };
    const first = await ada.call("runs.start", { params: thread, body: { ...body, time_zone: east } });
    const repeated = await ada.call("runs.start", { params: thread, body: { ...body, time_zone: west } });
    expect(repeated).toEqual(first);
    expect(textOf(fold(await readWholeLog(ada, runId)).parts)).toContain(east);
  });
});

describeServer("a model", { model: true }, (server) => {
  test("gets the date for the person, also for a queued message", async ({ ada }) => {
    const params = { thread_id: newId("thread") };
    const first = await ada.call("runs.start", {
      params,
      body: { message: { parent_id: null, content: userMessage("tokens=40 gap=20 first") }, time_zone: east },
    });
    const queued = await ada.call("runs.start", {
      params,
      body: {
        message: { parent_id: first.reply_id, queue: true, content: userMessage("second of the two") },
        time_zone: west,
      },
    });
    expect(queued.queued).toBeDefined();
    const dayIn = (timeZone: string) =>
      `Today is ${new Intl.DateTimeFormat("en", { dateStyle: "full", timeZone }).format(Date.now())}.`;
    const systemOf = async (words: string) => JSON.stringify((await server().requestsWith(words))[0]);
    expect(await systemOf("first")).toContain(dayIn(east));
    await readWholeLog(ada, first.run_id);
    expect(await systemOf("second of the two")).toContain(dayIn(west));
  });
});
