import { useEffect } from "react";

/** More than this, in CSS pixels, is a keyboard and not the browser's own bar. */
const keyboardMin = 120;

/**
 * Keeps the app as high as what is seen of the window. Some browsers lay a keyboard over the page instead of making
 * it smaller, and the composer would be under it.
 */
export function useVisibleHeight(): void {
  useEffect(() => {
    const view = window.visualViewport;
    if (view === null) return undefined;
    const fit = () => {
      const { style } = document.documentElement;
      const isCovered = view.scale === 1 && innerHeight - view.height > keyboardMin;
      if (!isCovered) return void style.removeProperty("--visible-height");
      style.setProperty("--visible-height", `${Math.round(view.height)}px`);
      // The browser had moved the page up to show the field; now that it fits, it may come back.
      scrollTo(0, 0);
    };
    view.addEventListener("resize", fit);
    return () => view.removeEventListener("resize", fit);
  }, []);
}
