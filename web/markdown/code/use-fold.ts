import { createContext, type RefObject, type UIEvent, use, useRef, useState } from "react";
import { flushSync } from "react-dom";

/** Longer code is folded. The style sheet says how much of it is shown. */
const linesMax = 30;

/** Pages of shared threads are rendered on the server, where no script opens anything. */
const isOnServer = typeof location === "undefined";

/** Whether the text around a code block is still being written. */
export const WritingContext = createContext(false);

type Fold = {
  figure: RefObject<HTMLElement | null>;
  lines: number;
  /** Whether there is a button. */
  canFold: boolean;
  isFolded: boolean;
  toggle(): void;
  onScroll(event: UIEvent<HTMLElement>): void;
};

/**
 * Folds code that is long. Code that was written before the reader's eyes stays open until they close it, so that nothing
 * moves when the answer is complete.
 */
export function useFold(code: string): Fold {
  const isWriting = use(WritingContext);
  const [isOpen, setOpen] = useState(isWriting);
  const figure = useRef<HTMLElement>(null);
  // Not in each frame of an answer that grows.
  const lines = isWriting ? 0 : code.split("\n").length;
  const canFold = !isOnServer && lines > linesMax;
  const isFolded = canFold && !isOpen;
  return {
    figure,
    lines,
    canFold,
    isFolded,
    toggle() {
      flushSync(() => setOpen(isFolded));
      // Closed from its end, it would be above the window.
      if (!isFolded && figure.current !== null && figure.current.getBoundingClientRect().top < 0)
        figure.current.scrollIntoView({ block: "start" });
    },
    onScroll({ currentTarget }) {
      // A person cannot scroll folded code down, but the browser does: to what it has found, or while text is selected.
      const offset = currentTarget.scrollTop;
      if (!isFolded || offset === 0) return;
      // A click, because the thread then keeps its position.
      figure.current?.querySelector<HTMLElement>("[aria-expanded='false']")?.click();
      scrollerOf(currentTarget).scrollTop += offset;
    },
  };
}

function scrollerOf(element: Element): Element {
  for (let box = element.parentElement; box !== null; box = box.parentElement)
    if (box.scrollHeight > box.clientHeight && /auto|scroll/.test(getComputedStyle(box).overflowY))
      return box;
  return document.documentElement;
}
