import { useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { useSearch } from "@tanstack/react-router";
import type { ResponseOf } from "#contract/api.ts";
import { withoutBase } from "#web/lib/base-path.ts";
import { deviceStorage } from "#web/data/drafts/device-storage.ts";
import { isTemporaryTopic } from "#web/data/drafts/temporary-storage.ts";
import { createPanelWriter } from "#web/data/panels/panel-writer.ts";
import { useServices } from "#web/data/provider.tsx";
import { useSession } from "#web/data/session/session.ts";
import { isUnsent, useThread } from "#web/data/threads/threads.ts";
import { useWindowEvent } from "#web/lib/use-window-event.ts";
import { usePanelAddress } from "../panel-address.ts";
import { panelSearch, type PanelSearch } from "../panel-search.ts";
import { createStoredPanels, fromServer, toServer } from "./stored-panels.ts";
import { useScrollPosition } from "./use-scroll-position.ts";

/** A page that is loaded shows what its address says. This module may load after the person has opened a thread in it. */
let isLoaded = false;
const loadedUrl = new URL(performance.getEntriesByType("navigation")[0]?.name ?? location.href);
const loadedPath = withoutBase(loadedUrl.pathname);

type Visit = {
  threadId: string | undefined;
  /** The person came from another screen, and the panel's former content is not restored yet. */
  needsRestore: boolean;
  wasOpen: boolean;
  /** The page was loaded with an address that says what the panel shows. */
  hasPanelInAddress: boolean;
  /** The thread was not on the server yet, so nothing is stored of its panel. */
  isNew: boolean;
  /** Changed here since the visit began; the server's copy is older. */
  hasChanged: boolean;
};

/**
 * Keeps what the panel of a thread shows, on this device at once and on the server soon, and shows it again when the person
 * comes back to the thread, here or on another device, at the same place. Where the panel covers the thread, the person sees
 * the thread first. A temporary thread is not remembered, nor is one that may be temporary.
 */
export function PanelPosition({
  threadId,
  search,
  isOver,
}: {
  threadId: string | undefined;
  search: PanelSearch;
  isOver: boolean;
}) {
  const services = useServices();
  const { call } = services;
  const userId = useSession().me?.user_id;
  const { m: messageId } = useSearch({ strict: false });
  const address = usePanelAddress(threadId ?? "");
  const isKept = useThread(threadId).thread?.temporary_until === null && !isTemporaryTopic(threadId ?? "");
  const panels = useMemo(
    () => (isKept && userId !== undefined ? createStoredPanels(deviceStorage, userId) : undefined),
    [isKept, userId],
  );
  const writer = useMemo(() => createPanelWriter(call), [call]);
  const [movedTimes, setMovedTimes] = useState(0);
  const kept = panelSearch({ ...search, full: undefined });
  const shown = kept.panel === undefined ? undefined : JSON.stringify(kept);
  const visit = useRef<Visit>(undefined);

  function keep(panel: { search: PanelSearch; top: number }): void {
    if (threadId === undefined) return;
    if (visit.current !== undefined) visit.current.hasChanged = true;
    panels?.set(threadId, panel);
    writer.write(threadId, toServer(panel));
  }

  useEffect(() => {
    if (visit.current === undefined || visit.current.threadId !== threadId) {
      const needsRestore = isLoaded || loadedPath !== `/t/${threadId}`;
      visit.current = {
        threadId,
        needsRestore,
        wasOpen: false,
        hasPanelInAddress: !needsRestore && shown !== undefined,
        isNew: isUnsent(services, threadId),
        hasChanged: false,
      };
    }
    isLoaded = true;
    if (threadId === undefined || panels === undefined) return;
    const { needsRestore, wasOpen, hasPanelInAddress } = visit.current;
    visit.current = { ...visit.current, needsRestore: false, wasOpen: shown !== undefined };
    const before = panels.get(threadId);
    if (shown !== undefined) {
      if (before !== undefined && JSON.stringify(before.search) === shown) return;
      // The panel came from the page's address: only the server may know its scroll position.
      if (hasPanelInAddress && !wasOpen) panels.set(threadId, { search: kept, top: 0, at: 0 });
      else keep({ search: kept, top: 0 });
    } else if (before?.search.panel === undefined) return;
    else if (wasOpen) keep({ search: {}, top: 0 });
    else if (needsRestore && !isOver && messageId === undefined) void address.update(before.search);
    // Only when the thread or its panel changes.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [panels, threadId, shown]);

  const compare = useEffectEvent((of: string, stored: ResponseOf<"threads.panel">) => {
    if (threadId !== of || panels === undefined || visit.current?.hasChanged === true) return;
    const here = panels.get(threadId);
    const there = fromServer(stored);
    const isSame = JSON.stringify(here?.search ?? {}) === JSON.stringify(there.search);
    if (isSame && (here?.top ?? 0) === there.top) return;
    if (here !== undefined && (here.at > there.at || (!isSame && visit.current?.hasPanelInAddress === true)))
      return writer.write(threadId, toServer(here));
    panels.set(threadId, there);
    if (isSame) setMovedTimes((times) => times + 1);
    else if (!isOver && messageId === undefined)
      void address.update({
        v: undefined,
        view: undefined,
        base: undefined,
        panel: undefined,
        ...there.search,
      });
  });
  // On leaving, it writes the last position before the effect below sends it.
  useScrollPosition(
    panels === undefined || shown === undefined ? undefined : `${threadId} ${shown} ${movedTimes}`,
    () => {
      const top = threadId === undefined ? 0 : (panels?.get(threadId)?.top ?? 0);
      return { top, write: (next) => keep({ search: kept, top: next }) };
    },
  );

  useEffect(() => {
    if (threadId === undefined || panels === undefined || visit.current?.isNew === true) return undefined;
    const stop = new AbortController();
    call("threads.panel", { params: { thread_id: threadId } }, stop.signal).then(
      (stored) => compare(threadId, stored),
      () => {},
    );
    return () => {
      stop.abort();
      writer.flush();
    };
  }, [call, writer, panels, threadId]);
  useWindowEvent("visibilitychange", writer.flush);
  useWindowEvent("pagehide", writer.flush);
  return null;
}
