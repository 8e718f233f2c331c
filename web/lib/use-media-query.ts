import { useSyncExternalStore } from "react";

/** Whether the window matches a media query, now and as it changes. */
export function useMediaQuery(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query);
      list.addEventListener("change", listener);
      return () => list.removeEventListener("change", listener);
    },
    () => matchMedia(query).matches,
  );
}

/** On narrower screens the sidebar is a drawer. The style sheets have the same value. */
export const narrowScreen = "(width < 48rem)";
