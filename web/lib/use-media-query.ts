import { useCallback, useSyncExternalStore } from "react";

const lists = new Map<string, MediaQueryList>();

/** Whether the window matches a media query, now and as it changes. On a server, none matches. */
export function useMediaQuery(query: string): boolean {
  return useSyncExternalStore(
    useCallback(
      (listener) => {
        const list = listOf(query);
        list.addEventListener("change", listener);
        return () => list.removeEventListener("change", listener);
      },
      [query],
    ),
    () => listOf(query).matches,
    () => false,
  );
}

/** One list per query, because a new one is evaluated each time. */
function listOf(query: string): MediaQueryList {
  const list = lists.get(query) ?? matchMedia(query);
  lists.set(query, list);
  return list;
}

/** Devices with only a touch screen. Enter starts a new line there, and focusing a field opens the keyboard. */
export const touchOnly = "(pointer: coarse) and (not (any-pointer: fine))";

/** On narrower screens the sidebar is a drawer. The style sheets have the same value. */
export const narrowScreen = "(width < 48rem)";
