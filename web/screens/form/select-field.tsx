import type { ComponentProps, ReactNode } from "react";
import { Field, fieldStyles } from "./field.tsx";

/** A field with a choice of one option: pairs of a value and its name. */
export function SelectField<Value extends string>({
  label,
  hint,
  mistake,
  options,
  onChange,
  ...select
}: {
  label: string;
  hint?: ReactNode;
  mistake?: string | undefined;
  value: Value;
  options: readonly (readonly [value: NoInfer<Value>, name: string])[];
  onChange(value: NoInfer<Value>): void;
} & Omit<ComponentProps<"select">, "value" | "onChange" | "children">) {
  return (
    <Field label={label} hint={hint} mistake={mistake}>
      {(props) => (
        <select
          {...props}
          {...select}
          className={fieldStyles["input"]}
          onChange={(event) => onChange(event.currentTarget.value as Value)}
        >
          {options.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
