import { useEffect } from "react";
import { useIsReady } from "./ready-badge.ts";
import { t } from "#web/i18n/translate.ts";

/** Sets the title of the page. Marks a thread that needs input, and an answer that was completed in a hidden tab. */
export function useTitle(title: string | undefined, needsInput = false): void {
  const isReady = useIsReady();
  useEffect(() => {
    const fullTitle = title === undefined ? t("app.name") : t("app.title", { title });
    if (needsInput) document.title = t("app.titleWaiting", { title: fullTitle });
    else document.title = isReady ? t("app.titleReady", { title: fullTitle }) : fullTitle;
  }, [title, needsInput, isReady]);
}
