import { expect } from "vitest";
import { newId } from "#contract/ids.ts";
import { userMessage } from "#fixtures/people.ts";
import { exportAll } from "./support/clients/transfer.ts";
import { ownedObjectsOf } from "./endpoints/owned-objects.ts";
import { expectProblem } from "./support/clients/problem.ts";
import { describeServer, test } from "./support/servers/server.ts";
import type { Visitor } from "./support/clients/visitor.ts";

/** All visible data of a visitor. */
async function visibleData(who: Visitor) {
  const lists = [{}, { is_archived: "true" }] as const;
  const listed = await Promise.all(lists.map(async (query) => await who.call("threads.list", { query })));
  return {
    threads: listed.flatMap(({ threads }) => threads).length,
    trash: (await who.call("trash.list")).threads.length,
    files: (await who.call("files.list")).files.length,
    labels: (await who.call("labels.list")).labels.length,
    hits: (await who.call("search.find", { query: { q: "mine stays" } })).hits.length,
  };
}

const nothing = { threads: 0, trash: 0, files: 0, labels: 0, hits: 0 };

describeServer("erasing one's own data", { model: true }, (server) => {
  const people = {
    "an anonymous visitor": async () => await server().anonymous("dan"),
    "the owner of the server": async () => await server().owner(),
  };

  test.for(Object.entries(people))("leaves nothing of %s except the user", async ([, come], { eve }) => {
    const dan = await come();
    const before = await dan.call("auth.me");
    const kept = await ownedObjectsOf(dan);
    const archived = await ownedObjectsOf(dan);
    await dan.call("threads.update", {
      params: { thread_id: archived.thread_id },
      body: { is_archived: true },
    });
    const thrown = await ownedObjectsOf(dan);
    await dan.call("threads.remove", { params: { thread_id: thrown.thread_id } });
    await ownedObjectsOf(eve);
    for (const who of [dan, eve])
      await who.call("labels.put", {
        params: { label_id: newId("label") },
        body: { kind: "folder", name: "Mine" },
      });
    const hers = await visibleData(eve);

    const address = `${server().url}/v1/content/${kept.file_id}/${kept.file_secret}`;
    expect((await fetch(address)).status).toBe(200);
    const erased = await dan.call("erasure.everything");
    expect(erased.threads).toBeGreaterThanOrEqual(3);
    expect(await visibleData(dan)).toEqual(nothing);
    expect((await fetch(address)).status).toBe(404);
    expect(Buffer.from(await exportAll(dan)).toString("latin1")).not.toContain(kept.thread_id.slice(-8));
    expect(await dan.call("auth.me")).toEqual(before);
    expect(await visibleData(eve)).toEqual(hers);
    // Again, with nothing left to erase.
    expect(await dan.call("erasure.everything")).toEqual({ threads: 0, runs: 0 });
    await ownedObjectsOf(dan);
    expect((await visibleData(dan)).threads).toBe(1);
  });

  test("stops a running answer, and notifies every client that the thread is deleted", async ({ dan }) => {
    const threadId = newId("thread");
    const { run_id } = await dan.call("runs.start", {
      params: { thread_id: threadId },
      body: {
        message: { parent_id: null, content: userMessage("Erased while it is written\nendless gap=5") },
      },
    });
    const stream = await dan.events(run_id);
    await stream.until(({ data }) => data.type === "text-delta");
    expect(await dan.call("erasure.everything")).toEqual({ threads: 1, runs: 1 });
    const [request] = await server().requestsWith("Erased while it is written");
    await request?.end;
    expect(request?.ended).toBe("gone");
    stream.close();
    await dan.fails("thread-not-found", "threads.get", { params: { thread_id: threadId } });
  });

  test("keeps what is used of a budget", async ({ dan, owner }) => {
    await ownedObjectsOf(dan);
    const limits = { tokens_per_day: 1, tokens_per_month: null, usd_per_day: null, usd_per_month: null };
    await owner.call("budgets.put", { params: { budget_id: "guest" }, body: limits });
    const ask = async () =>
      await dan.ask("runs.start", {
        params: { thread_id: newId("thread") },
        body: { message: { parent_id: null, content: userMessage("Is anything left? tokens=1") } },
      });
    expectProblem(await ask(), "budget-used");
    const used = await dan.call("budgets.own");
    for (const erased of [1, 0]) {
      expect(await dan.call("erasure.everything")).toEqual({ threads: erased, runs: erased });
      expect(await dan.call("budgets.own")).toEqual(used);
      expectProblem(await ask(), "budget-used");
    }
    await owner.call("budgets.remove", { params: { budget_id: "guest" } });
  });
});
