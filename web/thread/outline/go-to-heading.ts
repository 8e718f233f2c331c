/** 10 s: a message far up is loaded and rendered by then. */
const searchMs = 10_000;

/** Stops the search for the heading that was chosen before. */
let stopSearch = () => {};

/** Scrolls to a heading of an answer and focuses it. `show`: scrolls to the answer first and marks it, if it is not in view. */
export function goToHeading(messageId: string, text: string, show?: () => void): void {
  stopSearch();
  const message = `[role="log"] [data-message-id="${CSS.escape(messageId)}"]`;
  const focus = (selector: string) => {
    const found = document.querySelector<HTMLElement>(selector);
    if (found === null) return;
    stopSearch();
    focusHeading(found, text);
  };
  if (show === undefined) return focus(message);
  const observer = new MutationObserver(() => focus(`${message}[data-marked]`));
  const timer = setTimeout(() => stopSearch(), searchMs);
  stopSearch = () => {
    observer.disconnect();
    clearTimeout(timer);
  };
  observer.observe(document.body, { subtree: true, attributeFilter: ["data-marked"] });
  show();
}

function focusHeading(message: HTMLElement, text: string): void {
  const headings = message.querySelectorAll<HTMLElement>(":is(h1, h2, h3, h4, h5, h6):not(.visually-hidden)");
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
