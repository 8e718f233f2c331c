import { expect, test } from "vitest";
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
