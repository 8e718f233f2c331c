import { loadHighlighter } from "../markdown/highlighter-loading.ts";
import { loadRenderer } from "../markdown/lazy-markdown.ts";
import { loadDialogs } from "../palette/host.tsx";
import { loadMenus } from "../ui/menu/menu.tsx";
import { screens } from "./routes.tsx";

/**
 * Brings everything that may be wanted, when the browser has nothing else to do: what an answer needs first, then the
 * rest of the app, one by one, so that it is here when the line goes or the server gets another build.
 */
export function loadInTime(): void {
  const run = async () => {
    await loadRenderer();
    await loadHighlighter();
    await loadMenus();
    await loadDialogs();
    for (const screen of Object.values(screens)) await screen.preload();
  };
  if (typeof requestIdleCallback === "function") requestIdleCallback(() => void run(), { timeout: 2_000 });
  else setTimeout(() => void run(), 300);
}
