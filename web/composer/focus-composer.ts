/** Puts the cursor where one writes, once it is on the page. */
export function focusComposer(): void {
  requestAnimationFrame(() =>
    document
      .querySelector<HTMLElement>("#main textarea[aria-describedby='composer-note']")
      ?.focus({ preventScroll: true }),
  );
}
