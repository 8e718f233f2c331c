import { panelsKey } from "#web/data/drafts/personal-storage.ts";
import type { SafeStorage } from "#web/data/drafts/safe-storage.ts";
import { type PanelSearch, panelSearch } from "../panel-search.ts";

/** What the panel of a thread shows, and how far it is scrolled, in CSS pixels. */
export type StoredPanel = { search: PanelSearch; top: number };

type Entry = StoredPanel & { threadId: string };

/** The threads that were shown last. */
const entriesMax = 100;

/** The open panels of a person's threads on this device. */
export function createStoredPanels(storage: Pick<SafeStorage, "get" | "set">, userId: string) {
  const key = `${panelsKey}@${userId}`;

  function entries(): Entry[] {
    try {
      const stored: unknown = JSON.parse(storage.get(key) ?? "[]");
      return Array.isArray(stored) ? stored.flatMap(readEntry) : [];
    } catch {
      return [];
    }
  }

  return {
    get: (threadId: string): StoredPanel | undefined =>
      entries().find((entry) => entry.threadId === threadId),
    /** `undefined`: the panel is closed. */
    set(threadId: string, panel: StoredPanel | undefined): void {
      const before = entries();
      const others = before.filter((entry) => entry.threadId !== threadId);
      if (panel === undefined && others.length === before.length) return;
      const all = panel === undefined ? others : [...others, { threadId, ...panel }];
      storage.set(key, JSON.stringify(all.slice(-entriesMax)));
    },
  };
}

function readEntry(stored: unknown): Entry[] {
  const { threadId, search, top } = (stored ?? {}) as { [Name in keyof Entry]?: unknown };
  if (typeof threadId !== "string" || typeof search !== "object" || search === null) return [];
  const valid = panelSearch(search as Record<string, unknown>);
  if (valid.panel === undefined) return [];
  return [{ threadId, search: valid, top: typeof top === "number" ? top : 0 }];
}
