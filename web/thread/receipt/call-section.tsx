import type { ReactNode } from "react";
import type { ReceiptCall } from "#contract/endpoints/receipts.ts";
import { printBytes, printMoment, t } from "#web/i18n/translate.ts";
import styles from "./receipt.module.css";

/** One tool call: a line with its name and where it went, which opens into how much and who allowed it. */
export function CallSection({ call }: { call: ReceiptCall }) {
  const { sent_to: place, outcome } = call;
  return (
    <details className={styles["request"]}>
      <summary className={styles["summary"]}>
        <span className={styles["name"]}>
          <bdi>{call.tool_name}</bdi>
        </span>
        <span className="anywhere text-2 ink-soft">{place ?? t("receipt.stayed")}</span>
        {outcome !== "completed" && (
          <span className={styles["trouble"]}>
            {t(outcome === "failed" ? "receipt.callFailed" : "receipt.callUnknown")}
          </span>
        )}
      </summary>
      <dl className={styles["figures"]}>
        <Figure name={t("receipt.sent")}>{printBytes(call.sent_bytes)}</Figure>
        <Figure name={t("receipt.received")}>
          {call.received_bytes === null ? undefined : printBytes(call.received_bytes)}
        </Figure>
        <Figure name={t("receipt.allowedBy")}>{t(`receiptAllowed.${call.allowed_by}`)}</Figure>
        <Figure name={t("receipt.allowedAt")}>{printMoment(new Date(call.allowed_at))}</Figure>
      </dl>
    </details>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  if (children === undefined) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
