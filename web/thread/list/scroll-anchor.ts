/** An element that keeps its position, `top` CSS pixels below the top of the window. */
export type ScrollAnchor = { find(): Element | null | undefined; top: number };

/** The first visible message. Right after a jump it may be in a block that still counts as far: then `before`, if it is visible. */
export function topmostMessage(box: HTMLElement, before?: ScrollAnchor): ScrollAnchor | undefined {
  const edges = box.getBoundingClientRect();
  // Not in the blocks far from the viewport, which have no layout.
  for (const element of box.querySelectorAll(":not([data-far]) > [data-message-id]")) {
    const { top, bottom } = element.getBoundingClientRect();
    if (bottom <= edges.top) continue;
    if (top >= edges.bottom) break;
    return { find: () => element, top };
  }
  const rect = before?.find()?.getBoundingClientRect();
  const isVisible = rect !== undefined && rect.bottom > edges.top && rect.top < edges.bottom;
  return before !== undefined && isVisible ? { ...before, top: rect.top } : undefined;
}

/** The arrows between versions. After a switch, they are in another message at the same place in the thread. */
export function controlAnchor(box: HTMLElement, control: Element): ScrollAnchor {
  const position = control.closest("[data-position]")?.getAttribute("data-position");
  return {
    find: () => box.querySelector(`[data-position="${position}"] [data-holds-position]`),
    top: control.getBoundingClientRect().top,
  };
}

/** Scrolls so that the anchor has its old position. Returns by how many CSS pixels the content above has grown. */
export function restoreAnchor(box: HTMLElement, anchor: ScrollAnchor | undefined): number {
  const element = anchor?.find();
  if (anchor === undefined || element?.isConnected !== true) return 0;
  const moved = element.getBoundingClientRect().top - anchor.top;
  if (Math.abs(moved) < 1) return 0;
  box.scrollTop += moved;
  return moved;
}
