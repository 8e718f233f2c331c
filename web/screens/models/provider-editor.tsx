import { useState } from "react";
import type { ProviderInfo } from "#contract/endpoints/providers.ts";
import { providerKindInfo } from "#contract/provider-kinds.ts";
import { t } from "#web/i18n/translate.ts";
import { Field, fieldStyles } from "../form/field.tsx";
import { Form } from "../form/form.tsx";
import { useForm } from "../form/use-form.ts";
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
  const [listed, setListed] = useState(listedAtFirst);
  const lastFour = stored?.key_last_four ?? null;
  const state = useForm<ProviderForm, keyof ProviderMistakes>({
    first,
    mistakesOf: (values) => mistakesOf(values, lastFour !== null),
    onSave,
  });
  const { values: form, mistakes, mistakeOf, change, leave, check } = state;
  const info = providerKindInfo(form.kind);

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
    <Form form={state} saveLabel={saveLabel} onCancel={onCancel}>
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
    </Form>
  );
}
