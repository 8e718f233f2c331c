import { expect, test } from "vitest";
import { createLanes } from "./keyed-mutex.ts";

test("each has one under way, the others do not wait for it, and a failure holds nobody up", async () => {
  const lanes = createLanes();
  const { signal } = new AbortController();
  const begun: string[] = [];
  const first = Promise.withResolvers<string>();
  const work = (word: string, done: Promise<string>) => async () => {
    begun.push(word);
    return await done;
  };
  const ada1 = lanes("ada", work("ada 1", first.promise), signal);
  const ada2 = lanes("ada", work("ada 2", Promise.resolve("ada 2")), signal);
  expect(await lanes("bo", work("bo", Promise.resolve("bo")), signal)).toBe("bo");
  expect(begun).toEqual(["ada 1", "bo"]);
  const left = lanes("ada", work("left", Promise.resolve("")), AbortSignal.abort(new Error("stopped")));
  await expect(left).rejects.toThrow("stopped");
  first.reject(new Error("broken"));
  await expect(ada1).rejects.toThrow("broken");
  expect(await ada2).toBe("ada 2");
  expect(begun).toEqual(["ada 1", "bo", "ada 2"]);
});
