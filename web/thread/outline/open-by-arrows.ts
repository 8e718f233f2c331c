/**
 * The arrow key that points away from the start of the line opens what is below the focused row; the other one closes it, or
 * goes to the row above. Returns whether it did.
 */
export function openByArrows(event: React.KeyboardEvent<HTMLElement>): boolean {
  const { key, target } = event;
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return false;
  if ((key !== "ArrowLeft" && key !== "ArrowRight") || !(target instanceof HTMLElement)) return false;
  const opens = (key === "ArrowRight") !== target.matches(":dir(rtl)");
  const toggle = target.hasAttribute("aria-expanded")
    ? target
    : target.parentElement?.querySelector<HTMLElement>(":scope > [aria-expanded]");
  if (toggle?.getAttribute("aria-expanded") === String(!opens)) toggle.click();
  else if (!opens) target.closest("ol")?.parentElement?.querySelector<HTMLElement>("[data-row]")?.focus();
  event.preventDefault();
  return true;
}
