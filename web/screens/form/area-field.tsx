import type { ComponentProps, ReactNode } from "react";
import { join } from "#web/ui/button.tsx";
import { Field, fieldStyles } from "./field.tsx";

/** A field with lines of text. */
export function AreaField({
  label,
  hint,
  mistake,
  className,
  onChange,
  ...area
}: {
  label: string;
  hint?: ReactNode;
  mistake?: string | undefined;
  value: string;
  onChange(text: string): void;
} & Omit<ComponentProps<"textarea">, "value" | "onChange">) {
  return (
    <Field label={label} hint={hint} mistake={mistake}>
      {(props) => (
        <textarea
          {...props}
          {...area}
          className={join(fieldStyles["input"], className)}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
