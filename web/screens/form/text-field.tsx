import type { ComponentProps, ReactNode } from "react";
import { Field, fieldStyles } from "./field.tsx";

/** A field with a line of text. `isCode`: what is typed is no language, such as an address or an id. */
export function TextField({
  label,
  hint,
  mistake,
  isCode = false,
  onChange,
  ...input
}: {
  label: string;
  hint?: ReactNode;
  mistake?: string | undefined;
  isCode?: boolean;
  value: string;
  onChange(text: string): void;
} & Omit<ComponentProps<"input">, "value" | "onChange">) {
  return (
    <Field label={label} hint={hint} mistake={mistake}>
      {(props) => (
        <input
          type="text"
          autoComplete="off"
          {...(isCode && { dir: "ltr", autoCapitalize: "none", spellCheck: false })}
          {...props}
          {...input}
          className={fieldStyles["input"]}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
