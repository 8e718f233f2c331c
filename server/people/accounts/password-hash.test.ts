import { expect, onTestFinished, test, vi } from "vitest";
import { createPasswordHasher } from "./password-hash.ts";

test("verifies a hash with the cost that is stored in it", async () => {
  const stored = await createPasswordHasher({ memory: 8, passes: 1 }).hash("correct horse");
  const hasher = createPasswordHasher({ memory: 16, passes: 2 });
  expect(await hasher.verify("correct horse", stored)).toBe(true);
  expect(await hasher.verify("wrong horse", stored)).toBe(false);
});

test.each(["m=4294967295,t=1", "m=8,t=4294967295"])("refuses a stored hash with %s", async (cost) => {
  const stored = await createPasswordHasher({ memory: 8, passes: 1 }).hash("correct horse");
  const expensive = stored.replace("m=8,t=1", cost);
  await expect(createPasswordHasher().verify("correct horse", expensive)).rejects.toThrow("too expensive");
});

test("costs the same without a stored hash, so that nobody learns who has an account", async () => {
  vi.resetModules();
  vi.doMock("node:crypto", { spy: true });
  onTestFinished(() => {
    vi.doUnmock("node:crypto");
    vi.resetModules();
  });
  const { argon2 } = await import("node:crypto");
  const hasher = (await import("./password-hash.ts")).createPasswordHasher({ memory: 64, passes: 3 });
  const stored = await hasher.hash("correct horse");
  vi.mocked(argon2).mockClear();
  expect(await hasher.verify("wrong horse", stored)).toBe(false);
  expect(await hasher.verify("wrong horse", undefined)).toBe(false);
  const costs = vi
    .mocked(argon2)
    .mock.calls.map(([algorithm, { memory, passes, parallelism, tagLength }]) => ({
      algorithm,
      memory,
      passes,
      parallelism,
      tagLength,
    }));
  expect(costs).toEqual([costs[0], costs[0]]);
  expect(costs[0]).toMatchObject({ algorithm: "argon2id", memory: 64, passes: 3 });
});
