/** Where something floats: under (or over) what it belongs to, kept inside the window. */
export type Anchor = { left: number; right: number; top: number; bottom: number };

const margin = 8;

/**
 * Places `box`, which must be on the page already, next to `anchor`. `align` says which edges meet, in reading order;
 * it flips above when there is more room there.
 */
export function place(box: HTMLElement, anchor: Anchor, align: "start" | "center" | "end", gap = 4): void {
  box.style.inset = "0 auto auto 0";
  const { width, height } = box.getBoundingClientRect();
  const isRightToLeft = getComputedStyle(box).direction === "rtl";
  const atLeft = align === "center" ? undefined : (align === "start") !== isRightToLeft;
  const left =
    atLeft === undefined
      ? (anchor.left + anchor.right - width) / 2
      : atLeft
        ? anchor.left
        : anchor.right - width;
  const below = anchor.bottom + gap;
  const above = anchor.top - gap - height;
  const top = below + height > innerHeight - margin && above > margin ? above : below;
  box.style.left = `${clamp(left, innerWidth - width)}px`;
  box.style.top = `${clamp(top, innerHeight - height)}px`;
}

function clamp(value: number, max: number): number {
  return Math.round(Math.max(margin, Math.min(value, max - margin)));
}
