/** Limits the height of the list to the space between the message field and the top of what scrolls around it. */
export function fitAbove(element: HTMLElement | null): void {
  const form = element?.closest("form");
  if (element == null || form == null) return;
  let around: Element | null = form.parentElement;
  while (around !== null && getComputedStyle(around).overflowY !== "auto") around = around.parentElement;
  const space = form.getBoundingClientRect().top - (around?.getBoundingClientRect().top ?? 0) - 16;
  element.style.maxBlockSize = `${Math.min(Math.max(space, 120), 352)}px`;
}
