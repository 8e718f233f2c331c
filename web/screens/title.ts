import { useEffect } from "react";
import { t } from "#web/words/words.ts";

/** Names the page after what it shows, and says where it `waits` for the person. */
export function useTitle(title: string | undefined, waits = false): void {
  useEffect(() => {
    const named = title === undefined ? t("app.name") : t("app.title", { title });
    document.title = waits ? t("app.titleWaiting", { title: named }) : named;
  }, [title, waits]);
}
