/** The message field of the open chat. */
export function composerField(): HTMLElement | null {
  return document.querySelector<HTMLElement>("#main textarea[aria-describedby='composer-note']");
}

/** Focuses the message field after the next render. */
export function focusComposer(): void {
  requestAnimationFrame(() => composerField()?.focus({ preventScroll: true }));
}
