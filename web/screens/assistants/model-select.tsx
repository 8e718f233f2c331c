import { idAtProvider } from "#contract/ids.ts";
import { t } from "#web/i18n/translate.ts";
import { SelectField } from "../form/select-field.tsx";

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
    <SelectField
      label={label}
      hint={hint}
      value={value}
      options={[
        ["", none],
        ...(value === "" || models.some(({ id }) => id === value)
          ? []
          : [[value, t("assistant.modelGone", { name: idAtProvider(value) })] as const]),
        ...models.map(({ id, name }) => [id, name] as const),
      ]}
      onChange={onChange}
    />
  );
}
