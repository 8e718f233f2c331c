import { useEffect } from "react";
import { useServices } from "#web/data/provider.tsx";
import { watchAnswers } from "#web/data/sync/watch-answers.ts";
import { createStore } from "#web/lib/store.ts";
import { useWindowEvent } from "#web/lib/use-window-event.ts";

/** Whether an answer was completed while this tab was hidden. */
const ready = createStore(false);

export const useIsReady = ready.use;

/** Shows in the tab's title and icon that an answer is complete, until the tab is visible. */
export function useReadyBadge(): void {
  const { queries } = useServices();
  const isReady = useIsReady();

  useEffect(
    () =>
      watchAnswers(queries, () => {
        if (document.hidden) ready.set(true);
      }),
    [queries],
  );

  useWindowEvent("visibilitychange", () => {
    if (!document.hidden) ready.set(false);
  });

  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>("link[rel='icon']");
    if (icon !== null)
      icon.href = icon.href.replace(/favicon(-ready)?\.svg/, isReady ? "favicon-ready.svg" : "favicon.svg");
  }, [isReady]);
}
