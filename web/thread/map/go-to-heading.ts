/** Scrolls to a heading of an answer that is rendered, and focuses it. */
export function goToHeading(messageId: string, text: string): void {
  const message = document.querySelector<HTMLElement>(
    `[role="log"] [data-message-id="${CSS.escape(messageId)}"]`,
  );
  if (message === null) return;
  const headings = message.querySelectorAll<HTMLElement>(":is(h1, h2, h3, h4, h5, h6):not(.unseen)");
  const found = [...headings].find((heading) => isSame(heading.textContent, text)) ?? message;
  found.tabIndex = -1;
  found.focus({ preventScroll: true });
  found.scrollIntoView({ block: "start" });
}

/** Mathematics, links and marks are shown differently from how they are written. */
function isSame(shown: string, written: string): boolean {
  return lettersOf(shown) === lettersOf(written);
}

function lettersOf(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]/gu, "");
}
