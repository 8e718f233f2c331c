import { t } from "#web/i18n/translate.ts";
import { fieldStyles } from "../form/field.tsx";
import type { AssistantForm, Mistakes } from "./assistant-form.ts";
import styles from "./assistant-editor.module.css";

/** The first messages that a new chat with the assistant offers. */
export function StarterFields({
  starters,
  mistakes,
  onChange,
}: {
  starters: readonly string[];
  mistakes: Mistakes;
  onChange(change: Pick<AssistantForm, "starters">): void;
}) {
  return (
    <fieldset className={styles["group"]}>
      <legend className={fieldStyles["legend"]}>{t("assistant.starters")}</legend>
      <p className={fieldStyles["note"]}>{t("assistant.startersHint")}</p>
      {starters.map((text, index) => (
        // The starters have no ids.
        <div key={index} className={styles["starter"]}>
          <input
            type="text"
            dir="auto"
            autoComplete="off"
            aria-label={t("assistant.starter", { number: index + 1 })}
            aria-invalid={mistakes[`starter${index}`] !== undefined}
            value={text}
            className={fieldStyles["input"]}
            onChange={(event) => onChange({ starters: starters.with(index, event.currentTarget.value) })}
          />
          {mistakes[`starter${index}`] !== undefined && (
            <p role="alert" data-mistake className={fieldStyles["note"]}>
              {mistakes[`starter${index}`]}
            </p>
          )}
        </div>
      ))}
    </fieldset>
  );
}
