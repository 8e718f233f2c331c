import { useEffect, useMemo } from "react";
import { useSearch } from "@tanstack/react-router";
import { deviceStorage } from "#web/data/drafts/device-storage.ts";
import { isTemporaryTopic } from "#web/data/drafts/temporary-storage.ts";
import { useSession } from "#web/data/session/session.ts";
import { usePanelAddress } from "../panel-address.ts";
import type { PanelSearch } from "../panel-search.ts";
import { createStoredPanels } from "./stored-panels.ts";
import { useScrollPosition } from "./use-scroll-position.ts";

/** The thread that this page showed last. A page that is loaded shows what its address says. */
let shownId: string | undefined;
let isLoaded = false;

/**
 * Keeps what the panel of a thread shows on this device, and shows it again when the person comes back to the thread, at the
 * same place. Where the panel covers the thread, the person sees the thread first.
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
  const panels = useMemo(
    () =>
      threadId === undefined || userId === undefined || isTemporaryTopic(threadId)
        ? undefined
        : createStoredPanels(deviceStorage, userId),
    [threadId, userId],
  );
  const shown = search.panel === undefined ? undefined : JSON.stringify(search);
  useEffect(() => {
    if (userId === undefined) return;
    const wasLoaded = isLoaded;
    const hasCome = wasLoaded && shownId !== threadId;
    isLoaded = true;
    shownId = threadId;
    if (threadId === undefined || panels === undefined) return;
    const before = panels.get(threadId);
    if (shown !== undefined) {
      const isSame = before !== undefined && JSON.stringify(before.search) === shown;
      panels.set(threadId, { search, top: isSame ? before.top : 0 });
    } else if (wasLoaded && !hasCome) panels.set(threadId, undefined);
    else if (hasCome && before !== undefined && !isOver && messageId === undefined)
      void address.update({ ...before.search, full: undefined });
    // Only when the thread or its panel changes.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [panels, threadId, shown]);
  useScrollPosition(panels === undefined ? undefined : shown, {
    read: () => (threadId === undefined ? 0 : (panels?.get(threadId)?.top ?? 0)),
    write(top) {
      if (threadId !== undefined) panels?.set(threadId, { search, top });
    },
  });
  return null;
}
