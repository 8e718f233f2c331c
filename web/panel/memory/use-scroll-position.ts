import { useEffect, useEffectEvent } from "react";

/** What is shown may still be loaded, or be written by a parser. */
const restoreMaxMs = 5_000;
const writeAfterMs = 200;

/**
 * Scrolls the panel back to where it was, and keeps its position. `shown`: what it shows; `undefined` without a panel.
 * `remembered`: its last position, and what keeps the next ones.
 */
export function useScrollPosition(
  shown: string | undefined,
  remembered: () => { top: number; write(top: number): void },
): void {
  const open = useEffectEvent(remembered);
  useEffect(() => {
    if (shown === undefined) return undefined;
    const stop = new AbortController();
    const { signal } = stop;
    const { top, write } = open();
    const endsAt = performance.now() + (top > 0 ? restoreMaxMs : 0);
    let isRestoring = top > 0;
    const restore = () => {
      if (!isRestoring || signal.aborted) return;
      const box = scrollBoxes().find((each) => each.scrollHeight - each.clientHeight >= top);
      if (box !== undefined) box.scrollTop = top;
      isRestoring = box === undefined && performance.now() < endsAt;
      requestAnimationFrame(restore);
    };
    restore();
    for (const type of ["wheel", "pointerdown", "keydown"])
      addEventListener(type, () => (isRestoring = false), { signal, capture: true, passive: true });

    let latest: number | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = () => {
      clearTimeout(timer);
      if (latest !== undefined) write(latest);
      latest = undefined;
    };
    const onScroll = ({ target }: Event) => {
      const box = scrollBoxes().find((each) => each === target);
      if (box === undefined || isRestoring) return;
      latest = Math.round(box.scrollTop);
      clearTimeout(timer);
      timer = setTimeout(flush, writeAfterMs);
    };
    addEventListener("scroll", onScroll, { signal, capture: true, passive: true });
    addEventListener("pagehide", flush, { signal });
    return () => {
      stop.abort();
      flush();
    };
  }, [shown]);
}

/** The boxes that scroll most of what the panel shows, not those of code or tables in it. */
function scrollBoxes(): HTMLElement[] {
  const panel = document.querySelector<HTMLElement>("[data-panel]");
  if (panel === null) return [];
  return [...panel.querySelectorAll<HTMLElement>("[tabindex]")].filter(
    ({ clientHeight, scrollHeight }) => clientHeight > panel.clientHeight / 2 && scrollHeight > clientHeight,
  );
}
