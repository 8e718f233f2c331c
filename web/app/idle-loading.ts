import { loadHighlighter } from "../markdown/code/highlighter-loading.ts";
import { loadRenderer } from "../markdown/lazy-markdown.ts";
import { loadDialogs } from "../palette/host.tsx";
import { loadMenus } from "../ui/menu/menu.tsx";
import { settingsPages } from "../screens/settings/settings-pages.ts";
import { screens } from "./routes.tsx";

/**
 * Loads all lazy modules when the browser is idle: first those that an answer needs, then the rest, one after the other.
 * Then they are available when the connection is lost or the server gets another build.
 */
export function preloadWhenIdle(): void {
  const run = async () => {
    await loadRenderer();
    await loadHighlighter();
    await loadMenus();
    await loadDialogs();
    for (const { preload } of [...settingsPages.map(({ screen }) => screen), ...Object.values(screens)])
      await preload();
  };
  if (typeof requestIdleCallback === "function") requestIdleCallback(() => void run(), { timeout: 2_000 });
  else setTimeout(() => void run(), 300);
}
