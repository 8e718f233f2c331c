import { describe, expect } from "vitest";
import { expectProblem } from "../support/clients/problem.ts";
import { takeUndocumented } from "../support/clients/record-undocumented.ts";
import { describeServer } from "../support/servers/server.ts";
import { clients, newestClient, keyCloud, errorOf, expectedError, type Cloud, test } from "./clients.ts";

const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, second));

/** Reads all pages as the clients do: a page of exactly `limit` rows means that there may be more. */
async function readAll(cloud: Cloud, query: { is_archived?: boolean; limit?: number } = {}) {
  const ids: string[] = [];
  const pages: number[] = [];
  for (let after: string | undefined; ;) {
    const { threads } = await cloud.threads.list({ ...query, ...(after === undefined ? {} : { after }) });
    pages.push(threads.length);
    ids.push(...threads.map(({ id }) => id));
    if (threads.length < (query.limit ?? 20)) return { ids, pages };
    after = threads.at(-1)?.id;
  }
}

async function createThreads(cloud: Cloud, count: number): Promise<string[]> {
  const created = await Promise.all(
    // Two for each second, because threads with equal times must keep their order too.
    Array.from(
      { length: count },
      async (_, index) =>
        (await cloud.threads.create({ last_message_at: at(Math.floor(index / 2)) })).thread_id,
    ),
  );
  return created;
}

describeServer("the protocol's threads", {}, (server) => {
  describe.for(clients)("%s", ([, client]) => {
    test("are created, read, updated and deleted with exactly the sent values", async () => {
      const cloud = keyCloud(client, server());
      const metadata = { colour: "red", deep: { list: [1, null, "", { "": 0 }] }, ["__proto__x"]: 1 };
      const { thread_id } = await cloud.threads.create({
        last_message_at: at(1),
        title: "One",
        metadata,
        external_id: "ext-1",
      });
      const thread = await cloud.threads.get(thread_id);
      expect(thread).toMatchObject({
        id: thread_id,
        title: "One",
        metadata,
        external_id: "ext-1",
        is_archived: false,
        last_message_at: at(1),
      });
      await cloud.threads.update(thread_id, {
        title: "Two",
        last_message_at: at(2),
        metadata: { other: true },
      });
      expect(await cloud.threads.get(thread_id)).toMatchObject({
        title: "Two",
        last_message_at: at(2),
        metadata: { other: true },
        external_id: "ext-1",
      });
      await cloud.threads.update(thread_id, { metadata: null });
      expect(await cloud.threads.get(thread_id)).toMatchObject({ title: "Two", metadata: null });
      await cloud.threads.delete(thread_id);
      expect(await errorOf(cloud.threads.get(thread_id))).toEqual(expectedError(client, "thread-not-found"));
      expect(await errorOf(cloud.threads.delete(thread_id))).toEqual(
        expectedError(client, "thread-not-found"),
      );
      expect(await errorOf(cloud.threads.update(thread_id, { title: "x" }))).toEqual(
        expectedError(client, "thread-not-found"),
      );
      expect((await cloud.threads.list()).threads).toEqual([]);
    });
  });

  test("without a title have an empty one", async ({ cloud }) => {
    const { thread_id } = await cloud.threads.create({ last_message_at: at(1) });
    expect(await cloud.threads.get(thread_id)).toMatchObject({
      title: "",
      metadata: null,
      external_id: null,
    });
  });

  test("can be read as soon as they are created", async ({ cloud }) => {
    for (let i = 0; i < 5; i++) {
      const { thread_id } = await cloud.threads.create({ last_message_at: new Date() });
      expect((await cloud.threads.get(thread_id)).id).toBe(thread_id);
      expect((await cloud.threads.list()).threads[0]?.id).toBe(thread_id);
    }
  });

  test("are listed newest first, all 45 of them, page by page", async ({ cloud }) => {
    const created = await createThreads(cloud, 45);
    const { ids, pages } = await readAll(cloud);
    expect(pages).toEqual([20, 20, 5]);
    expect(ids.toSorted()).toEqual(created.toSorted());
    const times = await Promise.all(
      ids.map(async (id) => [(await cloud.threads.get(id)).last_message_at.getTime(), id] as const),
    );
    expect(times).toEqual(times.toSorted(([a, x], [b, y]) => b - a || (x < y ? 1 : -1)));
  });

  test("end with an empty page if they fill their pages exactly", async ({ cloud }) => {
    await createThreads(cloud, 40);
    expect((await readAll(cloud)).pages).toEqual([20, 20, 0]);
    expect((await readAll(cloud, { limit: 8 })).pages).toEqual([8, 8, 8, 8, 8, 0]);
    expect((await readAll(cloud, { limit: 100 })).pages).toEqual([40]);
  });

  test("are listed active by default, and archived on request", async ({ cloud }) => {
    const created = await createThreads(cloud, 6);
    for (const id of created.slice(0, 3)) await cloud.threads.update(id, { is_archived: true });
    const active = await cloud.threads.list();
    expect(active.threads.map(({ id }) => id).toSorted()).toEqual(created.slice(3).toSorted());
    expect((await cloud.threads.list({ is_archived: false })).threads).toEqual(active.threads);
    const archived = (await cloud.threads.list({ is_archived: true })).threads;
    expect(archived.map(({ id }) => id).toSorted()).toEqual(created.slice(0, 3).toSorted());
    expect(archived.every(({ is_archived }) => is_archived)).toBe(true);
    await cloud.threads.update(created[0]!, { is_archived: false });
    expect((await cloud.threads.list()).threads).toHaveLength(4);
  });

  test("start again for a cursor of no thread or of another workspace's", async ({ cloud }) => {
    await createThreads(cloud, 3);
    const [foreign] = await createThreads(keyCloud(newestClient, server()), 1);
    for (const after of [foreign!, "thread_0nobody", "x"]) {
      expect(await cloud.threads.list({ after })).toEqual(await cloud.threads.list());
    }
  });

  test("name the field that is missing to update or upsert one", async ({ ada }) => {
    const last_message_at = new Date().toISOString();
    const { thread_id } = await ada.call("threads.create", { body: { last_message_at } });
    const params = { thread_id };
    for (const body of [{}, { unknown: 1 }] as object[]) {
      const answer = await ada.ask("threads.update", { params, body });
      expectProblem(answer, "bad-request");
      expect(answer.text).toContain("such as title");
    }
    await ada.fails("bad-request", "threads.update", { params });
    for (const external_id of [undefined, null]) {
      const body = { last_message_at, upsert: true, ...(external_id === undefined ? {} : { external_id }) };
      const answer = await ada.ask("threads.create", { body });
      expectProblem(answer, "bad-request");
      expect(answer.text).toContain("external_id");
    }
  });

  test("are shared within a workspace, and hidden from other workspaces", async () => {
    const workspaceId = `shared_${crypto.randomUUID()}`;
    const ada = keyCloud(newestClient, server(), { userId: "user_ada", workspaceId });
    const ben = keyCloud(newestClient, server(), { userId: "user_ben", workspaceId });
    const cleo = keyCloud(newestClient, server());
    const { thread_id } = await ada.threads.create({ last_message_at: at(1) });
    expect((await ben.threads.get(thread_id)).workspace_id).toBe(workspaceId);
    await ben.threads.update(thread_id, { title: "Ben's title" });
    expect((await ada.threads.get(thread_id)).title).toBe("Ben's title");
    expect(await errorOf(cleo.threads.get(thread_id))).toEqual(
      expectedError(newestClient, "thread-not-found"),
    );
    expect(await errorOf(cleo.threads.update(thread_id, { title: "x" }))).toEqual(
      expectedError(newestClient, "thread-not-found"),
    );
    expect(await errorOf(cleo.threads.delete(thread_id))).toEqual(
      expectedError(newestClient, "thread-not-found"),
    );
    expect((await cleo.threads.list()).threads).toEqual([]);
  });

  test("may share an external id, unless the request is to reuse it", async ({ cloud }) => {
    const body = { last_message_at: at(1), external_id: "order 7" };
    const first = await cloud.threads.create(body);
    const second = await cloud.threads.create(body);
    expect(second.thread_id).not.toBe(first.thread_id);
    const again = await cloud.threads.create({ ...body, upsert: true });
    expect(again.thread_id).toBe(first.thread_id);
    const { threads } = await cloud.threads.list({ external_id: "order 7" } as never);
    expect(threads.map(({ id }) => id).toSorted()).toEqual([first.thread_id, second.thread_id].toSorted());
    const other = await cloud.threads.create({
      last_message_at: at(1),
      external_id: "order 8",
      upsert: true,
    });
    expect(threads.map(({ id }) => id)).not.toContain(other.thread_id);
  });

  test("are created once by concurrent upserts with the same external id", async ({ cloud }) => {
    const body = { last_message_at: at(1), external_id: "one only", upsert: true };
    const created = await Promise.all(
      Array.from({ length: 10 }, async () => await cloud.threads.create(body as never)),
    );
    expect(new Set(created.map(({ thread_id }) => thread_id)).size).toBe(1);
    expect((await cloud.threads.list()).threads).toHaveLength(1);
  });

  test("ignore unknown fields of newer clients", async ({ cloud }) => {
    const { thread_id } = await cloud.threads.create({
      last_message_at: at(1),
      some_day: { a: 1 },
    } as never);
    await cloud.threads.update(thread_id, { title: "Kept", some_day: 1 } as never);
    expect((await cloud.threads.get(thread_id)).title).toBe("Kept");
    expect(takeUndocumented()).toEqual([
      "POST /v1/threads: body.some_day",
      "PUT /v1/threads/{thread_id}: body.some_day",
    ]);
  });

  test("accept titles of any script, up to 255 characters", async ({ cloud }) => {
    const { thread_id } = await cloud.threads.create({ last_message_at: at(1), title: "日本語 ‮ 😀" });
    expect((await cloud.threads.get(thread_id)).title).toBe("日本語 ‮ 😀");
    await cloud.threads.update(thread_id, { title: "é".repeat(255) });
    expect(await errorOf(cloud.threads.update(thread_id, { title: "é".repeat(256) }))).toEqual(
      expectedError(newestClient, "bad-request"),
    );
    expect(await errorOf(cloud.threads.update(thread_id, { title: "" }))).toEqual(
      expectedError(newestClient, "bad-request"),
    );
    await cloud.threads.update(thread_id, { title: "NUL \u0000 and lone \ud83d" });
    expect((await cloud.threads.get(thread_id)).title).toBe("NUL \uFFFD and lone \uFFFD");
  });
});
