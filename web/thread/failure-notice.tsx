import type { LucideIcon } from "lucide-react";
import RotateCcw from "lucide-react/icons/rotate-ccw";
import { Button } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./failure-notice.module.css";

/**
 * A failure in a thread, with one action. It is not an alert, because opening a thread would announce all its old
 * failures. `Announcer` announces new ones.
 */
export function FailureNotice({
  text,
  requestId,
  action,
  tone = "danger",
  side = "start",
}: {
  text: string;
  requestId?: string | undefined;
  action?: { label: string; icon?: LucideIcon; run(): void; isDisabled?: boolean } | undefined;
  tone?: "danger" | "quiet";
  /** The side of the column: answers are at the start, a person's messages at the end. */
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
        <Button
          icon={action.icon ?? RotateCcw}
          disabled={action.isDisabled === true}
          className={styles["action"]}
          onClick={action.run}
        >
          {action.label}
        </Button>
      )}
    </div>
  );
}
