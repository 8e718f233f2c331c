import { useEffect } from "react";
import { useServices } from "#web/data/provider.tsx";
import { watchAnswers } from "#web/data/sync/watch-answers.ts";
import { createStore } from "#web/lib/store.ts";

/** Whether an answer was finished while nobody looked at this tab. */
const ready = createStore(false);

export const useIsReady = ready.use;

/** Lets the tab's title and icon say that an answer is ready, until somebody looks. */
export function useReadySign(): void {
  const { queries } = useServices();
  const isReady = useIsReady();

  useEffect(
    () =>
      watchAnswers(queries, () => {
        if (document.hidden) ready.set(true);
      }),
    [queries],
  );

  useEffect(() => {
    const look = () => {
      if (!document.hidden) ready.set(false);
    };
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);

  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>("link[rel='icon']");
    if (icon !== null)
      icon.href = icon.href.replace(/favicon(-ready)?\.svg/, isReady ? "favicon-ready.svg" : "favicon.svg");
  }, [isReady]);
}
