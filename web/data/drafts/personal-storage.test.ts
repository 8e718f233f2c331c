import { expect, test } from "vitest";
import { createPersonalStorage, type Owner } from "./personal-storage.ts";
import { createSafeStorage } from "./safe-storage.ts";

const visitor = (name: string): Owner => ({ userId: `usr_${name}`, isVisitor: true });
const owner: Owner = { userId: "usr_owner", isVisitor: false };

function device() {
  return createSafeStorage(() => {
    throw new Error("none");
  });
}

test("finds of each person what is theirs, and it alone", () => {
  const storage = createPersonalStorage(device());
  storage.become(visitor("v"));
  storage.set("parlance.draft.new", "the visitor's");
  expect(storage.become(owner)).toBe("another");
  expect(storage.get("parlance.draft.new")).toBeUndefined();
  expect(storage.keys("parlance.draft.")).toEqual([]);
  storage.set("parlance.draft.new", "the owner's");
  expect(storage.become(visitor("w"))).toBe("another");
  expect(storage.get("parlance.draft.new")).toBeUndefined();
  storage.become(owner);
  expect(storage.keys("parlance.draft.")).toEqual(["parlance.draft.new"]);
  expect(storage.get("parlance.draft.new")).toBe("the owner's");
});

test("gives what was written before anybody was known to whom the service then names", () => {
  const kept = device();
  kept.set("parlance.outbox.run_a", "of an earlier version");
  const storage = createPersonalStorage(kept);
  storage.set("parlance.draft.new", "typed at once");
  expect(storage.become(owner)).toBe("heir");
  expect(storage.get("parlance.draft.new")).toBe("typed at once");
  expect(storage.get("parlance.outbox.run_a")).toBe("of an earlier version");
  storage.become(visitor("v"));
  expect(storage.keys("parlance.")).toEqual([]);
});

test("gives to a visitor what the one before them wrote, whose session was lost, also after a reload", () => {
  const kept = device();
  const before = createPersonalStorage(kept);
  before.become(visitor("v"));
  before.set("parlance.draft.thread_a", "half a thought");
  const after = createPersonalStorage(kept);
  expect(after.get("parlance.draft.thread_a")).toBe("half a thought");
  expect(after.become(visitor("v"))).toBe("same");
  expect(after.become(visitor("w"))).toBe("heir");
  expect(after.get("parlance.draft.thread_a")).toBe("half a thought");
});

test("takes a call's id with an address in it for no person", () => {
  const storage = createPersonalStorage(device());
  storage.set("parlance.answers.run_a.call@usr", "yes");
  storage.become(owner);
  expect(storage.keys("parlance.answers.")).toEqual(["parlance.answers.run_a.call@usr"]);
});

test.each(["{", "null", "7", '{"userId":1}'])("knows nobody where %s lies in their place", (broken) => {
  const kept = device();
  kept.set("parlance.person", broken);
  expect(createPersonalStorage(kept).owner()).toBeUndefined();
});
