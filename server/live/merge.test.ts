import { describe, expect, test } from "vitest";
import { merge } from "./merge.ts";

/** A source that yields the items passed to `emit` until `end` is called or it is stopped. */
function controlledSource<T>() {
  const queue: T[] = [];
  let wake = () => {};
  let hasEnded = false;
  const seen = { pulled: 0, ended: false };
  async function* source(signal: AbortSignal): AsyncGenerator<T> {
    signal.addEventListener("abort", () => wake());
    try {
      for (;;) {
        if (queue.length > 0) {
          seen.pulled++;
          yield queue.shift()!;
        } else if (hasEnded || signal.aborted) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      seen.ended = true;
    }
  }
  return {
    source,
    seen,
    emit(...items: T[]) {
      queue.push(...items);
      wake();
    },
    end() {
      hasEnded = true;
      wake();
    },
  };
}

const never = new AbortController().signal;

describe("merged sources", () => {
  test("yield items as they arrive, each source in its own order", async () => {
    const [a, b] = [controlledSource<string>(), controlledSource<string>()];
    const merged = merge([a.source, b.source], never);
    b.emit("b1");
    expect((await merged.next()).value).toBe("b1");
    a.emit("a1", "a2", "a3");
    b.emit("b2");
    const seen: string[] = [];
    for (let i = 0; i < 4; i++) seen.push((await merged.next()).value as string);
    expect(seen.filter((item) => item.startsWith("a"))).toEqual(["a1", "a2", "a3"]);
    expect(seen).toContain("b2");
    await merged.return(undefined);
  });

  test("can add sources after an item", async () => {
    const [a, b] = [controlledSource<string>(), controlledSource<string>()];
    const merged = merge([a.source], never, (item) => (item === "a1" ? [b.source] : []));
    b.emit("b1");
    a.emit("a1");
    expect((await merged.next()).value).toBe("a1");
    expect((await merged.next()).value).toBe("b1");
    await merged.return(undefined);
    expect([a.seen.ended, b.seen.ended]).toEqual([true, true]);
  });

  test("end when all have ended, and not before", async () => {
    const [a, b] = [controlledSource<number>(), controlledSource<number>()];
    const merged = merge([a.source, b.source], never);
    a.emit(1);
    a.end();
    expect(await merged.next()).toEqual({ done: false, value: 1 });
    b.emit(2);
    expect(await merged.next()).toEqual({ done: false, value: 2 });
    b.end();
    expect(await merged.next()).toEqual({ done: true, value: undefined });
    expect(await merge([], never).next()).toEqual({ done: true, value: undefined });
  });

  test("are all stopped when the reader stops", async () => {
    const sources = [controlledSource<number>(), controlledSource<number>()];
    for await (const item of merge(
      sources.map(({ source }) => source),
      (sources[0]!.emit(1), never),
    )) {
      expect(item).toBe(1);
      break;
    }
    for (const { seen } of sources) expect(seen.ended).toBe(true);
  });

  test("are stopped by the signal, and end without an error", async () => {
    const sources = [controlledSource<number>(), controlledSource<number>()];
    const stop = new AbortController();
    const merged = merge(
      sources.map(({ source }) => source),
      stop.signal,
    );
    const next = merged.next();
    stop.abort(new Error("enough"));
    expect(await next).toEqual({ done: true, value: undefined });
    for (const { seen } of sources) expect(seen.ended).toBe(true);
  });

  test("fail together: the other sources are stopped", async () => {
    const other = controlledSource<number>();
    async function* failing(): AsyncGenerator<number> {
      yield 1;
      throw new Error("it broke");
    }
    const merged = merge([failing, other.source], never);
    expect((await merged.next()).value).toBe(1);
    await expect(merged.next()).rejects.toThrow("it broke");
    expect(other.seen.ended).toBe(true);
  });

  test("are read at the reader's pace, at most one item of each ahead", async () => {
    const a = controlledSource<number>();
    a.emit(...Array.from({ length: 100 }, (_, index) => index));
    const merged = merge([a.source], never);
    for (let i = 0; i < 3; i++) await merged.next();
    await new Promise(setImmediate);
    expect(a.seen.pulled).toBeLessThanOrEqual(4);
    await merged.return(undefined);
  });
});
