import { useEffect } from "react";

/** Moves the focus to the page when the last row and the buttons of its list disappear, if one of them had it. */
export function useFocusPastRows(hasRows: boolean): void {
  useEffect(() => {
    if (!hasRows) return undefined;
    return () => {
      if (document.activeElement === document.body)
        document.getElementById("main")?.focus({ preventScroll: true });
    };
  }, [hasRows]);
}
