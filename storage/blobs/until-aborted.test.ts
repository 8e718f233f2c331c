import { expect, test } from "vitest";
import { untilAborted } from "./until-aborted.ts";

test("passes all chunks and the source's error through", async () => {
  const { signal } = new AbortController();
  async function* source(error?: Error) {
    yield 1;
    yield 2;
    if (error !== undefined) throw error;
  }
  expect(await Array.fromAsync(untilAborted(source(), signal))).toEqual([1, 2]);
  await expect(Array.fromAsync(untilAborted(source(new Error("broke")), signal))).rejects.toThrow("broke");
});

test("throws the reason of an abort at once, whatever the source does", async () => {
  for (const then of ["nothing", "another", "an error"]) {
    const gone = new AbortController();
    const later = Promise.withResolvers<number>();
    async function* source() {
      yield 1;
      setImmediate(() => gone.abort(new Error("gave up")));
      yield await later.promise;
    }
    const seen: number[] = [];
    const taking = (async () => {
      for await (const piece of untilAborted(source(), gone.signal)) seen.push(piece);
    })();
    await expect(taking).rejects.toThrow("gave up");
    if (then === "another") later.resolve(2);
    if (then === "an error") later.reject(new Error("nobody hears this"));
    await new Promise(setImmediate);
    expect(seen).toEqual([1]);
  }
  const aborted = AbortSignal.abort(new Error("before"));
  async function* one() {
    yield 1;
  }
  await expect(Array.fromAsync(untilAborted(one(), aborted))).rejects.toThrow("before");
});

test("ends the source if the reader stops", async () => {
  let ended = false;
  async function* source() {
    try {
      for (;;) yield 1;
    } finally {
      ended = true;
    }
  }
  for await (const _piece of untilAborted(source(), new AbortController().signal)) break;
  await new Promise(setImmediate);
  expect(ended).toBe(true);
});
