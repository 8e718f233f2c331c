import type { ReactNode } from "react";
import { Button } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import { useAskBeforeLeaving } from "./use-ask-before-leaving.tsx";
import type { useForm } from "./use-form.ts";
import styles from "./form.module.css";

export type FormState = Pick<
  ReturnType<typeof useForm>,
  "element" | "save" | "failure" | "isSaving" | "hasUnsavedChanges"
>;

/** A form with Save, and Cancel or another button. It asks before unsaved changes are lost. */
export function Form({
  form: { element, save, failure, isSaving, hasUnsavedChanges },
  saveLabel,
  onCancel,
  otherButton = onCancel && <Button onClick={onCancel}>{t("action.cancel")}</Button>,
  children,
}: {
  form: FormState;
  saveLabel: string;
  onCancel?(): void;
  otherButton?: ReactNode;
  children: ReactNode;
}) {
  const question = useAskBeforeLeaving(hasUnsavedChanges);
  return (
    <form ref={element} noValidate className={styles["form"]} onSubmit={(event) => void save(event)}>
      {children}
      <div className={styles["footer"]}>
        {failure !== undefined && (
          <p role="alert" className={styles["failure"]}>
            {failure.message}
          </p>
        )}
        {otherButton}
        <Button type="submit" look="strong" disabled={isSaving}>
          {saveLabel}
        </Button>
      </div>
      {question}
    </form>
  );
}
