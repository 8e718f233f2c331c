/** Focuses the message field after the next render. */
export function focusComposer(): void {
  requestAnimationFrame(() =>
    document
      .querySelector<HTMLElement>("#main textarea[aria-describedby='composer-note']")
      ?.focus({ preventScroll: true }),
  );
}
