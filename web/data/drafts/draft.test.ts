import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { memoryStorage } from "#web/testing/memory-storage.ts";
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

test("keeps one draft per thread and one for the new chat over a reload", () => {
  const { safe } = device();
  const drafts = createDrafts(safe, safe);
  drafts.write("thread_a", "for a");
  drafts.write("new", "for a new one");
  vi.advanceTimersByTime(300);
  const reloaded = createDrafts(safe, safe);
  expect(reloaded.read("thread_a")).toBe("for a");
  expect(reloaded.read("new")).toBe("for a new one");
  expect(reloaded.read("thread_b")).toBe("");
});

test("stores a draft a moment after it is typed, or at once on flush", () => {
  const { storage, safe } = device();
  const drafts = createDrafts(safe, safe);
  drafts.write("thread_a", "h");
  drafts.write("thread_a", "he");
  expect(Object.keys(storage)).toEqual([]);
  drafts.flush();
  expect(storage["parlance.draft.thread_a"]).toBe("he");
});

test("reads a draft that is not stored yet", () => {
  const drafts = createDrafts(device().safe, device().safe);
  drafts.write("thread_a", "now");
  expect(drafts.read("thread_a")).toBe("now");
});

test("removes the key of an empty draft", () => {
  const { storage, safe } = device();
  const drafts = createDrafts(safe, safe);
  drafts.write("thread_a", "x");
  drafts.flush();
  drafts.write("thread_a", "");
  drafts.flush();
  expect(Object.keys(storage)).toEqual([]);
});

test("keeps drafts in memory if the device is full or forbids storage", () => {
  const full = createDrafts(device().safe, device().safe);
  full.write("thread_a", "short");
  full.flush();
  full.write("thread_a", "too much");
  full.flush();
  expect(full.read("thread_a")).toBe("too much");

  const forbidden = createDrafts(memoryStorage(), device().safe);
  forbidden.write("thread_a", "kept");
  forbidden.flush();
  expect(forbidden.read("thread_a")).toBe("kept");
});

/** Two tabs of one browser, each with a field for the same thread. */
function twoTabs() {
  const kept: Record<string, string> = {};
  const ends = [new EventTarget(), new EventTarget()] as const;
  const tab = (own: EventTarget, other: EventTarget, session = device().safe) => {
    const notify = (key: string, newValue: string | null) =>
      other.dispatchEvent(Object.assign(new Event("storage"), { key, newValue }));
    const methods = {
      getItem: (key: string) => kept[key] ?? null,
      setItem(key: string, text: string) {
        kept[key] = text;
        notify(key, text);
      },
      removeItem(key: string) {
        if (!(key in kept)) return;
        delete kept[key];
        notify(key, null);
      },
    };
    const storage = new Proxy(kept, { get: (_, name) => methods[name as keyof typeof methods] });
    const drafts = createDrafts(
      createSafeStorage(() => storage as unknown as Storage, own),
      session,
    );
    const field = { text: drafts.read("thread_a") };
    const close = drafts.follow("thread_a", (text) => (field.text = text));
    return {
      drafts,
      shows: () => field.text,
      types(text: string) {
        field.text = text;
        drafts.write("thread_a", text);
        drafts.flush();
      },
      sends() {
        const { text } = field;
        field.text = "";
        drafts.sent("thread_a", text);
      },
      close,
      reloaded() {
        close();
        return tab(own, other, session);
      },
    };
  };
  const [here, there] = ends;
  return { kept, first: tab(here, there), second: tab(there, here), third: () => tab(here, there) };
}

test("shows what is typed in another tab in a field that was not typed in", () => {
  const { first, second } = twoTabs();
  first.types("half a");
  expect(second.shows()).toBe("half a");
  second.types("half a thought");
  expect(first.shows()).toBe("half a thought");
  second.types("");
  expect(first.shows()).toBe("");
});

test("keeps the different texts of two tabs, over a reload of both", () => {
  const { first, second, kept } = twoTabs();
  first.types("of the first");
  second.types("");
  second.types("of the second");
  expect([first.shows(), second.shows()]).toEqual(["of the first", "of the second"]);
  const [one, two] = [first.reloaded(), second.reloaded()];
  expect([one.shows(), two.shows()]).toEqual(["of the first", "of the second"]);
  two.types("of the second, and on");
  expect(one.shows()).toBe("of the first");
  one.sends();
  two.sends();
  expect(kept).toEqual({});
});

test("shows a sent text in no tab again", () => {
  const { first, second, kept } = twoTabs();
  first.types("send me once");
  second.sends();
  expect([first.shows(), second.shows()]).toEqual(["", ""]);
  expect(first.reloaded().shows()).toBe("");
  expect(kept).toEqual({});
});

test("shows the text of a closed tab again once no other text is in its place", () => {
  const { first, second, third } = twoTabs();
  first.types("of the first");
  second.types("of the second");
  first.close();
  expect(second.reloaded().shows()).toBe("of the second");
  second.sends();
  const next = third();
  expect(next.shows()).toBe("of the first");
  next.types("of the first, and on");
  expect(third().shows()).toBe("of the first, and on");
});

test.each(["sends", "empties its field"])(
  "keeps the text of a closed tab when another tab %s and types on",
  (what) => {
    const { first, second, third } = twoTabs();
    first.types("of the first");
    second.types("of the second");
    second.close();
    if (what === "sends") first.sends();
    else first.types("");
    first.types("n");
    first.types("next of the first");
    const [one, other] = [first.reloaded(), third()];
    expect([one.shows(), other.shows()]).toEqual(["next of the first", "of the second"]);
    one.types("");
    expect(one.reloaded().shows()).toBe("of the second");
  },
);

test("continues in one tab with the text of a closed tab that its field shows", () => {
  const { first, second, third, kept } = twoTabs();
  first.types("of the first");
  second.types("of the first, and on");
  second.close();
  first.types("of the first, and on and on");
  expect(third().shows()).toBe("of the first, and on and on");
  first.sends();
  expect(kept).toEqual({});
});

test("does not show a part of a sent text again that a closed tab had left", () => {
  const { first, second, third, kept } = twoTabs();
  first.types("one and two");
  second.types("one");
  second.close();
  first.sends();
  expect(third().shows()).toBe("");
  expect(kept).toEqual({});
});

test("does not overwrite a text of another tab that this one has not shown yet", () => {
  const { first, kept } = twoTabs();
  first.types("of the first");
  kept["parlance.draft.thread_a"] = "of the second";
  first.types("of the first, and on");
  expect(Object.values(kept).toSorted()).toEqual(["of the first, and on", "of the second"]);
  first.sends();
  expect(Object.values(kept)).toEqual(["of the second"]);
});

test("lists the edited messages that have a draft", () => {
  const { safe } = device();
  const drafts = createDrafts(safe, device().safe);
  drafts.write("edit.msg_a", "other words");
  drafts.write("thread_a", "no edit");
  drafts.flush();
  expect([...createDrafts(safe, device().safe).edits.get()]).toEqual(["edit.msg_a"]);
  drafts.sent("edit.msg_a", "other words");
  expect([...drafts.edits.get()]).toEqual([]);
  expect([...createDrafts(safe, device().safe).edits.get()]).toEqual([]);
});
