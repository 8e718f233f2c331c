import { fenced } from "#contract/artifacts/fenced.ts";

/** What is selected in one message, or `undefined`. */
export function selectedRange(scroller: Element | null): Range | undefined {
  const selection = getSelection();
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return undefined;
  const range = selection.getRangeAt(0);
  const article = elementOf(range.commonAncestorContainer)?.closest("article");
  // The composer is behind it.
  if (article?.querySelector("dialog[open]")?.contains(range.commonAncestorContainer) === true)
    return undefined;
  return article != null && scroller?.contains(article) === true ? range : undefined;
}

/** The words of a range, without the names of buttons; code in fences. */
export function textOfRange(range: Range): string {
  const box = document.createElement("div");
  box.append(withWholeFormulas(range).cloneContents());
  if (elementOf(range.commonAncestorContainer)?.closest("pre") != null)
    return fenced("", withoutBlankEnds(box.textContent));
  for (const formula of box.querySelectorAll("math")) {
    const tex = formula.querySelector('annotation[encoding="application/x-tex"]')?.textContent;
    const mark = formula.getAttribute("display") === "block" ? "$$" : "$";
    if (tex !== undefined) formula.replaceWith(mark + tex + mark);
  }
  for (const control of box.querySelectorAll("button, figcaption, .visually-hidden, [aria-hidden='true']"))
    control.remove();
  for (const code of box.querySelectorAll("pre"))
    code.replaceWith(`\n${fenced("", withoutBlankEnds(code.textContent))}\n`);
  // Only what is laid out has lines.
  box.style.cssText = "position: fixed; inset-block-start: -100vh; white-space: pre-wrap";
  document.body.append(box);
  const text = box.innerText.replaceAll(/\n{3,}/g, "\n\n").trim();
  box.remove();
  return text;
}

/** A part of a formula has no TeX. */
function withWholeFormulas(range: Range): Range {
  const whole = range.cloneRange();
  const first = elementOf(range.startContainer)?.closest("math");
  const last = elementOf(range.endContainer)?.closest("math");
  if (first != null) whole.setStartBefore(first);
  if (last != null) whole.setEndAfter(last);
  return whole;
}

function withoutBlankEnds(code: string): string {
  return code.replaceAll(/^(?:[ \t]*\n)+|\s+$/g, "");
}

function elementOf(node: Node): Element | null {
  return node instanceof Element ? node : node.parentElement;
}
