/**
 * Notes where the focus is, by its place in the page, and gives it back: for screens that are drawn anew with the same
 * things in them. Nothing happens where the place is gone, or something else took the focus meanwhile.
 */
export function noteFocus(): () => void {
  const path: number[] = [];
  for (let at = document.activeElement; at?.parentElement != null; at = at.parentElement)
    path.unshift([...at.parentElement.children].indexOf(at));
  return () => {
    if (document.activeElement !== document.body) return;
    let at: Element | undefined = document.documentElement;
    for (const index of path) at = at?.children[index];
    if (at instanceof HTMLElement) at.focus({ preventScroll: true });
  };
}
