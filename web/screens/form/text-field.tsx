import type { ComponentProps, ReactNode } from "react";
import { Field, fieldStyles } from "./field.tsx";

/** A field with a line of text. */
export function TextField({
  label,
  hint,
  mistake,
  onChange,
  ...input
}: {
  label: string;
  hint?: ReactNode;
  mistake?: string | undefined;
  value: string;
  onChange(text: string): void;
} & Omit<ComponentProps<"input">, "value" | "onChange">) {
  return (
    <Field label={label} hint={hint} mistake={mistake}>
      {(props) => (
        <input
          type="text"
          autoComplete="off"
          {...props}
          {...input}
          className={fieldStyles["input"]}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
