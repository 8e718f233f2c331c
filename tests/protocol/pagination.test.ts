import { expect, vi } from "vitest";
import { limits } from "#contract/limits.ts";
import { openDatabase } from "#storage/database/open.ts";
import { describeServer, test, newPlace, startTestServer } from "../support/servers/server.ts";
import { visitor, type Visitor } from "../support/clients/visitor.ts";

/** Some pages of 20, and more than one of 100. */
const count = 130;
const at = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString();
const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!;

/** Creates threads in pairs with equal times, because threads with equal times must keep their order too. */
async function createThreads(who: Visitor, howMany = count): Promise<string[]> {
  const created: string[] = [];
  for (let from = 0; from < howMany; from += 50) {
    const batch = Array.from({ length: Math.min(50, howMany - from) }, async (_, index) => {
      const body = { last_message_at: at(Math.floor((from + index) / 2)) };
      return (await who.call("threads.create", { body })).thread_id;
    });
    created.push(...(await Promise.all(batch)));
  }
  return created;
}

const said = { format: "aui/v0", content: { role: "user", content: [] } };

async function touch(who: Visitor, threadId: string): Promise<void> {
  await who.ask("messages.add", { params: { thread_id: threadId }, body: { parent_id: null, ...said } });
}

type Walk = { ids: string[]; pages: number[] };

/** Reads all pages as the protocol's clients do: a page of exactly `limit` rows means that there may be more. */
async function walk(
  read: (after: string | undefined, page: number) => Promise<string[]>,
  limit: number,
  between: (page: string[]) => Promise<void> = async () => {},
): Promise<Walk> {
  const ids: string[] = [];
  const pages: number[] = [];
  for (let after: string | undefined; ;) {
    const page = await read(after, pages.length);
    pages.push(page.length);
    ids.push(...page);
    if (page.length < limit) return { ids, pages };
    if (pages.length > 200) throw new Error("The list does not end.");
    after = page.at(-1);
    await between(page);
  }
}

function reader(who: Visitor, query: Record<string, string> = {}) {
  return async (after: string | undefined) =>
    (
      await who.call("threads.list", { query: { ...query, ...(after === undefined ? {} : { after }) } })
    ).threads.map(({ id }) => id);
}

/** What a client may rely on while rows change: each untouched row is listed, and no row is listed twice. */
function errorsOf({ ids }: Pick<Walk, "ids">, all: readonly string[], touched: ReadonlySet<string>) {
  const seen = new Set(ids);
  return {
    twice: ids.filter((id, index) => ids.indexOf(id) !== index),
    missed: all.filter((id) => !touched.has(id) && !seen.has(id)),
  };
}

const none = { twice: [], missed: [] };

describeServer("reading pages", {}, (server, engine) => {
  test("of threads continues at its position when the last thread of each page is touched, archived or deleted", async () => {
    const ada = server().inNewWorkspace();
    const all = await createThreads(ada);
    const touched = new Set<string>();
    const changes = [
      async (id: string) => await touch(ada, id),
      async (id: string) =>
        void (await ada.call("threads.update", { params: { thread_id: id }, body: { is_archived: true } })),
      async (id: string) => void (await ada.call("threads.remove", { params: { thread_id: id } })),
      async (id: string) =>
        void (await ada.call("threads.update", { params: { thread_id: id }, body: { title: "Renamed" } })),
    ];
    let turn = 0;
    const walked = await walk(reader(ada), 20, async (page) => {
      const id = page.at(-1)!;
      touched.add(id);
      await changes[turn++ % changes.length]!(id);
    });
    expect(walked.ids).toEqual(all.toSorted(newestFirst(all)));
    expect(walked.pages).toEqual([20, 20, 20, 20, 20, 20, 10]);
    expect(errorsOf(walked, all, touched)).toEqual(none);
  });

  test("of threads misses and repeats none while others write", async ({ ada, ben }) => {
    const all = await createThreads(ada);
    const free = all.filter((_, index) => index % 3 !== 0);
    const touched = new Set(free);
    const write = async (who: Visitor) => {
      const params = { thread_id: pick(free) };
      const action = Math.random();
      if (action < 0.6) await touch(who, params.thread_id);
      else if (action < 0.8) await who.ask("threads.update", { params, body: { is_archived: true } });
      else if (action < 0.9) await who.ask("threads.remove", { params });
      else await who.call("threads.create", { body: { last_message_at: new Date().toISOString() } });
    };
    const writes = async () => void (await Promise.all([ada, ben, ada, ben].map(write)));
    const walks = await Promise.all([
      walk(reader(ada), 20, writes),
      walk(reader(ben, { limit: "7" }), 7, writes),
      walk(reader(ada, { limit: "100" }), 100, writes),
    ]);
    for (const walked of walks) expect(errorsOf(walked, all, touched)).toEqual(none);
  });

  test("of the archive misses and repeats none while threads are archived and unarchived", async () => {
    const ada = server().inNewWorkspace();
    const all = await createThreads(ada, 45);
    const setArchived = async (id: string, is_archived: boolean) =>
      void (await ada.call("threads.update", { params: { thread_id: id }, body: { is_archived } }));
    await Promise.all(all.map(async (id) => await setArchived(id, true)));
    const touched = new Set<string>();
    const walked = await walk(reader(ada, { is_archived: "true" }), 20, async (page) => {
      touched.add(page.at(-1)!);
      await setArchived(page.at(-1)!, false);
      await touch(ada, page.at(-1)!);
    });
    expect(errorsOf(walked, all, touched)).toEqual(none);
    expect((await ada.call("threads.list")).threads.map(({ id }) => id).toSorted()).toEqual(
      [...touched].toSorted(),
    );
  });

  test("of threads continues after a thread in the middle of a page, from where it was last listed", async () => {
    const ada = server().inNewWorkspace();
    await createThreads(ada, 45);
    const read = reader(ada, { limit: "20" });
    const first = await read(undefined);
    const second = await read(first.at(-1));
    await touch(ada, first.at(-1)!);
    // Listed again, the thread is first, and the page after it begins with the second thread.
    const again = await read(undefined);
    expect(again[0]).toBe(first.at(-1));
    expect((await read(again[0])).slice(0, 19)).toEqual(again.slice(1));
    expect(again.slice(1)).toEqual(first.slice(0, 19));
    expect((await read(again.at(-1)))[0]).toBe(second[0]);
  });

  test("of an app's threads with its key misses and repeats none", async ({ ada }) => {
    const external_id = `walk ${Math.random()}`;
    const created = Array.from({ length: 45 }, async (_, index) => {
      const body = { last_message_at: at(index), external_id };
      return (await ada.call("threads.create", { body })).thread_id;
    });
    const all = await Promise.all(created);
    const touched = new Set<string>();
    const read = async (after: string | undefined) => {
      const query = { external_id, limit: "20", ...(after === undefined ? {} : { after }) };
      return (await ada.call("apps.threads", { query })).threads.map(({ id }) => id);
    };
    const walked = await walk(read, 20, async (page) => {
      touched.add(page.at(-1)!);
      await touch(ada, page.at(-1)!);
    });
    expect(errorsOf(walked, all, touched)).toEqual(none);
    expect(walked.ids).toEqual(all.toReversed());
  });

  test("of messages misses and repeats none while others add, change and delete", async ({ ada, ben }) => {
    const { thread_id } = await ada.call("threads.create", { body: { last_message_at: at(0) } });
    const params = { thread_id };
    const add = async (who: Visitor, parent_id: string | null) =>
      await who.ask("messages.add", { params, body: { parent_id, ...said } });
    const root = (await add(ada, null)).body.message_id;
    const all = [root];
    const parentOf = new Map<string, string>();
    for (let from = 0; from < 150; from += 50) {
      // Some below the root and some below those, so that deleting one of the first deletes others too.
      const parents = from < 50 ? [root] : all.slice(1, 50);
      const batch = Array.from({ length: 50 }, async (_, index) => {
        const parent = parents[(from + index) % parents.length]!;
        const { message_id } = (await add(ada, parent)).body;
        parentOf.set(message_id, parent);
        return message_id;
      });
      all.push(...(await Promise.all(batch)));
    }
    // The writers delete every third of the first ones, with their children.
    const deletable = all.slice(1, 50).filter((_, index) => index % 3 === 0);
    const touched = new Set([...deletable, ...all.filter((id) => deletable.includes(parentOf.get(id)!))]);
    expect(all.length - touched.size).toBeGreaterThan(80);
    const write = async (who: Visitor) => {
      const action = Math.random();
      if (action < 0.4) await add(who, pick([root, ...all]));
      else if (action < 0.7)
        await who.ask("messages.update", {
          params: { ...params, message_id: pick(all) },
          body: { content: { role: "user", content: [{ type: "text", text: "x" }] } },
        });
      else {
        const body = { message_ids: [pick(deletable)] };
        await who.ask("messages.remove", { params, query: { descendants: true }, body });
      }
    };
    const writes = async () => void (await Promise.all([ada, ben, ada, ben].map(write)));
    const read = (limit: number) => async (after: string | undefined) =>
      (
        await ada.call("messages.list", {
          params,
          query: { limit, ...(after === undefined ? {} : { after }) },
        })
      ).messages.map(({ id }) => id);
    const walks = await Promise.all([
      walk(read(20), 20, writes),
      walk(read(7), 7, writes),
      walk(read(80), 80, writes),
    ]);
    for (const walked of walks) expect(errorsOf(walked, all, touched)).toEqual(none);
  });

  test("of messages misses none while their parents are deleted and they move up", async ({ ada }) => {
    const { thread_id } = await ada.call("threads.create", { body: { last_message_at: at(0) } });
    const params = { thread_id };
    const add = async (parent_id: string | null) =>
      (await ada.call("messages.add", { params, body: { parent_id, ...said } })).message_id;
    const root = await add(null);
    const parentOf = new Map<string, string>();
    for (let branches = 0; branches < 8; branches++) {
      const parent = await add(root);
      for (let leaves = 0; leaves < 5; leaves++) parentOf.set(await add(parent), parent);
    }
    const read = async (after: string | undefined) =>
      (
        await ada.call("messages.list", {
          params,
          query: { limit: 7, ...(after === undefined ? {} : { after }) },
        })
      ).messages.map(({ id }) => id);
    let moved = 0;
    // The last message of each page moves up one level, and in the list past others that are not listed yet.
    const walked = await walk(read, 7, async (page) => {
      const message_ids = [parentOf.get(page.at(-1)!) ?? "none"];
      const { status } = await ada.ask("messages.remove", { params, body: { message_ids } });
      if (status === 200) moved++;
    });
    expect(errorsOf(walked, [...parentOf.keys()], new Set()).missed).toEqual([]);
    expect(moved).toBeGreaterThan(3);
  });

  test("of messages continues at its position when the last message of each page is deleted", async () => {
    const ada = server().inNewWorkspace();
    const { thread_id } = await ada.call("threads.create", { body: { last_message_at: at(0) } });
    const params = { thread_id };
    const all: string[] = [];
    for (let index = 0; index < 45; index++) {
      all.push((await ada.call("messages.add", { params, body: { parent_id: null, ...said } })).message_id);
    }
    const read = async (after: string | undefined) =>
      (
        await ada.call("messages.list", {
          params,
          query: { limit: 10, ...(after === undefined ? {} : { after }) },
        })
      ).messages.map(({ id }) => id);
    const walked = await walk(
      read,
      10,
      async (page) =>
        void (await ada.call("messages.remove", { params, body: { message_ids: [page.at(-1)!] } })),
    );
    expect(walked.ids.toSorted()).toEqual(all.toSorted());
    expect(walked.pages).toEqual([10, 10, 10, 10, 5]);
  });

  test("continues after a restart", async () => {
    const place = await newPlace(engine);
    const before = await startTestServer({ engine, place });
    const ada = before.inNewWorkspace();
    const all = await createThreads(ada, 44);
    const first = await reader(ada)(undefined);
    await touch(ada, first.at(-1)!);
    await before.close();
    const after = await startTestServer({ engine, place });
    const second = await reader(onServer(after, ada))(first.at(-1));
    await after.close();
    await place.remove();
    expect(errorsOf({ ids: [...first, ...second] }, all.slice(4), new Set())).toEqual(none);
  });

  // SQLite's file belongs to one process: a second server cannot open it.
  if (engine === "sqlite") return;

  test("continues on another process", async () => {
    const place = server().place;
    const other = await startTestServer({ engine, place });
    const db = await openDatabase({ databaseUrl: place.databaseUrl!, dataDir: place.dataDir });
    try {
      const ada = server().inNewWorkspace();
      const all = await createThreads(ada);
      const touched = new Set<string>();
      const readers = [reader(ada), reader(onServer(other, ada))];
      const isSaved = async (id: string) =>
        expect(
          await db.read.selectFrom("list_bookmarks").where("id", "=", id).select("id").execute(),
        ).toHaveLength(1);
      const read = async (after: string | undefined, page: number) => await readers[page % 2]!(after);
      const walked = await walk(read, limits.threadPage, async (page) => {
        // The bookmark is saved for the other process a moment later.
        await vi.waitFor(async () => await isSaved(page.at(-1)!), { interval: 2, timeout: 10_000 });
        touched.add(page.at(-1)!);
        await touch(ada, page.at(-1)!);
      });
      expect(errorsOf(walked, all, touched)).toEqual(none);
    } finally {
      await db.close();
      await other.close();
    }
  });

  test("ends on several processes, and misses none, while others write", async ({ ada, ben }) => {
    const other = await startTestServer({ engine, place: server().place });
    const all = await createThreads(ada, 100);
    const free = all.filter((_, index) => index % 3 !== 0);
    let over = false;
    const writing = (async () => {
      while (!over) await touch(ben, pick(free));
    })();
    const readers = [reader(ada), reader(onServer(other, ada))];
    const walked = await walk(async (after, page) => await readers[page % 2]!(after), limits.threadPage);
    over = true;
    await writing;
    await other.close();
    expect(all.filter((id) => !free.includes(id) && !walked.ids.includes(id))).toEqual([]);
  });
});

/** The same user, on another server with the same database. */
function onServer({ url }: { url: string }, who: Visitor): Visitor {
  return visitor(url, who.name, who.headers);
}

/** The order of `createThreads`: two threads for each second, the larger id first. */
function newestFirst(created: readonly string[]) {
  const second = new Map(created.map((id, index) => [id, Math.floor(index / 2)]));
  return (a: string, b: string) => second.get(b)! - second.get(a)! || (a < b ? 1 : -1);
}
