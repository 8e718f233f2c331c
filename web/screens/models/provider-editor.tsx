import { type FormEvent, useRef, useState } from "react";
import type { ProviderInfo } from "#contract/endpoints/providers.ts";
import { providerKindInfo } from "#contract/provider-kinds.ts";
import { failureOf, type Failure } from "#web/data/failure.ts";
import { Button } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import { Field, fieldStyles } from "../assistants/field.tsx";
import { ModelsField } from "./models-field.tsx";
import { mistakesOf, type ProviderForm, type ProviderMistakes } from "./provider-form.ts";
import { ConnectionTest } from "./connection-test.tsx";
import styles from "./provider-editor.module.css";

type ListedModel = { id: string; name: string };

/** The form of a provider: its key, its URL, and which models are offered. */
export function ProviderEditor({
  stored,
  first,
  listed: listedAtFirst,
  saveLabel,
  onSave,
  onCancel,
}: {
  stored?: ProviderInfo;
  first: ProviderForm;
  listed: readonly ListedModel[];
  saveLabel: string;
  /** Throws errors that `failureOf` can translate. */
  onSave(form: ProviderForm): Promise<void>;
  onCancel(): void;
}) {
  const [form, setForm] = useState(first);
  const [listed, setListed] = useState(listedAtFirst);
  const [left, setLeft] = useState<ReadonlySet<keyof ProviderMistakes>>(new Set());
  const [failure, setFailure] = useState<Failure>();
  const [isSaving, setSaving] = useState(false);
  const element = useRef<HTMLFormElement>(null);
  const info = providerKindInfo(form.kind);
  const lastFour = stored?.key_last_four ?? null;
  const mistakes = mistakesOf(form, lastFour !== null);
  const mistakeOf = (field: keyof ProviderMistakes) => (left.has(field) ? mistakes[field] : undefined);
  const change = (next: Partial<ProviderForm>) => setForm((now) => ({ ...now, ...next }));
  const leave = (field: keyof ProviderMistakes) => () => setLeft((now) => new Set([...now, field]));

  /** Whether the form can be sent. If not, the first wrong field gets the focus. */
  function check(): boolean {
    const wrong = Object.keys(mistakes) as (keyof ProviderMistakes)[];
    setLeft(new Set(wrong));
    setFailure(undefined);
    if (wrong.length === 0) return true;
    // After the fields with errors have rendered.
    requestAnimationFrame(() =>
      element.current?.querySelector<HTMLElement>("[aria-invalid='true']")?.focus(),
    );
    return false;
  }

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (!check() || isSaving) return;
    setSaving(true);
    try {
      await onSave(form);
    } catch (error) {
      setFailure(failureOf(error));
      setSaving(false);
    }
  }

  const url = (
    <Field
      label={t("provider.url")}
      hint={info.baseUrl === undefined ? undefined : t("provider.urlHint")}
      mistake={mistakeOf("baseUrl")}
    >
      {(props) => (
        <input
          {...props}
          type="url"
          dir="ltr"
          autoComplete="off"
          spellCheck={false}
          placeholder={info.baseUrl ?? info.exampleUrl}
          value={form.baseUrl}
          className={fieldStyles["input"]}
          onBlur={leave("baseUrl")}
          onChange={(event) => change({ baseUrl: event.currentTarget.value })}
        />
      )}
    </Field>
  );
  return (
    <form ref={element} noValidate className={styles["form"]} onSubmit={(event) => void save(event)}>
      {info.baseUrl === undefined && url}
      <Field
        label={t(info.key === "required" ? "provider.key" : "provider.keyOptional")}
        hint={
          info.keyUrl === undefined ? undefined : (
            <a href={info.keyUrl} target="_blank" rel="noreferrer">
              {t("provider.keyGet", { name: info.name })}
            </a>
          )
        }
        mistake={mistakeOf("apiKey")}
      >
        {(props) => (
          <input
            {...props}
            type="password"
            dir={form.apiKey === "" ? undefined : "ltr"}
            autoComplete="off"
            spellCheck={false}
            placeholder={lastFour === null ? undefined : t("provider.keyStored", { end: lastFour })}
            value={form.apiKey}
            className={fieldStyles["input"]}
            onBlur={leave("apiKey")}
            onChange={(event) => change({ apiKey: event.currentTarget.value })}
          />
        )}
      </Field>
      <ConnectionTest form={form} storedId={stored?.id} check={check} onListed={setListed} />
      <details className={styles["more"]} open={stored !== undefined || undefined}>
        <summary>{t("provider.more")}</summary>
        <div className={styles["moreFields"]}>
          <Field label={t("assistant.name")} mistake={mistakeOf("name")}>
            {(props) => (
              <input
                {...props}
                type="text"
                dir="auto"
                autoComplete="off"
                value={form.name}
                className={fieldStyles["input"]}
                onBlur={leave("name")}
                onChange={(event) => change({ name: event.currentTarget.value })}
              />
            )}
          </Field>
          {info.baseUrl !== undefined && url}
          <ModelsField form={form} listed={listed} mistake={mistakes.models} onChange={change} />
        </div>
      </details>
      <div className={styles["foot"]}>
        {failure !== undefined && (
          <p role="alert" className={styles["failure"]}>
            {failure.message}
          </p>
        )}
        <Button onClick={onCancel}>{t("action.cancel")}</Button>
        <Button type="submit" look="strong" disabled={isSaving}>
          {saveLabel}
        </Button>
      </div>
    </form>
  );
}
