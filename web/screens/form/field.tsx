import { type ReactNode, useId } from "react";
import styles from "./field.module.css";

/** A form field with its label, hint and validation message. */
export function Field({
  label,
  hint,
  mistake,
  children,
}: {
  label: string;
  hint?: ReactNode;
  mistake?: string | undefined;
  children: (props: { id: string; "aria-describedby": string; "aria-invalid": boolean }) => ReactNode;
}) {
  const id = useId();
  return (
    <div className={styles["field"]}>
      <label htmlFor={id} className={styles["label"]}>
        {label}
      </label>
      {children({ id, "aria-describedby": `${id}-note`, "aria-invalid": mistake !== undefined })}
      <FieldNote id={`${id}-note`} mistake={mistake} hint={hint} />
    </div>
  );
}

/** What is wrong in a field, or else its hint. */
export function FieldNote({
  id,
  mistake,
  hint,
}: {
  id: string;
  mistake: string | undefined;
  hint: ReactNode;
}) {
  return (
    <p
      id={id}
      role={mistake === undefined ? undefined : "alert"}
      data-mistake={mistake !== undefined || undefined}
      className={styles["note"]}
    >
      {mistake ?? hint}
    </p>
  );
}

export { styles as fieldStyles };
