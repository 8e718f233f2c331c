import { expect, test } from "vitest";
import { memoryStorage } from "#web/testing/memory-storage.ts";
import { createPersonalStorage, type Owner } from "./personal-storage.ts";

const visitor = (name: string): Owner => ({ userId: `usr_${name}`, isVisitor: true });
const owner: Owner = { userId: "usr_owner", isVisitor: false };

test("shows each user only their own texts", () => {
  const storage = createPersonalStorage(memoryStorage());
  storage.switchTo(visitor("v"));
  storage.set("parlance.draft.new", "the visitor's");
  expect(storage.switchTo(owner)).toBe("another");
  expect(storage.get("parlance.draft.new")).toBeUndefined();
  expect(storage.keys("parlance.draft.")).toEqual([]);
  storage.set("parlance.draft.new", "the owner's");
  expect(storage.switchTo(visitor("w"))).toBe("another");
  expect(storage.get("parlance.draft.new")).toBeUndefined();
  storage.switchTo(owner);
  expect(storage.keys("parlance.draft.")).toEqual(["parlance.draft.new"]);
  expect(storage.get("parlance.draft.new")).toBe("the owner's");
});

test("gives what was written before the user was identified to the identified user", () => {
  const kept = memoryStorage();
  kept.set("parlance.outbox.run_a", "sent at once");
  const storage = createPersonalStorage(kept);
  storage.set("parlance.draft.new", "typed at once");
  expect(storage.switchTo(owner)).toBe("inherited");
  expect(storage.get("parlance.draft.new")).toBe("typed at once");
  expect(storage.get("parlance.outbox.run_a")).toBe("sent at once");
  storage.switchTo(visitor("v"));
  expect(storage.keys("parlance.")).toEqual([]);
});

test("gives the texts of a visitor whose session was lost to the next visitor, even after a reload", () => {
  const kept = memoryStorage();
  const before = createPersonalStorage(kept);
  before.switchTo(visitor("v"));
  before.set("parlance.draft.thread_a", "half a thought");
  const after = createPersonalStorage(kept);
  expect(after.get("parlance.draft.thread_a")).toBe("half a thought");
  expect(after.switchTo(visitor("v"))).toBe("same");
  expect(after.switchTo(visitor("w"))).toBe("inherited");
  expect(after.get("parlance.draft.thread_a")).toBe("half a thought");
});

test("deletes the user's texts and panels, and those of nobody else", () => {
  const kept = memoryStorage();
  kept.set("parlance.panels.thread_a@usr_other", "another's");
  const storage = createPersonalStorage(kept);
  storage.switchTo(owner);
  for (const key of ["parlance.draft.new", "parlance.panels.thread_a", "parlance.width"])
    storage.set(key, "mine");
  storage.clear();
  expect(kept.keys("parlance.").toSorted()).toEqual([
    "parlance.panels.thread_a@usr_other",
    "parlance.person",
    "parlance.width@usr_owner",
  ]);
});

test("a visitor who signs in takes panels along, beside those of the account", () => {
  const kept = memoryStorage();
  kept.set("parlance.panels.thread_a@usr_owner", "the owner's");
  const storage = createPersonalStorage(kept);
  storage.switchTo(visitor("v"));
  storage.set("parlance.panels.thread_b", "the visitor's");
  expect(storage.switchTo({ ...owner, hasAccount: true })).toBe("inherited");
  expect(storage.get("parlance.panels.thread_a")).toBe("the owner's");
  expect(storage.get("parlance.panels.thread_b")).toBe("the visitor's");
  expect(kept.keys("parlance.panels.")).toHaveLength(2);
});

test("does not treat an @ in a tool call's id as an owner", () => {
  const storage = createPersonalStorage(memoryStorage());
  storage.set("parlance.answers.run_a.call@usr", "yes");
  storage.switchTo(owner);
  expect(storage.keys("parlance.answers.")).toEqual(["parlance.answers.run_a.call@usr"]);
});

test.each(["{", "null", "7", '{"userId":1}'])("has no owner if the stored owner is %s", (broken) => {
  const kept = memoryStorage();
  kept.set("parlance.person", broken);
  expect(createPersonalStorage(kept).ownerId()).toBeUndefined();
});
