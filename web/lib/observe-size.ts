/** What to call when an element's size changes. */
const watching = new Map<Element, Set<() => void>>();
let observer: ResizeObserver | undefined;

/**
 * Calls `onChange` when an element gets its first size and when its size changes, until the returned function is called.
 * Inside `[data-far]` it waits until the reader is near.
 */
export function observeSize(elements: readonly Element[], onChange: () => void): () => void {
  for (const element of elements) {
    const known = watching.get(element);
    if (known !== undefined) known.add(onChange);
    else watching.set(element, new Set([onChange]));
    if (element.closest("[data-far]") === null) restart(element);
  }
  return () => {
    for (const element of elements) {
      const known = watching.get(element);
      known?.delete(onChange);
      if (known?.size !== 0) continue;
      watching.delete(element);
      observer?.unobserve(element);
    }
  };
}

/**
 * Marks a part of the page that is far from the viewport, or no longer. The browser compares the sizes of all observed
 * elements in every frame, so those that are far are not observed.
 */
export function markFar(container: Element, isFar: boolean): void {
  if (container.hasAttribute("data-far") === isFar) return;
  container.toggleAttribute("data-far", isFar);
  for (const element of watching.keys()) {
    // What is in a dialog is in view, wherever the dialog is in the page.
    if (!container.contains(element) || element.closest("dialog") !== null) continue;
    if (isFar) observer?.unobserve(element);
    else restart(element);
  }
}

/** Observes the element again, which calls its functions with its present size. */
function restart(element: Element): void {
  observer ??= new ResizeObserver((entries) => {
    const changed = new Set(entries.flatMap(({ target }) => [...(watching.get(target) ?? [])]));
    for (const onChange of changed) onChange();
  });
  observer.unobserve(element);
  observer.observe(element);
}
