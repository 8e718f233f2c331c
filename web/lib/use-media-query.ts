import { useSyncExternalStore } from "react";

/** Whether the window matches a media query, now and as it changes. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query);
      list.addEventListener("change", listener);
      return () => list.removeEventListener("change", listener);
    },
    () => matchMedia(query).matches,
  );
}

/** Below this the sidebar is a drawer. Its twin is in the style sheets. */
export const narrow = "(width < 48rem)";
