import { expect, test } from "vitest";
import { createSafeStorage } from "./safe-storage.ts";

/** A device with room for so many characters. */
function device(room: number) {
  const kept = new Map<string, string>();
  const used = () => [...kept.values()].join("").length;
  const storage = {
    room,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem(key: string, text: string) {
      if (used() - (kept.get(key)?.length ?? 0) + text.length > storage.room)
        throw new Error("QuotaExceededError");
      kept.set(key, text);
    },
    removeItem: (key: string) => void kept.delete(key),
  };
  return { storage, kept, safe: createSafeStorage(() => storage as unknown as Storage) };
}

test("says that it is full, loses nothing meanwhile, and stores all of it once there is room", () => {
  const { storage, kept, safe } = device(10);
  safe.set("parlance.draft.a", "12345678");
  expect([safe.keeping.get(), safe.isAtRisk("parlance.draft.")]).toEqual(["kept", false]);
  safe.set("parlance.draft.a", "123456789 and more");
  safe.set("parlance.outbox.b", "more");
  expect([safe.keeping.get(), safe.isAtRisk("parlance.draft."), safe.isAtRisk("parlance.answers.")]).toEqual([
    "full",
    true,
    false,
  ]);
  expect(safe.get("parlance.draft.a")).toBe("123456789 and more");
  expect(kept.get("parlance.draft.a")).toBe("12345678");
  storage.room = 100;
  safe.set("parlance.theme", "dark");
  expect([safe.keeping.get(), kept.get("parlance.draft.a"), kept.get("parlance.outbox.b")]).toEqual([
    "kept",
    "123456789 and more",
    "more",
  ]);
});

test("tries again what waits when something is taken away", () => {
  const { safe } = device(10);
  safe.set("parlance.draft.a", "12345678");
  safe.set("parlance.draft.b", "abcdefg");
  expect(safe.isAtRisk("parlance.draft.")).toBe(true);
  safe.remove("parlance.draft.a");
  expect([safe.keeping.get(), safe.isAtRisk("parlance.draft."), safe.get("parlance.draft.b")]).toEqual([
    "kept",
    false,
    "abcdefg",
  ]);
});

test("says that it is forbidden before anything is given to it, and keeps what is", () => {
  const closed = createSafeStorage(() => {
    throw new Error("SecurityError");
  });
  expect(closed.keeping.get()).toBe("forbidden");
  closed.set("parlance.draft.a", "words");
  expect([closed.get("parlance.draft.a"), closed.keys("parlance."), closed.keeping.get()]).toEqual([
    "words",
    ["parlance.draft.a"],
    "forbidden",
  ]);
});
