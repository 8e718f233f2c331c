import { useEffect, useMemo, useRef } from "react";
import { useSearch } from "@tanstack/react-router";
import { deviceStorage } from "#web/data/drafts/device-storage.ts";
import { isTemporaryTopic } from "#web/data/drafts/temporary-storage.ts";
import { useSession } from "#web/data/session/session.ts";
import { useThread } from "#web/data/threads/threads.ts";
import { usePanelAddress } from "../panel-address.ts";
import { panelSearch, type PanelSearch } from "../panel-search.ts";
import { createStoredPanels } from "./stored-panels.ts";
import { useScrollPosition } from "./use-scroll-position.ts";

/** A page that is loaded shows what its address says. */
let isLoaded = false;

/**
 * Keeps what the panel of a thread shows on this device, and shows it again when the person comes back to the thread, at the
 * same place. Where the panel covers the thread, the person sees the thread first. A temporary thread is not remembered, nor
 * is one that may be temporary.
 */
export function PanelMemory({
  threadId,
  search,
  isOver,
}: {
  threadId: string | undefined;
  search: PanelSearch;
  isOver: boolean;
}) {
  const userId = useSession().me?.user_id;
  const { m: messageId } = useSearch({ strict: false });
  const address = usePanelAddress(threadId ?? "");
  const isKept = useThread(threadId).thread?.temporary_until === null;
  const panels = useMemo(
    () => (isKept && userId !== undefined ? createStoredPanels(deviceStorage, userId) : undefined),
    [isKept, userId],
  );
  const kept = panelSearch({ ...search, full: undefined });
  const shown = kept.panel === undefined ? undefined : JSON.stringify(kept);
  const visit = useRef<{ threadId: string | undefined; hasCome: boolean; wasOpen: boolean }>(undefined);
  useEffect(() => {
    if (visit.current === undefined || visit.current.threadId !== threadId)
      visit.current = { threadId, hasCome: isLoaded, wasOpen: false };
    isLoaded = true;
    if (threadId === undefined || panels === undefined || isTemporaryTopic(threadId)) return;
    const { hasCome, wasOpen } = visit.current;
    visit.current = { threadId, hasCome: false, wasOpen: shown !== undefined };
    const before = panels.get(threadId);
    if (shown !== undefined) {
      const isSame = before !== undefined && JSON.stringify(before.search) === shown;
      panels.set(threadId, { search: kept, top: isSame ? before.top : 0 });
    } else if (wasOpen) panels.remove(threadId);
    else if (hasCome && before !== undefined && !isOver && messageId === undefined)
      void address.update(before.search);
    // Only when the thread or its panel changes.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [panels, threadId, shown]);
  useScrollPosition(panels === undefined || shown === undefined ? undefined : `${threadId} ${shown}`, () => ({
    top: threadId === undefined ? 0 : (panels?.get(threadId)?.top ?? 0),
    write(top) {
      if (threadId !== undefined && !isTemporaryTopic(threadId)) panels?.set(threadId, { search: kept, top });
    },
  }));
  return null;
}
