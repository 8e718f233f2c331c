import { beforeAll, expect, test } from "vitest";
import { userMessage } from "#fixtures/people.ts";
import type { ModelSettings } from "#contract/endpoints/models.ts";
import { sendAndWait, startRun, waitForFirstWord, type StartedRun } from "../support/clients/conversation.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { describeServer } from "../support/servers/server.ts";

const on: Partial<ModelSettings> = {
  small_model: null,
  titles: true,
  summaries: true,
  suggestions: true,
  local_only: false,
};

const suggest = async (who: Visitor, { thread_id, reply_id }: StartedRun) =>
  (await who.call("suggestions.get", { params: { thread_id, message_id: reply_id } })).suggestions;

describeServer("follow-up questions", { model: true }, (server) => {
  let ada: Visitor;
  const change = async (settings: Partial<ModelSettings>) =>
    await (await server().owner()).call("modelSettings.put", { body: { ...on, ...settings } });
  beforeAll(async () => {
    ada = await server().anonymous("ada");
    await change({});
  });
  const requestsFor = (words: string) =>
    server().model.requests.filter(({ body }) => {
      const text = JSON.stringify(body ?? "");
      return text.includes(words) && text.includes("Suggest up to");
    });

  test("are made once, for all tabs and later requests", async () => {
    const talk = await sendAndWait(ada, "Larches turn yellow tokens=3 suggest-wait=50");
    const [first, second] = await Promise.all([suggest(ada, talk), suggest(ada, talk)]);
    expect(first).toEqual(["Why Larches?", "Is there an example?", "What comes next?"]);
    expect(second).toEqual(first);
    expect(await suggest(ada, talk)).toEqual(first);
    expect(requestsFor("Larches")).toHaveLength(1);
  });

  test("end with what they are about, and are made for new answers only", async () => {
    const talk = await sendAndWait(ada, "Quinces smell good tokens=3");
    const { thread_id } = talk;
    expect(await suggest(ada, talk)).toHaveLength(3);
    const old = await sendAndWait(ada, "Medlars grow old tokens=3");
    await ada.call("messages.update", {
      params: { thread_id, message_id: talk.message_id },
      body: { content: userMessage("Something else") },
    });
    expect(await suggest(ada, talk)).toEqual([]);
    await rawSql(server().place, async (run) =>
      run(`update runs set ended_at = ended_at - 7200000 where id = '${old.run_id}'`),
    );
    expect(await suggest(ada, old)).toEqual([]);
    expect(requestsFor("Medlars")).toHaveLength(0);
  });

  test("count in the usage, and stand in the receipt of the answer", async () => {
    const talk = await sendAndWait(ada, "Firs stay green tokens=3");
    const before = (await ada.call("usage.own")).rows.reduce((sum, { requests }) => sum + requests, 0);
    await suggest(ada, talk);
    const { receipt } = await ada.call("runs.receipt", { params: { run_id: talk.run_id } });
    expect(receipt.requests.find(({ purpose }) => purpose === "suggestions")).toMatchObject({
      outcome: "completed",
      model: "env/fixture-1",
    });
    const after = (await ada.call("usage.own")).rows.reduce((sum, { requests }) => sum + requests, 0);
    expect(after).toBeGreaterThan(before);
  });

  test("read only the end of the conversation", async () => {
    const first = await sendAndWait(ada, "A secret beginning tokens=3");
    let last: StartedRun = first;
    for (const text of ["Second tokens=3", "Third tokens=3"])
      last = await sendAndWait(ada, text, { thread_id: first.thread_id, parent_id: last.reply_id });
    expect(await suggest(ada, last)).toHaveLength(3);
    expect(JSON.stringify(requestsFor("Third").at(-1)!.body)).not.toContain("A secret beginning");
  });

  test("are none if the model fails, and the request is not repeated", async () => {
    const talk = await sendAndWait(ada, "Pines burn tokens=3 suggest-status=400");
    expect(await suggest(ada, talk)).toEqual([]);
    expect(await suggest(ada, talk)).toEqual([]);
    expect(requestsFor("Pines")).toHaveLength(1);
  });

  test("are those that had arrived when the request broke off", async () => {
    const talk = await sendAndWait(ada, "Rowans redden tokens=3 suggest-die=5");
    const found = await suggest(ada, talk);
    expect(found[0]).toBe("Why Rowans?");
    expect(found.length).toBeLessThan(3);
    expect(await suggest(ada, talk)).toEqual(found);
  });

  test("are none for questions, running and failed answers, and users of a backend", async () => {
    const talk = await sendAndWait(ada, "Oaks grow tokens=3");
    expect(await suggest(ada, { ...talk, reply_id: talk.message_id })).toEqual([]);
    const failed = await sendAndWait(ada, "Elms die tokens=5 die=2");
    expect(await suggest(ada, failed)).toEqual([]);
    const running = await startRun(ada, "Ashes go on\nendless gap=5");
    await waitForFirstWord(ada, running.run_id);
    expect(await suggest(ada, running)).toEqual([]);
    await ada.call("runs.stop", { params: { run_id: running.run_id } });
    const ben = server().inNewWorkspace("ben");
    expect(await suggest(ben, await sendAndWait(ben, "Yews wait tokens=3"))).toEqual([]);
    for (const words of ["Oaks", "Elms", "Ashes", "Yews"]) expect(requestsFor(words)).toEqual([]);
  });

  test("are none when the owner turns them off, and for the built-in assistant", async () => {
    const talk = await sendAndWait(ada, "Cedars smell tokens=3");
    await change({ suggestions: false });
    expect(await suggest(ada, talk)).toEqual([]);
    expect(requestsFor("Cedars")).toEqual([]);
    await change({});
    expect(await suggest(ada, talk)).toHaveLength(3);
    // The built-in assistant's answers are sent to no model.
    const own = await sendAndWait(ada, "What is 2 + 2?", { model: "builtin" } as object);
    expect(await suggest(ada, own)).toEqual([]);
    expect(requestsFor("What is 2 + 2?")).toEqual([]);
  });
});
