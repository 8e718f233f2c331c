import { beforeAll, expect, test } from "vitest";
import { createOwner, join, type Browser } from "../support/clients/browser.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { describeServer } from "../support/servers/server.ts";
import { ask, askIn, groupOf, idOf, shareWith } from "./sharing.ts";

describeServer("the answer that a member follows", { model: true }, (server) => {
  let owner: Browser;
  let ada: Browser;
  let ben: Browser;
  beforeAll(async () => {
    owner = await createOwner(server());
    ada = await join(owner, { email: "ada@example.com" });
    ben = await join(owner, { email: "ben@example.com" });
  });

  const reasons: Record<string, (threadId: string, benId: string) => string> = {
    "the thread is no longer shared with the group": (threadId) =>
      `delete from thread_members where thread_id = '${threadId}'`,
    "the person is no longer in the group": (_, benId) =>
      `delete from user_group_members where user_id = '${benId}'`,
    "the thread is in the trash": (threadId) => `update threads set deleted_at = 1 where id = '${threadId}'`,
  };

  // As if the notices of the change were lost: nothing publishes what this SQL changes.
  test.for(Object.entries(reasons))("ends when %s, also if no notice arrives", async ([, sql]) => {
    const { threadId, replyId } = await ask(ada, "Who reads this?");
    const benId = await idOf(ben);
    const group = await groupOf(owner, `Readers of ${threadId}`, ben);
    await shareWith(ada, threadId, ben, "read");
    await owner.call("groups.addMember", { params: { group_id: group, person_id: await idOf(ada) } });
    await shareWith(ada, threadId, group, "read");
    await ada.call("threadMembers.remove", { params: { thread_id: threadId, member_id: benId } });
    const { run_id: runId } = await askIn(ada, threadId, replyId, "endless gap=10");
    const events = await ben.events(runId);
    await events.until(({ data }) => data.type === "text-delta");
    await rawSql(server().place, async (run) => await run(sql(threadId, benId)));
    await events.rest();
    await rawSql(
      server().place,
      async (run) => await run(`update threads set deleted_at = null where id = '${threadId}'`),
    );
    await ada.call("runs.stop", { params: { run_id: runId } });
    expect(server().log.takeErrors()).toEqual([]);
  });
});
