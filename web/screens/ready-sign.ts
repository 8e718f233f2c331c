import { useEffect, useRef } from "react";
import { useThreadList } from "#web/data/threads.ts";
import { createStore } from "#web/ui/store.ts";

/** Whether an answer was finished while nobody looked at this tab. */
const ready = createStore(false);

export const useIsReady = ready.use;

/** Lets the tab's title and icon say that an answer is ready, until somebody looks. */
export function useReadySign(): void {
  const { threads } = useThreadList("regular");
  const running = threads.flatMap(({ active_run_id: id }) => (id === null ? [] : [id])).join(" ");
  const before = useRef<string[]>([]);
  const isReady = useIsReady();

  useEffect(() => {
    const now = running === "" ? [] : running.split(" ");
    if (document.hidden && before.current.some((id) => !now.includes(id))) ready.set(true);
    before.current = now;
  }, [running]);

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
