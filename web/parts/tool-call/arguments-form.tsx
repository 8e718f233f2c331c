import { useId, useLayoutEffect, useRef, useState } from "react";
import { type Json, type JsonObject, parseJson, printJson } from "#contract/json.ts";
import { Button } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./tool-requests.module.css";

/** A field for each argument of a call. `allow` gets the arguments if they differ from those of the model. */
export function ArgumentsForm({
  args,
  allow,
  back,
}: {
  args: JsonObject;
  allow(changed: JsonObject | undefined): void;
  back(): void;
}) {
  const [texts, setTexts] = useState<Record<string, string>>(() =>
    Object.fromEntries(Object.entries(args).map(([name, value]) => [name, textOf(value)])),
  );
  const [wrong, setWrong] = useState<string>();
  const form = useRef<HTMLFormElement>(null);
  const id = useId();
  useLayoutEffect(() => form.current?.querySelector("textarea")?.focus({ preventScroll: true }), []);

  function submit(): void {
    const changed: JsonObject = {};
    for (const [name, value] of Object.entries(args)) {
      const text = texts[name] ?? "";
      const read = typeof value === "string" ? text : parseJson(text);
      if (read === undefined) {
        setWrong(name);
        form.current?.querySelector<HTMLElement>(`[name="${CSS.escape(name)}"]`)?.focus();
        return;
      }
      changed[name] = read;
    }
    allow(JSON.stringify(changed) === JSON.stringify(args) ? undefined : changed);
  }

  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {Object.entries(args).map(([name, value]) => (
        <label key={name} className={styles["changed"]}>
          <span>{name}</span>
          <textarea
            rows={1}
            name={name}
            dir={typeof value === "string" ? "auto" : "ltr"}
            value={texts[name]}
            aria-invalid={wrong === name || undefined}
            aria-describedby={wrong === name ? id : undefined}
            className={styles["said"]}
            onKeyDown={(event) => {
              if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
              event.preventDefault();
              event.stopPropagation();
              back();
            }}
            onChange={(event) => {
              const { value: text } = event.currentTarget;
              setTexts((before) => ({ ...before, [name]: text }));
              setWrong(undefined);
            }}
          />
          {wrong === name && (
            <span id={id} role="alert" data-danger className={styles["note"]}>
              {t("ask.notJson")}
            </span>
          )}
        </label>
      ))}
      <div className={styles["actions"]}>
        <Button type="submit" look="strong">
          {t("ask.allowChanged")}
        </Button>
        <Button look="plain" onClick={back}>
          {t("ask.back")}
        </Button>
      </div>
    </form>
  );
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : printJson(value);
}
