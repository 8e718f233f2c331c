import type { ReactNode } from "react";
import { fieldStyles } from "./field.tsx";
import styles from "./check-field.module.css";

/** A checkbox with its label and perhaps a hint. */
export function CheckField({
  label,
  hint,
  checked,
  disabled,
  onChange,
}: {
  label: string;
  hint?: ReactNode;
  checked: boolean;
  disabled?: boolean;
  onChange(checked: boolean): void;
}) {
  return (
    <label className={styles["check"]} data-disabled={disabled || undefined}>
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>
        {label}
        {hint !== undefined && <small className={fieldStyles["note"]}>{hint}</small>}
      </span>
    </label>
  );
}
