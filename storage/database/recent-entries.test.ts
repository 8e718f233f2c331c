import { describe, expect, it } from "vitest";
import { createRecentEntries } from "./recent-entries.ts";

const entries = (from: number, to: number, body = "x") =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    seq: from + index,
    body: `${body}${from + index}`,
  }));

describe("recent entries", () => {
  it("are found after a number, if all of them are cached", () => {
    const recent = createRecentEntries();
    recent.add([{ topic: "a", entries: entries(5, 7) }]);
    expect(recent.after("a", 4, 10)).toEqual({ entries: entries(5, 7), lastSeq: 7, prunedSeq: 0 });
    expect(recent.after("a", 6, 10)?.entries).toEqual(entries(7, 7));
    expect(recent.after("a", 3, 10)).toBeUndefined();
    expect(recent.after("a", 7, 10)).toBeUndefined();
    expect(recent.after("b", 0, 10)).toBeUndefined();
  });

  it("are read page by page", () => {
    const recent = createRecentEntries();
    recent.add([{ topic: "a", entries: entries(1, 9) }]);
    expect(recent.after("a", 2, 3)?.entries).toEqual(entries(3, 5));
    expect(recent.after("a", 2, 3)?.lastSeq).toBe(9);
  });

  it("continue if the numbers do, and start over if they do not", () => {
    const recent = createRecentEntries();
    recent.add([{ topic: "a", entries: entries(1, 2) }]);
    recent.add([{ topic: "a", entries: entries(3, 4) }]);
    expect(recent.after("a", 0, 10)?.entries).toEqual(entries(1, 4));
    recent.add([{ topic: "a", entries: entries(9, 9) }]);
    expect(recent.after("a", 4, 10)).toBeUndefined();
    expect(recent.after("a", 8, 10)?.entries).toEqual(entries(9, 9));
  });

  it("do not include those of a pruned topic", () => {
    const recent = createRecentEntries();
    recent.add([{ topic: "a", entries: entries(1, 3) }]);
    recent.add([{ topic: "a", entries: [] }]);
    expect(recent.after("a", 0, 10)).toBeUndefined();
  });

  it("have a limit of entries, characters and topics", () => {
    const recent = createRecentEntries();
    recent.add([{ topic: "a", entries: entries(1, 1_000) }]);
    expect(recent.after("a", 900, 1_000)).toBeUndefined();
    expect(recent.after("a", 990, 1_000)?.entries).toEqual(entries(991, 1_000));
    recent.add([{ topic: "b", entries: entries(1, 4, "x".repeat(40_000)) }]);
    expect(recent.after("b", 2, 10)).toBeUndefined();
    expect(recent.after("b", 3, 10)?.entries).toHaveLength(1);
    for (let n = 0; n < 10_000; n++) recent.add([{ topic: `t${n}`, entries: entries(1, 1) }]);
    expect(recent.after("a", 990, 1_000)).toBeUndefined();
    expect(recent.after("t9999", 0, 10)?.entries).toEqual(entries(1, 1));
  });

  it("have a limit of characters in total, and lose the oldest topics first", () => {
    const recent = createRecentEntries();
    const large = "x".repeat(60_000);
    for (let n = 0; n < 1_000; n++) recent.add([{ topic: `t${n}`, entries: entries(1, 1, large) }]);
    expect(recent.after("t0", 0, 10)).toBeUndefined();
    expect(recent.after("t999", 0, 10)?.entries).toHaveLength(1);
    recent.add([{ topic: "t999", entries: [] }]);
    expect(recent.after("t998", 0, 10)?.entries).toHaveLength(1);
  });

  it("do not include those to which another process may have added", () => {
    const recent = createRecentEntries();
    const [before, during] = [recent.begin(), recent.begin()];
    recent.add([
      { topic: "a", entries: entries(1, 1) },
      { topic: "b", entries: entries(1, 1) },
    ]);
    recent.forget(["a"]);
    expect(recent.after("a", 0, 10)).toBeUndefined();
    expect(recent.after("b", 0, 10)?.entries).toHaveLength(1);
    before.add([
      { topic: "a", entries: entries(2, 2) },
      { topic: "b", entries: entries(2, 2) },
    ]);
    expect(recent.after("a", 1, 10)).toBeUndefined();
    expect(recent.after("b", 0, 10)?.entries).toHaveLength(2);
    recent.clear();
    during.add([{ topic: "b", entries: entries(3, 3) }]);
    expect(recent.after("b", 2, 10)).toBeUndefined();
    recent.begin().add([{ topic: "b", entries: entries(4, 4) }]);
    expect(recent.after("b", 3, 10)?.entries).toHaveLength(1);
  });

  it("are never older than those that were reported before them", () => {
    const recent = createRecentEntries();
    recent.add([{ topic: "a", entries: entries(2, 2) }]);
    recent.add([{ topic: "a", entries: entries(1, 1) }]);
    expect(recent.after("a", 0, 10)).toBeUndefined();
  });
});
