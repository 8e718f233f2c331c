import { expect } from "vitest";
import { ownedObjectsOf, type OwnedObjects } from "../endpoints/owned-objects.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { branchOf } from "../support/clients/conversation.ts";
import type { Visitor } from "../support/clients/visitor.ts";

describeServer("feedback on a message", { model: true }, (server) => {
  const of = (mine: OwnedObjects) => ({ thread_id: mine.thread_id, message_id: mine.reply_id });
  const rate = async (who: Visitor, mine: OwnedObjects, type: "positive" | "negative") =>
    await who.call("messages.feedback", { params: of(mine), body: { type } });
  const withdraw = async (who: Visitor, mine: OwnedObjects) =>
    await who.ask("messages.withdrawFeedback", { params: of(mine) });
  const feedbackOf = async (who: Visitor, mine: OwnedObjects) =>
    (await branchOf(who, mine.thread_id)).map(({ feedback }) => feedback);

  test("is returned to its author only, with the latest rating", async ({ ada, ben }) => {
    const mine = await ownedObjectsOf(ada);
    expect(await feedbackOf(ada, mine)).toEqual([null, null]);
    await rate(ada, mine, "positive");
    await rate(ben, mine, "negative");
    expect(await feedbackOf(ada, mine)).toEqual([null, "positive"]);
    expect(await feedbackOf(ben, mine)).toEqual([null, "negative"]);
    await rate(ada, mine, "negative");
    expect(await feedbackOf(ada, mine)).toEqual([null, "negative"]);
  });

  test("is withdrawn for its author only, and repeatedly without an error", async ({ ada, ben }) => {
    const mine = await ownedObjectsOf(ada);
    await rate(ada, mine, "positive");
    await rate(ben, mine, "positive");
    for (let times = 0; times < 2; times++) {
      const answer = await withdraw(ada, mine);
      expect([answer.status, answer.body]).toEqual([200, {}]);
      expect(await feedbackOf(ada, mine)).toEqual([null, null]);
      expect(await feedbackOf(ben, mine)).toEqual([null, "positive"]);
    }
    const { scores } = await ada.call("apps.scores", { query: { thread_id: mine.thread_id } });
    expect(scores).toHaveLength(1);
  });

  test("does not affect other scores of the message", async ({ ada }) => {
    const mine = await ownedObjectsOf(ada);
    await ada.call("scores.put", { body: { ...of(mine), name: "quality", data_type: "numeric", value: 1 } });
    expect(await feedbackOf(ada, mine)).toEqual([null, null]);
    await rate(ada, mine, "positive");
    await withdraw(ada, mine);
    const { scores } = await ada.call("apps.scores", { query: { thread_id: mine.thread_id } });
    expect(scores.map(({ name }) => name)).toEqual(["quality"]);
  });

  test("can also be set as a score", async ({ ada }) => {
    const mine = await ownedObjectsOf(ada);
    await ada.call("scores.put", {
      body: { ...of(mine), name: "feedback", data_type: "boolean", value: false },
    });
    expect(await feedbackOf(ada, mine)).toEqual([null, "negative"]);
  });

  test("is published on the feed when it is set and withdrawn, but not if there is nothing to withdraw", async () => {
    const ada = server().inNewWorkspace();
    const mine = await ownedObjectsOf(ada);
    await rate(ada, mine, "positive");
    await withdraw(ada, mine);
    await withdraw(ada, mine);
    await ada.call("threads.update", { params: { thread_id: mine.thread_id }, body: { title: "The last" } });
    const feed = await ada.live({ after: 0 });
    const changes: unknown[] = [];
    for await (const { data } of feed) {
      if (data.type !== "change") continue;
      if (data.change.type === "feedback-put") changes.push(data.change);
      if (data.change.type === "thread-put" && data.change.thread.title === "The last") break;
    }
    feed.close();
    const change = { type: "feedback-put", ...of(mine), user_id: ada.headers["Aui-User-Id"] };
    expect(changes).toEqual([change, change]);
  });
});
