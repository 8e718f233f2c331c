import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Nearer to the end than this, in CSS pixels, a reader is at the end. */
const atEnd = 32;

/** Farther from the end than this, the way back is offered. */
const away = 160;

export type Follow = {
  scroller: React.RefObject<HTMLDivElement | null>;
  content: React.RefObject<HTMLDivElement | null>;
  /** The reader is well above the end. */
  isAway: boolean;
  /** By how much the content has grown below a reader who is away, in CSS pixels. */
  grownBy: number;
  toEnd(): void;
  /** Puts this message in the middle and stays with it. */
  toMessage(element: HTMLElement): void;
};

/**
 * Keeps a growing column where its reader wants it: at the end, as long as the reader is there and an answer is being
 * written; otherwise exactly where it is, whatever is added above or below. `topic` names what is shown: a new one
 * begins at its end.
 */
export function useFollow(topic: string, isRunning: boolean, isEmpty: boolean): Follow {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const state = useRef({ follows: true, settles: true, top: 0, height: 0, leftAt: 0, isRunning, isEmpty });
  const anchor = useRef<{ element: Element; top: number }>(undefined);
  const [isAway, setAway] = useState(false);
  const [grownBy, setGrownBy] = useState(0);
  Object.assign(state.current, { isRunning, isEmpty });

  const measure = useCallback(() => {
    const box = scroller.current;
    if (box === null) return;
    const now = state.current;
    now.top = box.scrollTop;
    now.height = box.scrollHeight;
    anchor.current = now.follows ? undefined : topmostMessage(box);
    const isFar = endDistance(box) > away && !now.follows;
    if (!isFar) now.leftAt = box.scrollHeight;
    setAway(isFar);
    setGrownBy(isFar ? Math.max(0, box.scrollHeight - now.leftAt) : 0);
  }, []);

  const toEnd = useCallback(() => {
    const box = scroller.current;
    if (box === null) return;
    state.current.follows = true;
    // A page without messages has no end to be at, and begins with its greeting.
    box.scrollTop = state.current.isEmpty ? 0 : box.scrollHeight;
    measure();
  }, [measure]);

  const toMessage = useCallback(
    (element: HTMLElement) => {
      Object.assign(state.current, { follows: false, settles: false });
      element.scrollIntoView({ block: "center" });
      measure();
      anchor.current = { element, top: element.getBoundingClientRect().top };
    },
    [measure],
  );

  useLayoutEffect(() => {
    Object.assign(state.current, { follows: true, settles: true });
    toEnd();
  }, [topic, toEnd]);

  // A reader who asks for an answer wants to see it come.
  useLayoutEffect(() => {
    if (isRunning) toEnd();
  }, [isRunning, toEnd]);

  // The greeting may stand scrolled away from the field below it; the first message does not.
  useLayoutEffect(() => {
    if (!isEmpty && state.current.follows) toEnd();
  }, [isEmpty, toEnd]);

  useEffect(() => {
    const box = scroller.current;
    const column = content.current;
    if (box === null || column === null) return undefined;
    const now = state.current;
    const stop = new AbortController();
    const { signal } = stop;

    const settle = () => {
      const keepsEnd = now.follows && !now.isEmpty && (now.isRunning || now.settles);
      const grown = box.scrollHeight - now.height;
      if (keepsEnd) box.scrollTop = box.scrollHeight;
      else {
        const above = hold(box, anchor.current);
        // New is what an answer adds below; neither what came in above nor what a reader opened.
        now.leftAt += now.isRunning ? above : grown;
      }
      measure();
    };
    const watch = new ResizeObserver(settle);
    watch.observe(column);
    watch.observe(box);

    const onScroll = () => {
      const movedUp = box.scrollTop < now.top - 1 && box.scrollHeight >= now.height;
      if (movedUp) now.follows = false;
      // A step up is a wish to stay, however small; only a way down leads back to the end.
      else if (endDistance(box) <= atEnd) now.follows = true;
      measure();
    };
    const onTouch = () => void (now.settles = false);
    const letGo = (event: Event) => {
      onTouch();
      if (event instanceof WheelEvent && event.deltaY < 0 && box.scrollTop > 0) now.follows = false;
    };
    box.addEventListener("scroll", onScroll, { passive: true, signal });
    box.addEventListener("wheel", letGo, { passive: true, signal });
    box.addEventListener("touchmove", onTouch, { passive: true, signal });
    box.addEventListener("keydown", onTouch, { signal });
    // What a reader opens stays under the pointer.
    column.addEventListener(
      "click",
      (event) => {
        onTouch();
        if (event.target instanceof Element && event.target.closest("[aria-expanded]") !== null) {
          now.follows = false;
          anchor.current = topmostMessage(box);
        }
      },
      { signal, capture: true },
    );
    return () => {
      stop.abort();
      watch.disconnect();
    };
  }, [measure]);

  return { scroller, content, isAway, grownBy, toEnd, toMessage };
}

function endDistance(box: HTMLElement): number {
  return box.scrollHeight - box.clientHeight - box.scrollTop;
}

/** The first message whose foot is in view, and where its head is. */
function topmostMessage(box: HTMLElement): { element: Element; top: number } | undefined {
  const edge = box.getBoundingClientRect().top;
  for (const element of box.querySelectorAll("[data-message-id]")) {
    const { top, bottom } = element.getBoundingClientRect();
    if (bottom > edge) return { element, top };
  }
  return undefined;
}

/** Scrolls so that the anchor is where it was; by how much, in CSS pixels, what stands above it has grown. */
function hold(box: HTMLElement, anchor: { element: Element; top: number } | undefined): number {
  if (anchor === undefined || !anchor.element.isConnected) return 0;
  const moved = anchor.element.getBoundingClientRect().top - anchor.top;
  if (Math.abs(moved) < 1) return 0;
  box.scrollTop += moved;
  return moved;
}
