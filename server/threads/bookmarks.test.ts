import { expect, test, vi } from "vitest";
import type { Database } from "#storage/database/database.ts";
import { describeEveryEngine } from "#storage/testing/engines.ts";
import { collectLog } from "#tests/support/servers/collected-log.ts";
import { createManualClock } from "#tests/support/manual-clock.ts";
import { createBookmarks, listName } from "./bookmarks.ts";

const page = (...positions: number[]) =>
  positions.map((position) => ({ id: `thread_${position}`, position }));
const hour = 60 * 60_000;

describeEveryEngine("bookmarks", (open) => {
  function make(db: Database, saveAfterMs = 60_000) {
    const clock = createManualClock();
    const log = collectLog();
    return { clock, log, bookmarks: createBookmarks({ db, clock, logger: log.logger, saveAfterMs }) };
  }

  test("record the position of a page's last row only", async () => {
    const { bookmarks } = make(await open());
    bookmarks.save("a", page(9, 8, 7));
    expect(await bookmarks.find("a", "thread_7")).toBe(7);
    expect(await bookmarks.find("a", "thread_8")).toBeUndefined();
    expect(await bookmarks.find("b", "thread_7")).toBeUndefined();
    await bookmarks.close();
  });

  test("update the position of a recorded row, also in the middle of a page", async () => {
    const { bookmarks } = make(await open());
    bookmarks.save("a", [{ id: "x", position: 1 }]);
    bookmarks.save("a", [
      { id: "x", position: 5 },
      { id: "y", position: 4 },
    ]);
    expect(await bookmarks.find("a", "x")).toBe(5);
    expect(await bookmarks.find("a", "y")).toBe(4);
    await bookmarks.close();
  });

  test("are saved for other processes in batches", async () => {
    const db = await open();
    const { bookmarks, clock } = make(db);
    for (const position of [3, 2, 1]) bookmarks.save("a", page(position));
    const other = make(db).bookmarks;
    expect(await other.find("a", "thread_2")).toBeUndefined();
    clock.advance(60_000);
    await vi.waitFor(async () => expect(await other.find("a", "thread_2")).toBe(2), { interval: 2 });
    expect(await other.find("a", "thread_1")).toBe(1);
    bookmarks.save("a", [{ id: "thread_2", position: 20 }]);
    await bookmarks.close();
    expect(await make(db).bookmarks.find("a", "thread_2")).toBe(20);
    await other.close();
  });

  test("beyond ten thousand are read from the database", async () => {
    const { bookmarks } = make(await open(), 0);
    for (let position = 0; position < 10_050; position++) bookmarks.save("a", page(position));
    await vi.waitFor(async () => expect(await bookmarks.find("a", "thread_0")).toBe(0), { timeout: 10_000 });
    await bookmarks.close();
  });

  test("are deleted after a day", async () => {
    const db = await open();
    const { bookmarks, clock } = make(db);
    bookmarks.save("a", page(1));
    clock.advance(23 * hour);
    bookmarks.save("a", page(2));
    await bookmarks.close();
    clock.advance(2 * hour);
    await bookmarks.deleteOld();
    const fresh = make(db).bookmarks;
    expect(await fresh.find("a", "thread_1")).toBeUndefined();
    expect(await fresh.find("a", "thread_2")).toBe(2);
  });

  test("that cannot be saved cause only a warning", async () => {
    const db = await open();
    const { bookmarks, log } = make(db);
    bookmarks.save("a", page(1));
    await db.close();
    await bookmarks.close();
    expect(await bookmarks.find("a", "thread_1")).toBe(1);
    expect(log.lines().map(({ msg }) => msg)).toEqual(["bookmarks were not saved"]);
  });
});

test("a list's name depends on all its parts and reveals none of them", () => {
  const names = [
    listName("w", "u", false, undefined),
    listName("w", "u", true, undefined),
    listName("w", "u", false, "x"),
    listName("w", "v", false, undefined),
  ];
  expect(new Set(names).size).toBe(4);
  expect(listName("w", "u", false, undefined)).toBe(names[0]);
  for (const name of names) expect(name).toMatch(/^[\w-]{43}$/);
});
