/**
 * Saves the position of the focused element in the page and returns a function that restores the focus. It is for
 * screens that remount with the same content. Nothing happens if the element is gone or something else has the focus.
 */
export function saveFocus(): () => void {
  const path: number[] = [];
  for (let node = document.activeElement; node?.parentElement != null; node = node.parentElement)
    path.unshift([...node.parentElement.children].indexOf(node));
  return () => {
    if (document.activeElement !== document.body) return;
    let node: Element | undefined = document.documentElement;
    for (const index of path) node = node?.children[index];
    if (node instanceof HTMLElement) node.focus({ preventScroll: true });
  };
}
