import { useEffect } from "react";
import { Notice } from "#web/ui/notice.tsx";
import { t } from "#web/i18n/translate.ts";
import { useTitle } from "./shell/title.ts";
import styles from "./crash-screen.module.css";

/** Shown when a screen throws. It uses nothing that may have failed with it. */
export function CrashScreen({ error }: { error: unknown }) {
  useTitle(t("crash.title"));
  useEffect(() => console.error(error), [error]);
  return (
    <div className={styles["crash"]}>
      <Notice
        level="h1"
        tone="danger"
        title={t("crash.title")}
        text={t("crash.text")}
        action={{ label: t("crash.reload"), run: () => location.reload() }}
      />
    </div>
  );
}
