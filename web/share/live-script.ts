import type { LiveShareEvent } from "#contract/parts/share-page.ts";

/** Updates the page of a live view. It is sent as text, so it must not use anything outside itself. */
function followView(): void {
  const list = document.querySelector<HTMLElement>("[data-live]");
  if (list === null) return;
  const source = new EventSource(list.dataset["live"]!);
  source.addEventListener("message", ({ data }: MessageEvent<string>) => {
    const { order, changed } = JSON.parse(data) as LiveShareEvent;
    const shown = new Map(Array.from(list.children, (element) => [element.id, element]));
    for (const [id, html] of Object.entries(changed)) {
      const before = shown.get(id);
      if (before?.outerHTML === html) continue;
      const box = document.createElement("template");
      box.innerHTML = html;
      const element = box.content.firstElementChild!;
      before?.replaceWith(element);
      shown.set(id, element);
    }
    for (const [id, element] of shown) if (!order.includes(id)) element.remove();
    for (const [i, id] of order.entries()) {
      const element = shown.get(id)!;
      if (list.children[i] !== element) list.insertBefore(element, list.children[i] ?? null);
    }
  });
  // The browser connects again by itself, unless the server refuses: then the link has ended.
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) location.reload();
  });
}

export const liveScript = `(${followView.toString()})()`;
