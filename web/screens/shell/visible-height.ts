import { useEffect } from "react";

/** CSS pixels. A smaller difference is a toolbar of the browser, not a keyboard. */
const keyboardMin = 120;

/**
 * Limits the height of the app to the visible part of the window. Some browsers show the on-screen keyboard over the page
 * without resizing it, so it would cover the composer.
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
      // The browser scrolled the page to show the field, which is not necessary any more.
      scrollTo(0, 0);
    };
    view.addEventListener("resize", fit);
    return () => view.removeEventListener("resize", fit);
  }, []);
}
