import { useState } from "react";
import type { ProviderInfo } from "#contract/endpoints/providers.ts";
import { providerKindInfo, type ProviderKindId } from "#contract/provider-kinds.ts";
import { t } from "#web/i18n/translate.ts";
import { Form } from "../form/form.tsx";
import { TextField } from "../form/text-field.tsx";
import { type OnSave, useForm } from "../form/use-form.ts";
import { ModelsField } from "./models-field.tsx";
import { providerMistakesOf, type ProviderForm, type ProviderMistakes } from "./provider-form.ts";
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
  onSave: OnSave<ProviderForm>;
  onCancel(): void;
}) {
  const [listed, setListed] = useState(listedAtFirst);
  const lastFour = stored?.key_last_four ?? null;
  const state = useForm<ProviderForm, keyof ProviderMistakes>({
    first,
    mistakesOf: (values) => providerMistakesOf(values, lastFour !== null),
    onSave,
  });
  const { values: form, mistakes, field, change, check } = state;
  const info = providerKindInfo(form.kind);

  const url = (
    <TextField
      label={t("provider.url")}
      hint={urlHintOf(form.kind)}
      type="url"
      isCode
      placeholder={info.baseUrl ?? info.exampleUrl}
      {...field("baseUrl")}
    />
  );
  return (
    <Form form={state} saveLabel={saveLabel} onCancel={onCancel}>
      {info.baseUrl === undefined && url}
      <TextField
        label={t(info.key === "required" ? "provider.key" : "provider.keyOptional")}
        hint={
          info.keyUrl === undefined ? undefined : (
            <a href={info.keyUrl} target="_blank" rel="noreferrer">
              {t("provider.keyGet", { name: info.name })}
            </a>
          )
        }
        type="password"
        dir={form.apiKey === "" ? undefined : "ltr"}
        spellCheck={false}
        placeholder={lastFour === null ? undefined : t("provider.keyStored", { end: lastFour })}
        {...field("apiKey")}
      />
      <ConnectionTest form={form} storedId={stored?.id} check={check} onListed={setListed} />
      <details className={styles["more"]} open={stored !== undefined || undefined}>
        <summary>{t(info.baseUrl === undefined ? "provider.moreWithoutUrl" : "provider.more")}</summary>
        <div className={styles["moreFields"]}>
          <TextField label={t("assistant.name")} dir="auto" {...field("name")} />
          {info.baseUrl !== undefined && url}
          <ModelsField form={form} listed={listed} mistake={mistakes.models} onChange={change} />
        </div>
      </details>
    </Form>
  );
}

function urlHintOf(kind: ProviderKindId): string | undefined {
  if (kind === "openai-compatible") return t("provider.compatibleHint");
  return providerKindInfo(kind).baseUrl === undefined ? undefined : t("provider.urlHint");
}
