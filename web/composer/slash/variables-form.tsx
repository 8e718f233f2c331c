import { useId, useLayoutEffect, useRef, useState } from "react";
import { Button } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import { fitAbove } from "./fit-above.ts";
import styles from "./slash-menu.module.css";

/**
 * Asks for the values of a prompt's variables. Enter goes to the next field and then inserts the prompt; Esc closes the
 * form. It is in the form of the message, so it has no form of its own.
 */
export function VariablesForm({
  title,
  names,
  onDone,
  onCancel,
}: {
  title: string;
  names: readonly string[];
  onDone(values: ReadonlyMap<string, string>): void;
  onCancel(): void;
}) {
  const [values, setValues] = useState<ReadonlyMap<string, string>>(
    () => new Map(names.map((name) => [name, ""])),
  );
  const section = useRef<HTMLElement>(null);
  const id = useId();
  useLayoutEffect(() => fitAbove(section.current));
  const onKey = (event: React.KeyboardEvent<HTMLElement>) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") onCancel();
    else if (event.key === "Enter" && !event.shiftKey && event.target instanceof HTMLTextAreaElement) {
      const fields = [...(section.current?.querySelectorAll("textarea") ?? [])];
      const next = fields[fields.indexOf(event.target) + 1];
      if (next === undefined) onDone(values);
      else next.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // The keys are those of the fields in it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section ref={section} aria-label={title} className={styles["variables"]} onKeyDown={onKey}>
      <p className="bold">
        <bdi>{title}</bdi>
      </p>
      {names.map((name, index) => (
        <div key={name} className={styles["variable"]}>
          <label htmlFor={`${id}-${index}`}>
            <bdi>{name}</bdi>
          </label>
          <textarea
            id={`${id}-${index}`}
            rows={1}
            // The list that was here had the person's attention.
            autoFocus={index === 0}
            dir={values.get(name) === "" ? undefined : "auto"}
            value={values.get(name)}
            onChange={(event) => setValues(new Map(values).set(name, event.currentTarget.value))}
          />
        </div>
      ))}
      <div className="flex to-end gap-2">
        <Button onClick={onCancel}>{t("action.cancel")}</Button>
        <Button look="strong" onClick={() => onDone(values)}>
          {t("prompts.insert")}
        </Button>
      </div>
    </section>
  );
}
