import { useEffect } from "react";
import { useIsReady } from "./ready-badge.ts";
import { t } from "#web/i18n/translate.ts";

/** Names the page after what it shows, and says where it `waits` for the person or has an answer nobody has seen. */
export function useTitle(title: string | undefined, waits = false): void {
  const isReady = useIsReady();
  useEffect(() => {
    const named = title === undefined ? t("app.name") : t("app.title", { title });
    if (waits) document.title = t("app.titleWaiting", { title: named });
    else document.title = isReady ? t("app.titleReady", { title: named }) : named;
  }, [title, waits, isReady]);
}
