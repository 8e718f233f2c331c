import type { LucideIcon } from "lucide-react";
import RotateCcw from "lucide-react/icons/rotate-ccw";
import { Button } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./failure-notice.module.css";

/**
 * What went wrong, where it went wrong, with the one action that helps. It is no alert: a thread that is opened would
 * call out every old failure at once. What fails now is said by `Announcer`.
 */
export function Trouble({
  text,
  requestId,
  action,
  tone = "loss",
  side = "start",
}: {
  text: string;
  requestId?: string | undefined;
  action?: { label: string; icon?: LucideIcon; run(): void } | undefined;
  tone?: "loss" | "quiet";
  /** On which side of the column what went wrong stands. */
  side?: "start" | "end";
}) {
  return (
    <div data-tone={tone} data-side={side} className={styles["trouble"]}>
      <p className={styles["text"]}>
        {text}
        {requestId !== undefined && (
          <span className={styles["request"]}>{t("failure.request", { id: requestId })}</span>
        )}
      </p>
      {action !== undefined && (
        <Button icon={action.icon ?? RotateCcw} onClick={action.run}>
          {action.label}
        </Button>
      )}
    </div>
  );
}
