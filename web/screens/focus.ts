/** Puts the cursor where one writes, once it is on the page. */
export function focusComposer(): void {
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>("#main form textarea")?.focus({ preventScroll: true }),
  );
}
