import { restoreAnchor, topmostMessage, type ScrollAnchor } from "./scroll-anchor.ts";

/** CSS pixels. A reader within this distance of the end is at the end. Beyond it, the button to the end appears. */
const atEndDistance = 32;

/** A scroll within this time after an input that can scroll comes from the reader. */
const inputWindowMs = 1000;

/** What the page shows of a position. */
export type ShownPosition = {
  /** Whether the reader is above the end. */
  isAway: boolean;
  /** The number of lines that were added below while the reader was away. */
  newLines: number;
};

/** Where the reader of a growing column is, and what keeps its place when the column changes. */
export type ReadingPosition = {
  box: HTMLElement;
  /** Of the thread in the column; the same object, with the values of the last render. */
  thread: { isRunning: boolean; isEmpty: boolean };
  show: (shown: ShownPosition) => void;
  shown: ShownPosition;
  /** Whether the column stays at its end when it grows. */
  follows: boolean;
  /** Whether it follows again when the reader comes to the end. */
  resumes: boolean;
  /** The scroll position and the height when they were last measured, and the height when the reader left the end. */
  top: number;
  height: number;
  leftAt: number;
  /** The first visible message, unless the column follows. */
  anchor: ScrollAnchor | undefined;
  /** The control that the reader pressed. Unlike `anchor`, it stays until the next input. */
  held: ScrollAnchor | undefined;
  lastInputMs: number;
  /** While a pointer is down, nothing moves: a press and its release are on the same control. */
  isPressed: boolean;
};

export function newReadingPosition(
  box: HTMLElement,
  thread: ReadingPosition["thread"],
  show: ReadingPosition["show"],
): ReadingPosition {
  return {
    box,
    thread,
    show,
    shown: { isAway: false, newLines: 0 },
    follows: true,
    resumes: false,
    top: 0,
    height: 0,
    leftAt: 0,
    anchor: undefined,
    held: undefined,
    lastInputMs: Number.NEGATIVE_INFINITY,
    isPressed: false,
  };
}

/** Stays at the end from the next change of the height on. A press that has started a run has ended. */
export function follow(position: ReadingPosition): void {
  position.held = undefined;
  position.isPressed = false;
  position.follows = true;
}

export function goToEnd(position: ReadingPosition): void {
  const { box, thread } = position;
  follow(position);
  // An empty thread starts at the top, with its greeting.
  box.scrollTop = thread.isEmpty ? 0 : box.scrollHeight;
  measure(position);
}

/** Scrolls the message to the middle and keeps it there. */
export function goToMessage(position: ReadingPosition, element: HTMLElement): void {
  position.follows = false;
  element.scrollIntoView({ block: "center" });
  measure(position);
  position.anchor = { find: () => element, top: element.getBoundingClientRect().top };
}

/** The column or the window has changed its height. */
export function keepPlace(position: ReadingPosition): void {
  const { box, thread } = position;
  if (position.isPressed) return;
  if (position.follows && !thread.isEmpty) box.scrollTop = box.scrollHeight;
  else keepVisible(position);
  if (position.resumes && endDistance(box) <= atEndDistance) position.follows = true;
  measure(position);
}

export function onScroll(position: ReadingPosition): void {
  const { box } = position;
  const movedUp = box.scrollTop < position.top - 1 && box.scrollHeight >= position.height;
  // Any scroll up stops following; only scrolling down to the end starts it again.
  if (movedUp && isFromReader(position)) stopFollowing(position);
  else if (endDistance(box) <= atEndDistance) position.follows = true;
  // A frame that scrolls and changes heights reports the scroll first.
  if (!position.follows && box.scrollHeight !== position.height) keepVisible(position);
  measure(position);
}

/** An input that can scroll. */
export function onInput(position: ReadingPosition): void {
  position.lastInputMs = performance.now();
  position.held = undefined;
}

export function stopFollowing(position: ReadingPosition): void {
  position.resumes = false;
  if (!position.follows) return;
  position.follows = false;
  // Content above may change its height before the scroll is reported.
  measure(position);
}

/** Keeps the position of content that the reader expands or edits. A reader who was at the end follows again there. */
export function keepPosition(position: ReadingPosition): void {
  position.resumes = position.follows || position.resumes;
  position.follows = false;
  position.anchor = topmostMessage(position.box);
}

/** Keeps the visible content where it is, after other content has changed its height. */
function keepVisible(position: ReadingPosition): void {
  const { box, anchor, held, thread } = position;
  const grown = box.scrollHeight - position.height;
  // Keep what the reader has scrolled since then.
  const scrolled = box.scrollTop - position.top;
  const above = restoreAnchor(box, held ?? (anchor && { ...anchor, top: anchor.top - scrolled }));
  // Only text that an answer adds below counts as new, not earlier messages or expanded content.
  position.leftAt += thread.isRunning ? above : grown;
}

function measure(position: ReadingPosition): void {
  const { box, follows } = position;
  position.top = box.scrollTop;
  position.height = box.scrollHeight;
  position.anchor = follows ? undefined : topmostMessage(box, position.anchor);
  const isAway = !follows && endDistance(box) > atEndDistance;
  if (!isAway) position.leftAt = position.height;
  const added = position.height - position.leftAt;
  const newLines = isAway ? Math.max(0, Math.round(added / lineHeight(box))) : 0;
  // Most frames of an answer change neither.
  if (isAway === position.shown.isAway && newLines === position.shown.newLines) return;
  position.shown = { isAway, newLines };
  position.show(position.shown);
}

/** A column that shrinks and grows between two frames moves up as well, without a scroll of the reader. */
function isFromReader({ lastInputMs }: ReadingPosition): boolean {
  return performance.now() - lastInputMs < inputWindowMs || !document.hasFocus();
}

function endDistance(box: HTMLElement): number {
  return box.scrollHeight - box.clientHeight - box.scrollTop;
}

/** The line height of an answer in CSS pixels. */
function lineHeight(box: HTMLElement): number {
  const paragraph = box.querySelector("[data-message-id] p") ?? box;
  const { lineHeight: height, fontSize } = getComputedStyle(paragraph);
  // It is "normal" if there is no paragraph yet.
  return Number.parseFloat(height) || 1.5 * Number.parseFloat(fontSize);
}
