import { Field, fieldStyles } from "./field.tsx";
import { t } from "#web/i18n/translate.ts";

/** A choice of when something expires. `value`: a number of days, `date` if the field offers a date, or empty for never. */
export function ExpiryField({
  days,
  withDate = false,
  value,
  onChange,
}: {
  days: readonly number[];
  withDate?: boolean;
  value: string;
  onChange(value: string): void;
}) {
  return (
    <Field label={t("expiry.label")}>
      {(props) => (
        <select
          {...props}
          value={value}
          className={fieldStyles["input"]}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          <option value="">{t("expiry.never")}</option>
          {days.map((count) => (
            <option key={count} value={count}>
              {t("expiry.days", { count })}
            </option>
          ))}
          {withDate && <option value="date">{t("expiry.date")}</option>}
        </select>
      )}
    </Field>
  );
}
