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
      const boxes = scrollBoxes();
      const reaches = (each: HTMLElement) => each.scrollHeight - each.clientHeight >= top;
      const box = boxes.find(reaches) ?? boxes[0];
      // In a higher window than before, as far as it goes.
      if (box !== undefined) box.scrollTop = top;
      isRestoring = (box === undefined || !reaches(box)) && performance.now() < endsAt;
      requestAnimationFrame(restore);
    };
    restore();
    for (const type of ["wheel", "pointerdown", "keydown"])
      addEventListener(type, () => (isRestoring = false), { signal, capture: true, passive: true });

    let known = top;
    let latest: number | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = () => {
      clearTimeout(timer);
      // A position that was restored is rounded.
      if (latest !== undefined && Math.abs(latest - known) > 1) write((known = latest));
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
    // Before the listener that sends it to the server.
    addEventListener("pagehide", flush, { signal, capture: true });
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
