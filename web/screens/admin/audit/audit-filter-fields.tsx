import { auditActions, type AuditAction } from "#contract/accounts/audit-actions.ts";
import type { AuditFilters } from "#web/data/admin/audit.ts";
import { t } from "#web/i18n/translate.ts";
import { Field, fieldStyles } from "../../form/field.tsx";
import styles from "./audit.module.css";

/** Which entries of the audit log are listed. */
export function AuditFilterFields({
  filters,
  onChange,
}: {
  filters: AuditFilters;
  onChange: (filters: AuditFilters) => void;
}) {
  const set = (change: Partial<AuditFilters>) => onChange({ ...filters, ...change });
  return (
    <div role="search" className={styles["filters"]}>
      <Field label={t("audit.who")}>
        {(props) => (
          <input
            {...props}
            type="search"
            dir="auto"
            autoComplete="off"
            spellCheck={false}
            maxLength={254}
            placeholder={t("audit.whoHint")}
            value={filters.search}
            className={fieldStyles["input"]}
            onChange={(event) => set({ search: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field label={t("audit.action")}>
        {(props) => (
          <select
            {...props}
            value={filters.action}
            className={fieldStyles["input"]}
            onChange={(event) => set({ action: event.currentTarget.value as AuditAction | "" })}
          >
            <option value="">{t("audit.anyAction")}</option>
            {auditActions.map((action) => (
              <option key={action} value={action}>
                {t(`audit.${action}`)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <DayField label={t("audit.from")} value={filters.from} onChange={(from) => set({ from })} />
      <DayField label={t("audit.to")} value={filters.to} onChange={(to) => set({ to })} />
    </div>
  );
}

function DayField(props: { label: string; value: string; onChange: (day: string) => void }) {
  return (
    <Field label={props.label}>
      {(attributes) => (
        <input
          {...attributes}
          type="date"
          value={props.value}
          className={fieldStyles["input"]}
          onChange={(event) => props.onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
