import { expect, test } from "vitest";
import { createSafeStorage } from "./safe-storage.ts";

/** A device with space for `capacity` characters. */
function device(capacity: number) {
  const kept = new Map<string, string>();
  const used = () => [...kept.values()].join("").length;
  const storage = {
    capacity,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem(key: string, text: string) {
      if (used() - (kept.get(key)?.length ?? 0) + text.length > storage.capacity)
        throw new Error("QuotaExceededError");
      kept.set(key, text);
    },
    removeItem: (key: string) => void kept.delete(key),
  };
  return { storage, kept, safe: createSafeStorage(() => storage as unknown as Storage) };
}

test("reports that it is full, loses nothing, and stores everything once there is space", () => {
  const { storage, kept, safe } = device(10);
  safe.set("parlance.draft.a", "12345678");
  expect([safe.state.get(), safe.isAtRisk("parlance.draft.")]).toEqual(["kept", false]);
  safe.set("parlance.draft.a", "123456789 and more");
  safe.set("parlance.outbox.b", "more");
  expect([safe.state.get(), safe.isAtRisk("parlance.draft."), safe.isAtRisk("parlance.answers.")]).toEqual([
    "full",
    true,
    false,
  ]);
  expect(safe.get("parlance.draft.a")).toBe("123456789 and more");
  expect(kept.get("parlance.draft.a")).toBe("12345678");
  storage.capacity = 100;
  safe.set("parlance.theme", "dark");
  expect([safe.state.get(), kept.get("parlance.draft.a"), kept.get("parlance.outbox.b")]).toEqual([
    "kept",
    "123456789 and more",
    "more",
  ]);
});

test("stores what is in memory when something is removed", () => {
  const { safe } = device(10);
  safe.set("parlance.draft.a", "12345678");
  safe.set("parlance.draft.b", "abcdefg");
  expect(safe.isAtRisk("parlance.draft.")).toBe(true);
  safe.remove("parlance.draft.a");
  expect([safe.state.get(), safe.isAtRisk("parlance.draft."), safe.get("parlance.draft.b")]).toEqual([
    "kept",
    false,
    "abcdefg",
  ]);
});

test("reports at once that storage is forbidden, and keeps texts in memory", () => {
  const closed = createSafeStorage(() => {
    throw new Error("SecurityError");
  });
  expect(closed.state.get()).toBe("forbidden");
  closed.set("parlance.draft.a", "words");
  expect([closed.get("parlance.draft.a"), closed.keys("parlance."), closed.state.get()]).toEqual([
    "words",
    ["parlance.draft.a"],
    "forbidden",
  ]);
});
