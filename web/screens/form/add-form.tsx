import type { ReactNode } from "react";
import { Button } from "#web/ui/button.tsx";
import type { FormState } from "./form.tsx";
import styles from "./add-form.module.css";

/** A form that adds an entry to the list below it: two fields and a button below them, or beside the only one. */
export function AddForm({
  form: { element, save, failure, isSaving },
  addLabel,
  look = "strong",
  isOneField = false,
  children,
}: {
  form: FormState;
  addLabel: string;
  look?: "strong" | "secondary";
  isOneField?: boolean;
  children: ReactNode;
}) {
  return (
    <form
      ref={element}
      noValidate
      className={styles[isOneField ? "oneField" : "twoFields"]}
      onSubmit={(event) => void save(event)}
    >
      {children}
      <Button type="submit" look={look} disabled={isSaving}>
        {addLabel}
      </Button>
      {failure !== undefined && (
        <p role="alert" className={styles["failure"]}>
          {failure.message}
        </p>
      )}
    </form>
  );
}
