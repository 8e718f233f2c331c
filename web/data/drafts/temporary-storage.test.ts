import { expect, test } from "vitest";
import { memoryStorage } from "#web/testing/memory-storage.ts";
import { createDrafts } from "./draft.ts";
import { createSafeStorage } from "./safe-storage.ts";
import { createPersonalStorage } from "./personal-storage.ts";
import { createUnsentStorage, temporaryDraft } from "./temporary-storage.ts";

const ada = { userId: "usr_ada", isVisitor: false };

test("the draft of a new temporary chat is only in its tab, and only for the person who typed it", () => {
  const [device, tab, otherTab] = [memoryStorage(), memoryStorage(), memoryStorage()];
  const storage = createPersonalStorage(createUnsentStorage(device, tab));
  storage.switchTo(ada);
  const drafts = createDrafts(storage, tab);
  drafts.write("new", "an ordinary one");
  drafts.write(temporaryDraft, "a secret");
  drafts.flush();
  expect(device.keys("parlance.draft").map((key) => device.get(key))).toEqual(["an ordinary one"]);
  const reloaded = createPersonalStorage(createUnsentStorage(device, tab));
  expect(createDrafts(reloaded, tab).read(temporaryDraft)).toBe("a secret");
  const other = createPersonalStorage(createUnsentStorage(device, otherTab));
  expect(createDrafts(other, otherTab).read(temporaryDraft)).toBe("");
  reloaded.switchTo({ userId: "usr_ben", isVisitor: false });
  expect(createDrafts(reloaded, tab).read(temporaryDraft)).toBe("");
  drafts.clear((topic) => topic === temporaryDraft);
  expect(tab.keys("parlance.draft.")).toEqual([]);
  expect(drafts.read("new")).toBe("an ordinary one");
});

test("a text of a temporary chat is at risk when the storage of its tab forbids it", () => {
  const stored = new Map<string, string>();
  const device = createSafeStorage(
    () =>
      ({
        getItem: (key: string) => stored.get(key) ?? null,
        setItem: (key: string, text: string) => void stored.set(key, text),
      }) as Storage,
  );
  const storage = createUnsentStorage(device, memoryStorage());
  storage.set("parlance.draft.new", "an ordinary one");
  expect(storage.isAtRisk("parlance.draft.")).toBe(false);
  storage.set(`parlance.draft.${temporaryDraft}`, "a secret");
  expect(storage.isAtRisk("parlance.draft.")).toBe(true);
});
