import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Nearer to the end than this, in CSS pixels, a reader is at the end. */
const atEnd = 32;

/** Farther from the end than this, the way back is offered. */
const away = 160;

/** A scroll this soon after an input that can scroll, in milliseconds, is the reader's. */
const inputWindowMs = 1000;

/** Keys that scroll by themselves or by moving the focus. */
const scrollKeys = new Set(["PageUp", "PageDown", "ArrowUp", "ArrowDown", "Home", "End", "Tab"]);

export type Follow = {
  scroller: React.RefObject<HTMLDivElement | null>;
  content: React.RefObject<HTMLDivElement | null>;
  /** The reader is well above the end. */
  isAway: boolean;
  /** How many lines of text have been added below a reader who is away. */
  newLines: number;
  toEnd(): void;
  /** Puts this message in the middle and stays with it. */
  toMessage(element: HTMLElement): void;
};

/**
 * Scrolls a growing column for its reader. A reader at the end stays at the end, whatever is added, until they scroll up
 * or open something; anywhere else, what they read keeps its place while content above or below changes its height.
 * `topic` names what is shown: a new one begins at its end.
 */
export function useFollow(topic: string, isRunning: boolean, isEmpty: boolean): Follow {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const state = useRef({ follows: true, top: 0, height: 0, leftAt: 0, isRunning, isEmpty });
  const anchor = useRef<{ element: Element; top: number }>(undefined);
  const [isAway, setAway] = useState(false);
  const [newLines, setNewLines] = useState(0);
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
    setNewLines(isFar ? Math.max(0, Math.round((box.scrollHeight - now.leftAt) / lineHeight(box))) : 0);
  }, []);

  const toEnd = useCallback(() => {
    const box = scroller.current;
    if (box === null) return;
    state.current.follows = true;
    // An empty thread shows its greeting from the top.
    box.scrollTop = state.current.isEmpty ? 0 : box.scrollHeight;
    measure();
  }, [measure]);

  const toMessage = useCallback(
    (element: HTMLElement) => {
      state.current.follows = false;
      element.scrollIntoView({ block: "center" });
      measure();
      anchor.current = { element, top: element.getBoundingClientRect().top };
    },
    [measure],
  );

  useLayoutEffect(() => toEnd(), [topic, toEnd]);

  // A reader who asks for an answer wants to see it come.
  useLayoutEffect(() => {
    if (isRunning) toEnd();
  }, [isRunning, toEnd]);

  // The greeting may be scrolled away from the composer below it; the first message may not.
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

    const keepPlace = () => {
      const grown = box.scrollHeight - now.height;
      if (now.follows && !now.isEmpty) box.scrollTop = box.scrollHeight;
      else {
        const above = hold(box, anchor.current);
        // Only what an answer adds below counts as new: not what was loaded above, nor what the reader opened.
        now.leftAt += now.isRunning ? above : grown;
      }
      measure();
    };
    const watch = new ResizeObserver(keepPlace);
    watch.observe(box);
    // The messages and, below them, the composer, which grows too.
    for (const part of column.parentElement?.children ?? [column]) watch.observe(part);

    const onScroll = () => {
      const movedUp = box.scrollTop < now.top - 1 && box.scrollHeight >= now.height;
      // However small, a step up means that the reader wants to stay; only scrolling down leads back to the end.
      if (movedUp && isFromReader()) now.follows = false;
      else if (endDistance(box) <= atEnd) now.follows = true;
      measure();
    };
    // A column that shrinks and grows again between two frames moves up too, without anyone having scrolled.
    let lastInputMs = -Infinity;
    const isFromReader = () => performance.now() - lastInputMs < inputWindowMs || !document.hasFocus();
    const onInput = () => void (lastInputMs = performance.now());
    /** What the reader opens or edits stays where it is on the screen. */
    const holdPlace = () => {
      now.follows = false;
      anchor.current = topmostMessage(box);
    };
    box.addEventListener("scroll", onScroll, { passive: true, signal });
    box.addEventListener("touchmove", onInput, { passive: true, signal });
    box.addEventListener(
      "wheel",
      (event) => {
        onInput();
        if (event.deltaY < 0 && box.scrollTop > 0) now.follows = false;
      },
      { passive: true, signal },
    );
    box.addEventListener(
      "pointerdown",
      (event) => {
        if (isOnScrollbar(box, event)) now.follows = false;
      },
      { signal },
    );
    document.addEventListener(
      "keydown",
      (event) => {
        if (scrollKeys.has(event.key)) onInput();
      },
      { signal },
    );
    column.addEventListener(
      "click",
      (event) => {
        if (event.target instanceof Element && event.target.closest("[aria-expanded]") !== null) holdPlace();
      },
      { signal, capture: true },
    );
    column.addEventListener(
      "focusin",
      (event) => {
        if (event.target instanceof HTMLTextAreaElement) holdPlace();
      },
      { signal },
    );
    return () => {
      stop.abort();
      watch.disconnect();
    };
  }, [measure]);

  return { scroller, content, isAway, newLines, toEnd, toMessage };
}

function isOnScrollbar(box: HTMLElement, { clientX }: PointerEvent): boolean {
  const start = box.getBoundingClientRect().left + box.clientLeft;
  return clientX < start || clientX > start + box.clientWidth;
}

/** The height of a line of an answer, in CSS pixels, at the text size that the reader has chosen. */
function lineHeight(box: HTMLElement): number {
  const paragraph = box.querySelector("[data-message-id] p") ?? box;
  const { lineHeight: height, fontSize } = getComputedStyle(paragraph);
  // "normal", where no paragraph is there yet.
  return Number.parseFloat(height) || 1.5 * Number.parseFloat(fontSize);
}

function endDistance(box: HTMLElement): number {
  return box.scrollHeight - box.clientHeight - box.scrollTop;
}

/** The first message whose lower edge is in view, and where its upper edge is. */
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
