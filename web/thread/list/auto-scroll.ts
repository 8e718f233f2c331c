import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import {
  follow,
  goToEnd,
  goToMessage,
  keepPlace,
  keepPosition,
  newReadingPosition,
  onInput,
  onScroll,
  stopFollowing,
  type ReadingPosition,
  type ShownPosition,
} from "./reading-position.ts";
import { controlAnchor } from "./scroll-anchor.ts";

/** Controls that expand content in the column. Menus open above it, and the form of a rating is shown at its end. */
const expander = "[aria-expanded]:not([aria-haspopup], [data-thumb-down])";

/** Keys that scroll directly or by moving the focus. */
const scrollKeys = new Set(["PageUp", "PageDown", "ArrowUp", "ArrowDown", "Home", "End", "Tab"]);

export type AutoScroll = ShownPosition & {
  scroller: React.RefObject<HTMLDivElement | null>;
  content: React.RefObject<HTMLDivElement | null>;
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
  const thread = useRef({ isRunning, isEmpty });
  const known = useRef<ReadingPosition>(undefined);
  const [shown, show] = useState<ShownPosition>({ isAway: false, newLines: 0 });
  Object.assign(thread.current, { isRunning, isEmpty });

  const withPosition = useCallback((act: (position: ReadingPosition) => void) => {
    const box = scroller.current;
    if (box !== null) act((known.current ??= newReadingPosition(box, thread.current, show)));
  }, []);
  const toEnd = useCallback(() => withPosition(goToEnd), [withPosition]);
  const toMessage = useCallback(
    (element: HTMLElement) => withPosition((position) => goToMessage(position, element)),
    [withPosition],
  );

  useLayoutEffect(() => toEnd(), [topic, toEnd]);

  // A new run scrolls to its answer: when its height is known, so that the page is laid out once. A reader who switches to a
  // version with a run stays at its arrows.
  useLayoutEffect(() => {
    if (!isRunning || known.current?.held !== undefined) return undefined;
    withPosition(follow);
    const frame = requestAnimationFrame(() => withPosition(keepPlace));
    return () => cancelAnimationFrame(frame);
  }, [isRunning, withPosition]);

  useEffect(() => {
    const stop = new AbortController();
    withPosition((position) => {
      if (content.current === null) return;
      watchHeights(position, content.current, stop.signal);
      watchReader(position, content.current, stop.signal);
    });
    return () => stop.abort();
  }, [withPosition]);

  return { scroller, content, ...shown, toEnd, toMessage };
}

/** Keeps the reader's place when the column, the composer below it or the window changes its height. */
function watchHeights(position: ReadingPosition, content: HTMLElement, signal: AbortSignal): void {
  const observer = new ResizeObserver(() => keepPlace(position));
  observer.observe(position.box);
  for (const part of content.parentElement?.children ?? [content]) observer.observe(part);
  signal.addEventListener("abort", () => observer.disconnect());
}

/** Notices what the reader does: scrolling, and expanding or editing something. */
function watchReader(position: ReadingPosition, content: HTMLElement, signal: AbortSignal): void {
  const { box } = position;
  const passive = { passive: true, signal };
  const noteInput = () => onInput(position);
  box.addEventListener("scroll", () => onScroll(position), passive);
  box.addEventListener("touchmove", noteInput, passive);
  box.addEventListener(
    "wheel",
    ({ deltaY }) => {
      noteInput();
      if (deltaY < 0 && box.scrollTop > 0) stopFollowing(position);
    },
    passive,
  );
  box.addEventListener(
    "pointerdown",
    (event) => {
      position.held = undefined;
      position.isPressed = event.button === 0;
      if (isOnScrollbar(box, event)) stopFollowing(position);
    },
    { signal },
  );
  for (const type of ["pointerup", "pointercancel"])
    addEventListener(
      type,
      // After the click.
      () =>
        setTimeout(() => {
          if (!position.isPressed) return;
          position.isPressed = false;
          keepPlace(position);
        }),
      { signal },
    );
  document.addEventListener("keydown", ({ key }) => scrollKeys.has(key) && noteInput(), { signal });
  content.addEventListener("click", ({ target }) => onClick(position, target), { signal, capture: true });
  content.addEventListener(
    "focusin",
    ({ target }) => target instanceof HTMLTextAreaElement && keepPosition(position),
    { signal },
  );
}

function onClick(position: ReadingPosition, target: EventTarget | null): void {
  if (!(target instanceof Element)) return;
  if (target.closest(expander) !== null) keepPosition(position);
  const control = target.closest("[data-holds-position]");
  if (control === null) return;
  stopFollowing(position);
  position.held = controlAnchor(position.box, control);
}

function isOnScrollbar(box: HTMLElement, { clientX }: PointerEvent): boolean {
  const start = box.getBoundingClientRect().left + box.clientLeft;
  return clientX < start || clientX > start + box.clientWidth;
}
