import { expect, test, vi } from "vitest";
import type { Database } from "#storage/database/database.ts";
import { describeEveryEngine } from "#storage/testing/engines.ts";
import { collectLog } from "#tests/support/collected-log.ts";
import { handClock } from "#tests/support/hand-clock.ts";
import { createBookmarks, listName } from "./bookmarks.ts";

const page = (...positions: number[]) =>
  positions.map((position) => ({ id: `thread_${position}`, position }));
const hour = 60 * 60_000;

describeEveryEngine("bookmarks", (open) => {
  function make(db: Database, saveAfterMs = 60_000) {
    const clock = handClock();
    const log = collectLog();
    return { clock, log, bookmarks: createBookmarks({ db, clock, logger: log.logger, saveAfterMs }) };
  }

  test("tell where the last row of a page stood, and nothing of its others", async () => {
    const { bookmarks } = make(await open());
    bookmarks.put("a", page(9, 8, 7));
    expect(await bookmarks.find("a", "thread_7")).toBe(7);
    expect(await bookmarks.find("a", "thread_8")).toBeUndefined();
    expect(await bookmarks.find("b", "thread_7")).toBeUndefined();
    await bookmarks.close();
  });

  test("tell where a row was seen last, were it in the middle of a page", async () => {
    const { bookmarks } = make(await open());
    bookmarks.put("a", [{ id: "x", position: 1 }]);
    bookmarks.put("a", [
      { id: "x", position: 5 },
      { id: "y", position: 4 },
    ]);
    expect(await bookmarks.find("a", "x")).toBe(5);
    expect(await bookmarks.find("a", "y")).toBe(4);
    await bookmarks.close();
  });

  test("are kept for other processes, all of a moment together", async () => {
    const db = await open();
    const { bookmarks, clock } = make(db);
    for (const position of [3, 2, 1]) bookmarks.put("a", page(position));
    const other = make(db).bookmarks;
    expect(await other.find("a", "thread_2")).toBeUndefined();
    clock.advance(60_000);
    await vi.waitFor(async () => expect(await other.find("a", "thread_2")).toBe(2), { interval: 2 });
    expect(await other.find("a", "thread_1")).toBe(1);
    bookmarks.put("a", [{ id: "thread_2", position: 20 }]);
    await bookmarks.close();
    expect(await make(db).bookmarks.find("a", "thread_2")).toBe(20);
    await other.close();
  });

  test("beyond ten thousand are read back from where they are kept", async () => {
    const { bookmarks } = make(await open(), 0);
    for (let position = 0; position < 10_050; position++) bookmarks.put("a", page(position));
    await vi.waitFor(async () => expect(await bookmarks.find("a", "thread_0")).toBe(0), { timeout: 10_000 });
    await bookmarks.close();
  });

  test("are forgotten after a day", async () => {
    const db = await open();
    const { bookmarks, clock } = make(db);
    bookmarks.put("a", page(1));
    clock.advance(23 * hour);
    bookmarks.put("a", page(2));
    await bookmarks.close();
    clock.advance(2 * hour);
    await bookmarks.tidy();
    const fresh = make(db).bookmarks;
    expect(await fresh.find("a", "thread_1")).toBeUndefined();
    expect(await fresh.find("a", "thread_2")).toBe(2);
  });

  test("that cannot be kept are no one's trouble", async () => {
    const db = await open();
    const { bookmarks, log } = make(db);
    bookmarks.put("a", page(1));
    await db.close();
    await bookmarks.close();
    expect(await bookmarks.find("a", "thread_1")).toBe(1);
    expect(log.lines().map(({ msg }) => msg)).toEqual(["bookmarks were not saved"]);
  });
});

test("a list's name tells lists apart, and nothing else", () => {
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
