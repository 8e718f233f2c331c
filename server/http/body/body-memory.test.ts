import { describe, expect, test } from "vitest";
import { createBodyMemory } from "./body-memory.ts";

const KiB = 1024;
const max = { perAddressBytes: 100 * KiB, totalBytes: 150 * KiB };
const code = (act: () => void): unknown => {
  try {
    act();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return undefined;
};

describe("the memory limit for bodies", () => {
  test("counts all bodies of one address until they are released", () => {
    const memory = createBodyMemory(max);
    const first = memory.reserve("a");
    first.take(80 * KiB);
    expect(code(() => memory.reserve("a").take(80 * KiB))).toBe("rate-limited");
    memory.reserve("b").take(60 * KiB);
    first.release();
    first.release();
    memory.reserve("a").take(80 * KiB);
    expect(code(() => memory.reserve("a").take(80 * KiB))).toBe("rate-limited");
  });

  test("releases the memory of a refused body at once", () => {
    const memory = createBodyMemory(max);
    const [first, second] = [memory.reserve("a"), memory.reserve("a")];
    first.take(50 * KiB);
    second.take(50 * KiB);
    expect(code(() => first.take(50 * KiB))).toBe("rate-limited");
    second.take(50 * KiB);
  });

  test("has a total for all addresses and for callers without one", () => {
    const memory = createBodyMemory(max);
    memory.reserve("a").take(100 * KiB);
    expect(code(() => memory.reserve("b").take(90 * KiB))).toBe("server-busy");
    const own = memory.reserve(undefined);
    own.take(60 * KiB);
    expect(code(() => own.take(90 * KiB))).toBe("server-busy");
  });

  test("does not count the first 16 KiB of each body", () => {
    const memory = createBodyMemory(max);
    memory.reserve("a").take(115 * KiB);
    for (let n = 0; n < 1_000; n++) memory.reserve("a").take(15 * KiB);
    expect(code(() => memory.reserve("a").take(17 * KiB))).toBe("rate-limited");
  });

  test("counts the overhead of each chunk", () => {
    const memory = createBodyMemory(max).reserve("a");
    let chunks = 0;
    while (code(() => memory.take(1)) === undefined) chunks++;
    expect(chunks).toBeLessThan(300);
  });
});
