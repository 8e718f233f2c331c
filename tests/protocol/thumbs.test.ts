import { expect, test } from "vitest";
import { newId } from "#contract/ids.ts";
import { belongingsOf, type Belongings } from "../endpoints/scenarios.ts";
import { expectProblem } from "../support/problem.ts";
import { describeServer } from "../support/server.ts";
import { branchOf } from "../support/talk.ts";
import type { Visitor } from "../support/visitor.ts";

describeServer("a thumb on a message", { model: true }, (server) => {
  const of = (mine: Belongings) => ({ thread_id: mine.thread_id, message_id: mine.reply_id });
  const rate = async (who: Visitor, mine: Belongings, type: "positive" | "negative") =>
    await who.call("messages.feedback", { params: of(mine), body: { type } });
  const takeBack = async (who: Visitor, mine: Belongings) =>
    await who.ask("messages.withdrawFeedback", { params: of(mine) });
  const shown = async (who: Visitor, mine: Belongings) =>
    (await branchOf(who, mine.thread_id)).map(({ feedback }) => feedback);

  test("is shown to whoever gave it, as they last gave it", async () => {
    const { ada, ben } = server().colleagues();
    const mine = await belongingsOf(ada);
    expect(await shown(ada, mine)).toEqual([null, null]);
    await rate(ada, mine, "positive");
    await rate(ben, mine, "negative");
    expect(await shown(ada, mine)).toEqual([null, "positive"]);
    expect(await shown(ben, mine)).toEqual([null, "negative"]);
    await rate(ada, mine, "negative");
    expect(await shown(ada, mine)).toEqual([null, "negative"]);
  });

  test("is taken back by its giver alone, and again without harm", async () => {
    const { ada, ben } = server().colleagues();
    const mine = await belongingsOf(ada);
    await rate(ada, mine, "positive");
    await rate(ben, mine, "positive");
    for (let times = 0; times < 2; times++) {
      const answer = await takeBack(ada, mine);
      expect([answer.status, answer.body]).toEqual([200, {}]);
      expect(await shown(ada, mine)).toEqual([null, null]);
      expect(await shown(ben, mine)).toEqual([null, "positive"]);
    }
    const { scores } = await ada.call("projects.scores", { query: { thread_id: mine.thread_id } });
    expect(scores).toHaveLength(1);
  });

  test("leaves other judgements of the message alone", async () => {
    const ada = server().inNewWorkspace();
    const mine = await belongingsOf(ada);
    await ada.call("scores.put", { body: { ...of(mine), name: "quality", data_type: "numeric", value: 1 } });
    expect(await shown(ada, mine)).toEqual([null, null]);
    await rate(ada, mine, "positive");
    await takeBack(ada, mine);
    const { scores } = await ada.call("projects.scores", { query: { thread_id: mine.thread_id } });
    expect(scores.map(({ name }) => name)).toEqual(["quality"]);
  });

  test("given as a score is the same thumb", async () => {
    const ada = server().inNewWorkspace();
    const mine = await belongingsOf(ada);
    await ada.call("scores.put", {
      body: { ...of(mine), name: "feedback", data_type: "boolean", value: false },
    });
    expect(await shown(ada, mine)).toEqual([null, "negative"]);
  });

  test("is told on the feed when it comes, changes and goes, and not when nothing was there", async () => {
    const ada = server().inNewWorkspace();
    const mine = await belongingsOf(ada);
    await rate(ada, mine, "positive");
    await takeBack(ada, mine);
    await takeBack(ada, mine);
    await ada.call("threads.update", { params: { thread_id: mine.thread_id }, body: { title: "The last" } });
    const feed = await ada.live({ after: 0 });
    const told: unknown[] = [];
    for await (const { data } of feed) {
      if (data.type !== "change") continue;
      if (data.change.type === "feedback-put") told.push(data.change);
      if (data.change.type === "thread-put" && data.change.thread.title === "The last") break;
    }
    feed.close();
    const change = { type: "feedback-put", ...of(mine), user_id: ada.headers["Aui-User-Id"] };
    expect(told).toEqual([change, change]);
  });

  test("of what is not there, or a stranger's, is not taken back", async () => {
    const ada = server().inNewWorkspace();
    const mine = await belongingsOf(ada);
    await rate(ada, mine, "positive");
    expectProblem(await takeBack(await server().anonymous("eve"), mine), "thread-not-found");
    expectProblem(await takeBack(ada, { ...mine, thread_id: newId("thread") }), "thread-not-found");
    expectProblem(await takeBack(ada, { ...mine, reply_id: newId("message") }), "message-not-found");
    expect(await shown(ada, mine)).toEqual([null, "positive"]);
  });
});
