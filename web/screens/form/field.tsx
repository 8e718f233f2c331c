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
      <p
        id={`${id}-note`}
        role={mistake === undefined ? undefined : "alert"}
        data-mistake={mistake !== undefined || undefined}
        className={styles["note"]}
      >
        {mistake ?? hint}
      </p>
    </div>
  );
}

export { styles as fieldStyles };
