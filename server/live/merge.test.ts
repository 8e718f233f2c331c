import { describe, expect, test } from "vitest";
import { merge } from "./merge.ts";

/** A source that gives what it is handed, until it is told to end or is stopped. */
function tap<T>() {
  const queue: T[] = [];
  let wake = () => {};
  let over = false;
  const seen = { pulled: 0, ended: false };
  async function* source(signal: AbortSignal): AsyncGenerator<T> {
    signal.addEventListener("abort", () => wake());
    try {
      for (;;) {
        if (queue.length > 0) {
          seen.pulled++;
          yield queue.shift()!;
        } else if (over || signal.aborted) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      seen.ended = true;
    }
  }
  return {
    source,
    seen,
    give(...items: T[]) {
      queue.push(...items);
      wake();
    },
    end() {
      over = true;
      wake();
    },
  };
}

const never = new AbortController().signal;

describe("several sources as one", () => {
  test("give what comes, whichever has something first, each in its own order", async () => {
    const [a, b] = [tap<string>(), tap<string>()];
    const merged = merge([a.source, b.source], never);
    b.give("b1");
    expect((await merged.next()).value).toBe("b1");
    a.give("a1", "a2", "a3");
    b.give("b2");
    const seen: string[] = [];
    for (let i = 0; i < 4; i++) seen.push((await merged.next()).value as string);
    expect(seen.filter((item) => item.startsWith("a"))).toEqual(["a1", "a2", "a3"]);
    expect(seen).toContain("b2");
    await merged.return(undefined);
  });

  test("can be joined by others after an item", async () => {
    const [a, b] = [tap<string>(), tap<string>()];
    const merged = merge([a.source], never, (item) => (item === "a1" ? [b.source] : []));
    b.give("b1");
    a.give("a1");
    expect((await merged.next()).value).toBe("a1");
    expect((await merged.next()).value).toBe("b1");
    await merged.return(undefined);
    expect([a.seen.ended, b.seen.ended]).toEqual([true, true]);
  });

  test("end when all have ended, and not before", async () => {
    const [a, b] = [tap<number>(), tap<number>()];
    const merged = merge([a.source, b.source], never);
    a.give(1);
    a.end();
    expect(await merged.next()).toEqual({ done: false, value: 1 });
    b.give(2);
    expect(await merged.next()).toEqual({ done: false, value: 2 });
    b.end();
    expect(await merged.next()).toEqual({ done: true, value: undefined });
    expect(await merge([], never).next()).toEqual({ done: true, value: undefined });
  });

  test("are stopped, each of them, when the reader stops", async () => {
    const taps = [tap<number>(), tap<number>()];
    for await (const item of merge(
      taps.map(({ source }) => source),
      (taps[0]!.give(1), never),
    )) {
      expect(item).toBe(1);
      break;
    }
    for (const { seen } of taps) expect(seen.ended).toBe(true);
  });

  test("are stopped when the signal says so, and end quietly", async () => {
    const taps = [tap<number>(), tap<number>()];
    const stop = new AbortController();
    const merged = merge(
      taps.map(({ source }) => source),
      stop.signal,
    );
    const next = merged.next();
    stop.abort(new Error("enough"));
    expect(await next).toEqual({ done: true, value: undefined });
    for (const { seen } of taps) expect(seen.ended).toBe(true);
  });

  test("fail as one, and the others are stopped", async () => {
    const other = tap<number>();
    async function* failing(): AsyncGenerator<number> {
      yield 1;
      throw new Error("it broke");
    }
    const merged = merge([failing, other.source], never);
    expect((await merged.next()).value).toBe(1);
    await expect(merged.next()).rejects.toThrow("it broke");
    expect(other.seen.ended).toBe(true);
  });

  test("are pulled no further than the reader reads: one item of each is held", async () => {
    const a = tap<number>();
    a.give(...Array.from({ length: 100 }, (_, index) => index));
    const merged = merge([a.source], never);
    for (let i = 0; i < 3; i++) await merged.next();
    await new Promise(setImmediate);
    expect(a.seen.pulled).toBeLessThanOrEqual(4);
    await merged.return(undefined);
  });
});
