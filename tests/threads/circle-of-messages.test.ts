import { expect } from "vitest";
import { branchOf, below, sendAndWait } from "../support/clients/conversation.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { describeServer, test } from "../support/servers/server.ts";

describeServer("a thread whose messages are their own ancestors", { model: true }, (server) => {
  test("is shown from there on, and continues", async ({ ada }) => {
    const first = await sendAndWait(ada, "Where does the path begin? tokens=2");
    const second = await sendAndWait(ada, "And where does it end? tokens=2", below(first));
    const { thread_id } = first;
    await rawSql(server().place, async (run) => {
      const [parent, child] = [second.reply_id, first.message_id];
      // Foreign keys refuse only messages of other threads.
      await run(`update messages set parent_id = '${parent}', is_pinned = 1 where id = '${child}'`);
    });
    const ids = [first.message_id, first.reply_id, second.message_id, second.reply_id];
    expect((await branchOf(ada, thread_id)).map(({ id }) => id)).toEqual(ids);

    const third = await sendAndWait(ada, "Does it go on? tokens=2", below(second));
    const { run } = await ada.call("runs.get", { params: { run_id: third.run_id } });
    expect(run.state).toBe("completed");
    expect((await branchOf(ada, thread_id)).map(({ id }) => id).slice(0, 4)).toEqual(ids);
    const [asked] = await server().requestsWith("Does it go on?");
    expect(JSON.stringify(asked!.body).split("Where does the path begin?")).toHaveLength(2);
    const { tokens } = await ada.call("threads.context", { params: { thread_id } });
    expect(tokens).toBeGreaterThan(0);
  });
});
