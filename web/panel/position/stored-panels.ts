import type { ResponseOf } from "#contract/api.ts";
import { panelsPrefix } from "#web/data/drafts/personal-storage.ts";
import type { SafeStorage } from "#web/data/drafts/safe-storage.ts";
import type { ServerPanel } from "#web/data/panels/panel-writer.ts";
import { serviceNowMs } from "#web/data/session/service-clock.ts";
import { type PanelSearch, panelSearch } from "../panel-search.ts";

/**
 * What the panel of a thread shows, how far it is scrolled, in CSS pixels, and when the person changed it, by the server's
 * clock. `search` is empty if the person closed it.
 */
export type StoredPanel = { search: PanelSearch; top: number; at: number };

/** The threads whose panels were changed last. */
const threadsMax = 100;

/** The panels of a person's threads on this device. */
export function createStoredPanels(
  storage: Pick<SafeStorage, "get" | "set" | "remove" | "keys">,
  userId: string,
  now = serviceNowMs,
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
    set(threadId: string, { search, top, at = now() }: Omit<StoredPanel, "at"> & { at?: number }): void {
      const key = keyOf(threadId);
      if (storage.get(key) === undefined) keepLatest();
      storage.set(key, JSON.stringify({ search, top, at }));
    },
  };
}

export function toServer({ search: { panel, v, view, base }, top }: Omit<StoredPanel, "at">): ServerPanel {
  if (panel === undefined) return null;
  return {
    key: panel,
    ...(v === undefined ? {} : { version: v }),
    ...(view === undefined ? {} : { view }),
    ...(base === undefined ? {} : { base }),
    top,
  };
}

export function fromServer({ panel, updated_at: at }: ResponseOf<"threads.panel">): StoredPanel {
  const { key, version: v, view, base, top = 0 } = panel ?? {};
  return {
    search: panelSearch({ panel: key, v, view, base }),
    top,
    at: at === null ? 0 : Date.parse(at),
  };
}

function readEntry(text: string | undefined): StoredPanel | undefined {
  try {
    const { search, top, at } = JSON.parse(text ?? "") as Record<string, unknown>;
    return {
      search: panelSearch((search ?? {}) as Record<string, unknown>),
      top: typeof top === "number" ? top : 0,
      at: typeof at === "number" ? at : 0,
    };
  } catch {
    return undefined;
  }
}
