import { idAtProvider } from "#contract/ids.ts";
import { t } from "#web/i18n/translate.ts";
import { Field, fieldStyles } from "../form/field.tsx";

/** A field for one of the models. Empty: none, which `none` describes. */
export function ModelSelect({
  label,
  hint,
  none,
  value,
  models,
  onChange,
}: {
  label: string;
  hint: string;
  none: string;
  value: string;
  models: readonly { id: string; name: string }[];
  onChange(id: string): void;
}) {
  return (
    <Field label={label} hint={hint}>
      {(props) => (
        <select
          {...props}
          value={value}
          className={fieldStyles["input"]}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          <option value="">{none}</option>
          {value !== "" && models.every(({ id }) => id !== value) && (
            <option value={value}>{t("assistant.modelGone", { name: idAtProvider(value) })}</option>
          )}
          {models.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
