import { afterEach, beforeEach, expect, test } from "vitest";
import { freshStore } from "#tests/support/servers/stores.ts";
import { moveBlobs } from "./move.ts";

type Store = Awaited<ReturnType<typeof freshStore>>;
let from: Store;
let to: Store;
beforeEach(async () => {
  [from, to] = [await freshStore("disk"), await freshStore("disk")];
});
afterEach(async () => {
  for (const store of [from, to]) await store.remove();
});

const key = "kept/aa/one";

async function* bytes(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("garden");
}

/** Moves one blob, which is in use as long as these answers are true. */
async function moveWhile(answers: boolean[], remove: boolean) {
  await from.blobs.put(key, bytes(), {});
  const isInUse = async () => answers.shift() ?? false;
  const all = [{ key, sizeBytes: 6, sha256: undefined, isInUse }];
  const moved = await moveBlobs(all, from.blobs, to.blobs, { remove, each: () => {} });
  return { moved, there: await to.blobs.size(key) };
}

const nothing = { copied: 0, alreadyThere: 0, missing: [], damaged: [], removed: 0 };

test.for([false, true])("does not copy a blob that was deleted before (removing: %s)", async (remove) => {
  expect(await moveWhile([false], remove)).toEqual({ moved: nothing, there: undefined });
});

test.for([false, true])(
  "does not keep the copy of a blob that is deleted meanwhile (removing: %s)",
  async (remove) => {
    expect(await moveWhile([true, false], remove)).toEqual({ moved: nothing, there: undefined });
  },
);

test("moves a blob that stays in use", async () => {
  const { moved, there } = await moveWhile([true, true, true], true);
  expect([moved, there]).toEqual([{ ...nothing, copied: 1, removed: 1 }, 6]);
  expect(await from.blobs.size(key)).toBeUndefined();
});
