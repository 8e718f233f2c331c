import { useState } from "react";
import { reasoningEfforts } from "#contract/provider-kinds.ts";
import { t } from "#web/i18n/translate.ts";
import { AreaField } from "../form/area-field.tsx";
import { fieldStyles } from "../form/field.tsx";
import { SelectField } from "../form/select-field.tsx";
import { TextField } from "../form/text-field.tsx";
import type { useForm } from "../form/use-form.ts";
import type { AssistantForm, FormField } from "./assistant-form.ts";
import styles from "./parameter-fields.module.css";

const fields = [
  { field: "temperature", label: "assistant.temperature", hint: "assistant.temperatureHint" },
  { field: "topP", label: "assistant.topP", hint: "assistant.topPHint" },
  { field: "maxOutputTokens", label: "assistant.maxOutputTokens", hint: "assistant.maxOutputTokensHint" },
  { field: "seed", label: "assistant.seed", hint: "assistant.seedHint" },
  { field: "stop", label: "assistant.stop", hint: "assistant.stopHint" },
] as const;

/** The model settings. Rarely needed, so they are collapsed while none is set. */
export function ParameterFields({
  form,
  field: propsOf,
}: {
  form: AssistantForm;
  field: ReturnType<typeof useForm<AssistantForm, FormField>>["field"];
}) {
  // The initial state: clearing a field must not collapse the section.
  const [isOpen] = useState(
    () => form.effort !== "" || form.providerOptions !== "" || fields.some(({ field }) => form[field] !== ""),
  );
  return (
    <details open={isOpen} className={styles["parameters"]}>
      <summary className={styles["summary"]}>{t("assistant.parameters")}</summary>
      <p className={fieldStyles["note"]}>{t("assistant.parametersHint")}</p>
      <div className={styles["fields"]}>
        {fields.map(({ field, label, hint }) => (
          <TextField
            key={field}
            label={t(label)}
            hint={t(hint)}
            inputMode={field === "stop" ? "text" : "decimal"}
            placeholder={t("assistant.parameterUnset")}
            {...propsOf(field)}
          />
        ))}
        <SelectField
          label={t("effort.label")}
          options={[
            ["", t("assistant.parameterUnset")],
            ...reasoningEfforts.map((effort) => [effort, t(`effort.${effort}`)] as const),
          ]}
          {...propsOf("effort")}
        />
        <AreaField
          label={t("assistant.providerOptions")}
          hint={t("assistant.providerOptionsHint", { example: '{ "openai": { "serviceTier": "flex" } }' })}
          dir="ltr"
          rows={3}
          spellCheck={false}
          autoComplete="off"
          className={styles["json"]}
          {...propsOf("providerOptions")}
        />
      </div>
    </details>
  );
}
