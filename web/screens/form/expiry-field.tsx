import { SelectField } from "./select-field.tsx";
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
    <SelectField
      label={t("expiry.label")}
      value={value}
      options={[
        ["", t("expiry.never")],
        ...days.map((count) => [String(count), t("expiry.days", { count })] as const),
        ...(withDate ? [["date", t("expiry.date")] as const] : []),
      ]}
      onChange={onChange}
    />
  );
}
