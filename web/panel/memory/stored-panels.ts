import { panelsPrefix } from "#web/data/drafts/personal-storage.ts";
import type { SafeStorage } from "#web/data/drafts/safe-storage.ts";
import { type PanelSearch, panelSearch } from "../panel-search.ts";

/** What the panel of a thread shows, and how far it is scrolled, in CSS pixels. */
export type StoredPanel = { search: PanelSearch; top: number };

/** The threads that were shown last. */
const threadsMax = 100;

/** The open panels of a person's threads on this device. */
export function createStoredPanels(
  storage: Pick<SafeStorage, "get" | "set" | "remove" | "keys">,
  userId: string,
  now = Date.now,
) {
  const keyOf = (threadId: string) => `${panelsPrefix}${threadId}@${userId}`;

  function keepLatest(): void {
    const keys = storage.keys(panelsPrefix).filter((key) => key.endsWith(`@${userId}`));
    if (keys.length < threadsMax) return;
    const entries = keys.map((key) => ({ key, at: readEntry(storage.get(key))?.at ?? 0 }));
    const oldest = entries.toSorted((a, b) => b.at - a.at).slice(threadsMax - 1);
    for (const { key } of oldest) storage.remove(key);
  }

  return {
    get: (threadId: string): StoredPanel | undefined => readEntry(storage.get(keyOf(threadId))),
    set(threadId: string, panel: StoredPanel): void {
      const key = keyOf(threadId);
      if (storage.get(key) === undefined) keepLatest();
      storage.set(key, JSON.stringify({ ...panel, at: now() }));
    },
    remove: (threadId: string): void => storage.remove(keyOf(threadId)),
  };
}

function readEntry(text: string | undefined): (StoredPanel & { at: number }) | undefined {
  try {
    const { search, top, at } = JSON.parse(text ?? "{}") as Record<string, unknown>;
    const valid = panelSearch((search ?? {}) as Record<string, unknown>);
    if (valid.panel === undefined) return undefined;
    return {
      search: valid,
      top: typeof top === "number" ? top : 0,
      at: typeof at === "number" ? at : 0,
    };
  } catch {
    return undefined;
  }
}
