import { useEffect } from "react";
import { t } from "#web/words/words.ts";

/** Names the page after what it shows. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title === undefined ? t("app.name") : t("app.title", { title });
  }, [title]);
}
