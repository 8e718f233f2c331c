import { expect, test } from "vitest";
import { createKeyedMutex } from "./keyed-mutex.ts";

test("runs one piece of work per key at a time, even after a failure", async () => {
  const lock = createKeyedMutex();
  const { signal } = new AbortController();
  const started: string[] = [];
  const first = Promise.withResolvers<string>();
  const work = (name: string, done: Promise<string>) => async () => {
    started.push(name);
    return await done;
  };
  const ada1 = lock("ada", work("ada 1", first.promise), signal);
  const ada2 = lock("ada", work("ada 2", Promise.resolve("ada 2")), signal);
  expect(await lock("bo", work("bo", Promise.resolve("bo")), signal)).toBe("bo");
  expect(started).toEqual(["ada 1", "bo"]);
  const aborted = lock("ada", work("aborted", Promise.resolve("")), AbortSignal.abort(new Error("stopped")));
  await expect(aborted).rejects.toThrow("stopped");
  first.reject(new Error("broken"));
  await expect(ada1).rejects.toThrow("broken");
  expect(await ada2).toBe("ada 2");
  expect(started).toEqual(["ada 1", "bo", "ada 2"]);
});
