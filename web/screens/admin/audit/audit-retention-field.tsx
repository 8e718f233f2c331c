import { useAuditRetention } from "#web/data/admin/audit.ts";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { Notice } from "#web/ui/notice.tsx";
import { showOutcome } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { Field, fieldStyles } from "../../form/field.tsx";
import styles from "./audit.module.css";

const choices = [30, 90, 180, 365, 730, 1_825];

/** How long the entries of the audit log are kept. A change is saved at once. */
export function AuditRetentionField() {
  const { keepDays, change, ...load } = useAuditRetention();
  const { confirm, dialog } = useConfirmation();
  if (load.state === "failed")
    return (
      <Notice
        tone="danger"
        title={t("audit.keepFailed")}
        text={load.failure?.message}
        action={{ label: t("action.retry"), run: load.retry }}
      />
    );
  if (keepDays === undefined) return null;
  // The operator's setting, or another client, can have chosen any number.
  const days = [...new Set([...choices, ...(keepDays === null ? [] : [keepDays])])].toSorted((a, b) => a - b);

  function choose(next: number | null): void {
    if (next === null || (keepDays != null && next > keepDays))
      return showOutcome(change(next), t("account.saved"));
    confirm({
      text: t("audit.keepShorter"),
      label: t("action.delete"),
      async run() {
        await change(next);
        return t("account.saved");
      },
    });
  }

  return (
    <div className={styles["retention"]}>
      <Field label={t("audit.keep")}>
        {(props) => (
          <select
            {...props}
            value={keepDays ?? ""}
            className={fieldStyles["input"]}
            onChange={({ currentTarget: { value } }) => choose(value === "" ? null : Number(value))}
          >
            {days.map((count) => (
              <option key={count} value={count}>
                {t("expiry.days", { count })}
              </option>
            ))}
            <option value="">{t("expiry.never")}</option>
          </select>
        )}
      </Field>
      {dialog}
    </div>
  );
}
