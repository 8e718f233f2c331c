import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createDrafts } from "./draft.ts";
import { createSafeStorage } from "./safe-storage.ts";

class FakeStorage {
  [key: string]: unknown;
  getItem(key: string) {
    return (this[key] as string | undefined) ?? null;
  }
  setItem(key: string, text: string) {
    if (text.includes("too much")) throw new Error("QuotaExceededError");
    this[key] = text;
  }
  removeItem(key: string) {
    delete this[key];
  }
}

const device = () => {
  const storage = new FakeStorage();
  return { storage, safe: createSafeStorage(() => storage as unknown as Storage) };
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("keeps a draft per thread and one for the new chat, over a reload", () => {
  const { safe } = device();
  const drafts = createDrafts(safe);
  drafts.write("thread_a", "for a");
  drafts.write(undefined, "for a new one");
  vi.advanceTimersByTime(300);
  const reloaded = createDrafts(safe);
  expect(reloaded.read("thread_a")).toBe("for a");
  expect(reloaded.read(undefined)).toBe("for a new one");
  expect(reloaded.read("thread_b")).toBe("");
});

test("waits for a pause in the typing, but not when the page goes away", () => {
  const { storage, safe } = device();
  const drafts = createDrafts(safe);
  drafts.write("thread_a", "h");
  drafts.write("thread_a", "he");
  expect(Object.keys(storage)).toEqual([]);
  drafts.flush();
  expect(storage["parlance.draft.thread_a"]).toBe("he");
});

test("reads what was not written to the device yet", () => {
  const drafts = createDrafts(device().safe);
  drafts.write("thread_a", "now");
  expect(drafts.read("thread_a")).toBe("now");
});

test("leaves nothing behind of an empty draft", () => {
  const { storage, safe } = device();
  const drafts = createDrafts(safe);
  drafts.write("thread_a", "x");
  drafts.flush();
  drafts.write("thread_a", "");
  drafts.flush();
  expect(Object.keys(storage)).toEqual([]);
});

test("goes on in memory where the device is full or forbids it", () => {
  const full = createDrafts(device().safe);
  full.write("thread_a", "short");
  full.flush();
  full.write("thread_a", "too much");
  full.flush();
  expect(full.read("thread_a")).toBe("too much");

  const forbidden = createDrafts(
    createSafeStorage(() => {
      throw new Error("SecurityError");
    }),
  );
  forbidden.write("thread_a", "kept");
  forbidden.flush();
  expect(forbidden.read("thread_a")).toBe("kept");
});
