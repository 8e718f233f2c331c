import { describe, expect, it } from "vitest";
import { createTails } from "./tails.ts";

const entries = (from: number, to: number, body = "x") =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    seq: from + index,
    body: `${body}${from + index}`,
  }));

describe("tails", () => {
  it("answer what was kept after a number, and only where all of it is kept", () => {
    const tails = createTails();
    tails.keep([{ topic: "a", entries: entries(5, 7) }]);
    expect(tails.after("a", 4, 10)).toEqual({ entries: entries(5, 7), lastSeq: 7, prunedSeq: 0 });
    expect(tails.after("a", 6, 10)?.entries).toEqual(entries(7, 7));
    expect(tails.after("a", 3, 10)).toBeUndefined();
    expect(tails.after("a", 7, 10)).toBeUndefined();
    expect(tails.after("b", 0, 10)).toBeUndefined();
  });

  it("give a page at a time", () => {
    const tails = createTails();
    tails.keep([{ topic: "a", entries: entries(1, 9) }]);
    expect(tails.after("a", 2, 3)?.entries).toEqual(entries(3, 5));
    expect(tails.after("a", 2, 3)?.lastSeq).toBe(9);
  });

  it("go on where the entries do, and start afresh where they do not", () => {
    const tails = createTails();
    tails.keep([{ topic: "a", entries: entries(1, 2) }]);
    tails.keep([{ topic: "a", entries: entries(3, 4) }]);
    expect(tails.after("a", 0, 10)?.entries).toEqual(entries(1, 4));
    tails.keep([{ topic: "a", entries: entries(9, 9) }]);
    expect(tails.after("a", 4, 10)).toBeUndefined();
    expect(tails.after("a", 8, 10)?.entries).toEqual(entries(9, 9));
  });

  it("forget a topic that was pruned", () => {
    const tails = createTails();
    tails.keep([{ topic: "a", entries: entries(1, 3) }]);
    tails.keep([{ topic: "a", entries: [] }]);
    expect(tails.after("a", 0, 10)).toBeUndefined();
  });

  it("keep a bounded number of entries, characters and topics", () => {
    const tails = createTails();
    tails.keep([{ topic: "a", entries: entries(1, 1_000) }]);
    expect(tails.after("a", 900, 1_000)).toBeUndefined();
    expect(tails.after("a", 990, 1_000)?.entries).toEqual(entries(991, 1_000));
    tails.keep([{ topic: "b", entries: entries(1, 4, "x".repeat(40_000)) }]);
    expect(tails.after("b", 2, 10)).toBeUndefined();
    expect(tails.after("b", 3, 10)?.entries).toHaveLength(1);
    for (let n = 0; n < 10_000; n++) tails.keep([{ topic: `t${n}`, entries: entries(1, 1) }]);
    expect(tails.after("a", 990, 1_000)).toBeUndefined();
    expect(tails.after("t9999", 0, 10)?.entries).toEqual(entries(1, 1));
  });

  it("keep a bounded number of characters altogether, and the newest of them", () => {
    const tails = createTails();
    const large = "x".repeat(60_000);
    for (let n = 0; n < 1_000; n++) tails.keep([{ topic: `t${n}`, entries: entries(1, 1, large) }]);
    expect(tails.after("t0", 0, 10)).toBeUndefined();
    expect(tails.after("t999", 0, 10)?.entries).toHaveLength(1);
    tails.keep([{ topic: "t999", entries: [] }]);
    expect(tails.after("t998", 0, 10)?.entries).toHaveLength(1);
  });
});
