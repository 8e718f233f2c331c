import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** CSS pixels. A reader within this distance of the end is at the end. Beyond it, the button to the end appears. */
const atEndDistance = 32;

/** Controls that expand content in the column. Menus open above it, and the form of a rating is shown at its end. */
const expander = "[aria-expanded]:not([aria-haspopup], [data-thumb-down])";

/** A scroll within this time after an input that can scroll comes from the reader. */
const inputWindowMs = 1000;

/** Keys that scroll directly or by moving the focus. */
const scrollKeys = new Set(["PageUp", "PageDown", "ArrowUp", "ArrowDown", "Home", "End", "Tab"]);

export type AutoScroll = {
  scroller: React.RefObject<HTMLDivElement | null>;
  content: React.RefObject<HTMLDivElement | null>;
  /** Whether the reader is above the end. */
  isAway: boolean;
  /** The number of lines that were added below while the reader was away. */
  newLines: number;
  toEnd(): void;
  /** Scrolls the message to the middle and keeps it there. */
  toMessage(element: HTMLElement): void;
};

/**
 * Scrolls a growing column. A reader at the end stays at the end until they scroll up or expand something. Elsewhere, the
 * visible content keeps its position while content above or below changes its height. A new `topic` starts at its end.
 */
export function useAutoScroll(topic: string, isRunning: boolean, isEmpty: boolean): AutoScroll {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const state = useRef({ follows: true, resumes: false, top: 0, height: 0, leftAt: 0, isRunning, isEmpty });
  const anchor = useRef<Anchor>(undefined);
  /** The control that the reader pressed. Unlike `anchor`, it stays until the next input. */
  const held = useRef<Anchor>(undefined);
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
    const isFar = endDistance(box) > atEndDistance && !now.follows;
    if (!isFar) now.leftAt = box.scrollHeight;
    setAway(isFar);
    setNewLines(isFar ? Math.max(0, Math.round((box.scrollHeight - now.leftAt) / lineHeight(box))) : 0);
  }, []);

  const toEnd = useCallback(() => {
    const box = scroller.current;
    if (box === null) return;
    held.current = undefined;
    state.current.follows = true;
    // An empty thread starts at the top, with its greeting.
    box.scrollTop = state.current.isEmpty ? 0 : box.scrollHeight;
    measure();
  }, [measure]);

  const toMessage = useCallback(
    (element: HTMLElement) => {
      state.current.follows = false;
      element.scrollIntoView({ block: "center" });
      measure();
      anchor.current = { find: () => element, top: element.getBoundingClientRect().top };
    },
    [measure],
  );

  useLayoutEffect(() => toEnd(), [topic, toEnd]);

  // A new run scrolls to its answer. A reader who switches to a version with a run stays at its arrows.
  useLayoutEffect(() => {
    if (isRunning && held.current === undefined) toEnd();
  }, [isRunning, toEnd]);

  // The greeting did not have to be at the end; the first message has to.
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

    /** Keeps the visible content where it is, after other content has changed its height. */
    const keepVisible = () => {
      const grown = box.scrollHeight - now.height;
      // What the reader has scrolled since then stays scrolled.
      const scrolled = box.scrollTop - now.top;
      const moved = anchor.current && { ...anchor.current, top: anchor.current.top - scrolled };
      const above = restoreAnchor(box, held.current ?? moved);
      // Only text that an answer adds below counts as new, not earlier messages or expanded content.
      now.leftAt += now.isRunning ? above : grown;
    };
    const onResize = () => {
      if (now.follows && !now.isEmpty) box.scrollTop = box.scrollHeight;
      else keepVisible();
      if (now.resumes && endDistance(box) <= atEndDistance) now.follows = true;
      measure();
    };
    const observer = new ResizeObserver(onResize);
    observer.observe(box);
    // The messages and the composer below them.
    for (const part of column.parentElement?.children ?? [column]) observer.observe(part);

    const onScroll = () => {
      const movedUp = box.scrollTop < now.top - 1 && box.scrollHeight >= now.height;
      // Any scroll up stops following; only scrolling down to the end starts it again.
      if (movedUp && isFromReader()) stopFollowing();
      else if (endDistance(box) <= atEndDistance) now.follows = true;
      // A frame that scrolls and changes heights reports the scroll first.
      if (!now.follows && box.scrollHeight !== now.height) keepVisible();
      measure();
    };
    // A column that shrinks and grows between two frames moves up as well, without a scroll of the reader.
    let lastInputMs = -Infinity;
    const isFromReader = () => performance.now() - lastInputMs < inputWindowMs || !document.hasFocus();
    const onInput = () => {
      lastInputMs = performance.now();
      held.current = undefined;
    };
    const stopFollowing = () => {
      now.resumes = false;
      if (!now.follows) return;
      now.follows = false;
      // Content above may change its height before the scroll is reported.
      measure();
    };
    /** Keeps the position of content that the reader expands or edits. A reader who was at the end follows again there. */
    const keepPosition = () => {
      now.resumes = now.follows || now.resumes;
      now.follows = false;
      anchor.current = topmostMessage(box);
    };
    box.addEventListener("scroll", onScroll, { passive: true, signal });
    box.addEventListener("touchmove", onInput, { passive: true, signal });
    box.addEventListener(
      "wheel",
      (event) => {
        onInput();
        if (event.deltaY < 0 && box.scrollTop > 0) stopFollowing();
      },
      { passive: true, signal },
    );
    box.addEventListener(
      "pointerdown",
      (event) => {
        held.current = undefined;
        if (isOnScrollbar(box, event)) stopFollowing();
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
        if (!(event.target instanceof Element)) return;
        if (event.target.closest(expander) !== null) keepPosition();
        const control = event.target.closest("[data-holds-position]");
        if (control === null) return;
        stopFollowing();
        held.current = controlAnchor(box, control);
      },
      { signal, capture: true },
    );
    column.addEventListener(
      "focusin",
      (event) => {
        if (event.target instanceof HTMLTextAreaElement) keepPosition();
      },
      { signal },
    );
    return () => {
      stop.abort();
      observer.disconnect();
    };
  }, [measure]);

  return { scroller, content, isAway, newLines, toEnd, toMessage };
}

function isOnScrollbar(box: HTMLElement, { clientX }: PointerEvent): boolean {
  const start = box.getBoundingClientRect().left + box.clientLeft;
  return clientX < start || clientX > start + box.clientWidth;
}

/** The line height of an answer in CSS pixels. */
function lineHeight(box: HTMLElement): number {
  const paragraph = box.querySelector("[data-message-id] p") ?? box;
  const { lineHeight: height, fontSize } = getComputedStyle(paragraph);
  // It is "normal" if there is no paragraph yet.
  return Number.parseFloat(height) || 1.5 * Number.parseFloat(fontSize);
}

function endDistance(box: HTMLElement): number {
  return box.scrollHeight - box.clientHeight - box.scrollTop;
}

/** An element that keeps its position, `top` CSS pixels below the top of the window. */
type Anchor = { find(): Element | null | undefined; top: number } | undefined;

/** The first visible message. */
function topmostMessage(box: HTMLElement): Anchor {
  const edge = box.getBoundingClientRect().top;
  // Not in the blocks far from the viewport, which have no layout.
  for (const element of box.querySelectorAll(":not([data-far]) > [data-message-id]")) {
    const { top, bottom } = element.getBoundingClientRect();
    if (bottom > edge) return { find: () => element, top };
  }
  return undefined;
}

/** The arrows between versions. After a switch, they are in another message at the same place in the thread. */
function controlAnchor(box: HTMLElement, control: Element): Anchor {
  const position = control.closest("[data-position]")?.getAttribute("data-position");
  return {
    find: () => box.querySelector(`[data-position="${position}"] [data-holds-position]`),
    top: control.getBoundingClientRect().top,
  };
}

/** Scrolls so that the anchor has its old position. Returns by how many CSS pixels the content above has grown. */
function restoreAnchor(box: HTMLElement, anchor: Anchor): number {
  const element = anchor?.find();
  if (anchor === undefined || element?.isConnected !== true) return 0;
  const moved = element.getBoundingClientRect().top - anchor.top;
  if (Math.abs(moved) < 1) return 0;
  box.scrollTop += moved;
  return moved;
}
