import { beforeAll, expect, test } from "vitest";
import { limits } from "#contract/limits.ts";
import { createOwner, join, type Browser } from "../support/clients/browser.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer } from "../support/servers/server.ts";
import { ask, askIn, groupOf, idOf, shareWith } from "./sharing.ts";

describeServer("a thread shared with a group", { model: true }, (server) => {
  let owner: Browser;
  let ada: Browser;
  let ben: Browser;
  beforeAll(async () => {
    owner = await createOwner(server());
    ada = await join(owner, { email: "ada@example.com" });
    ben = await join(owner, { email: "ben@example.com" });
  });

  const followFeed = async (who: Browser) => {
    const feed = await who.live();
    await feed.until(({ data }) => data.type === "hello");
    /** Waits for a change of the thread that has all of these texts. */
    const sees = async (threadId: string, ...texts: string[]) =>
      await feed.until(({ data }) => {
        const written = JSON.stringify(data);
        return [threadId, ...texts].every((text) => written.includes(text));
      });
    return { sees, close: () => feed.close() };
  };

  test("appears, changes and leaves in open pages as the group and its people change", async () => {
    const { threadId } = await ask(ada, "Who is in the group?");
    const group = await groupOf(owner, "Gardeners", ada);
    const membership = { group_id: group, person_id: await idOf(ben) };
    await shareWith(ada, threadId, group, "read");
    const feed = await followFeed(ben);
    await owner.call("groups.addMember", { params: membership });
    await feed.sees(threadId, "thread-put", '"access":"read"');
    await shareWith(ada, threadId, group, "write");
    await feed.sees(threadId, "thread-put", '"access":"write"');
    await owner.call("groups.removeMember", { params: membership });
    await feed.sees(threadId, "thread-gone");

    // With a share of their own, people keep that.
    await shareWith(ada, threadId, ben, "read");
    await owner.call("groups.addMember", { params: membership });
    await feed.sees(threadId, "thread-put", '"access":"write"');
    const own = await followFeed(ada);
    await owner.call("groups.remove", { params: { group_id: group } });
    await feed.sees(threadId, "thread-put", '"access":"read"');
    await own.sees(threadId, "thread-put", '"access":"owner"');
    feed.close();
    own.close();
  });

  test("ends the stream of a person who leaves the group", async () => {
    const { threadId, replyId } = await ask(ada, "Who follows?");
    const group = await groupOf(owner, "Followers", ben);
    await owner.call("groups.addMember", { params: { group_id: group, person_id: await idOf(ada) } });
    await shareWith(ada, threadId, group, "read");
    const { run_id: runId } = await askIn(ada, threadId, replyId, "endless gap=10");
    const events = await ben.events(runId);
    await events.until(({ data }) => data.type === "text-delta");
    const feed = await followFeed(ben);
    await owner.call("groups.removeMember", { params: { group_id: group, person_id: await idOf(ben) } });
    await feed.sees(threadId, "thread-gone");
    await events.rest();
    await ben.fails("thread-not-found", "threads.get", { params: { thread_id: threadId } });
    await ada.call("runs.stop", { params: { run_id: runId } });
    feed.close();
  });

  test("limits how often people say that they are typing, apart from what they ask", async () => {
    const { threadId, replyId } = await ask(ada, "Who types?");
    const params = { thread_id: threadId };
    const answers = [];
    for (let count = 0; count <= limits.typingPerMinute; count++)
      answers.push(await ada.ask("threadMembers.typing", { params }));
    const last = answers.pop()!;
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expectProblem(last, "rate-limited");
    await ask(ada, "May I still ask?", { threadId, parentId: replyId });
    expect((await ben.ask("threadMembers.typing", { params })).status).toBe(404);
  });
});
