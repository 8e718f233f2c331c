import { useState } from "react";
import { reasoningEfforts } from "#contract/provider-kinds.ts";
import type { ModelInfo } from "#contract/endpoints/models.ts";
import { t } from "#web/i18n/translate.ts";
import { fieldStyles } from "../form/field.tsx";
import { TextField } from "../form/text-field.tsx";
import { factsMistake, type FactsForm } from "./model-facts.ts";
import styles from "./model-facts-fields.module.css";

const numbers = [
  { field: "contextTokens", label: "facts.contextTokens" },
  { field: "outputTokens", label: "facts.outputTokens" },
  { field: "inputPrice", label: "facts.inputPrice" },
  { field: "outputPrice", label: "facts.outputPrice" },
  { field: "cachedPrice", label: "facts.cachedPrice" },
] as const;

const inputs: ModelInfo["reads"] = ["image", "pdf", "audio"];

/** Fields for facts about a model that its provider does not list, or lists wrongly. */
export function ModelFactsFields({
  model,
  facts,
  onChange,
}: {
  model: string;
  facts: FactsForm;
  onChange(next: FactsForm): void;
}) {
  const change = (next: Partial<FactsForm>) => onChange({ ...facts, ...next });
  const mistake = factsMistake(facts);
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className={styles["facts"]}
      open={isOpen || mistake !== undefined}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary aria-label={t("facts.of", { model })}>{t("facts.title")}</summary>
      <p className={fieldStyles["note"]}>{t("facts.hint")}</p>
      <div className={styles["numbers"]}>
        {numbers.map(({ field, label }) => (
          <TextField
            key={field}
            label={t(label)}
            inputMode="decimal"
            placeholder={t("facts.unset")}
            aria-invalid={mistake !== undefined && facts[field] !== ""}
            value={facts[field]}
            onChange={(text) => change({ [field]: text })}
          />
        ))}
      </div>
      {mistake !== undefined && (
        <p role="alert" data-mistake className={fieldStyles["note"]}>
          {mistake}
        </p>
      )}
      <Known
        label={t("facts.reads")}
        value={facts.reads}
        options={inputs.map((input) => ({ value: input, label: t(`model.reads.${input}`) }))}
        onChange={(reads) => change({ reads })}
      />
      <Known
        label={t("model.tools")}
        value={facts.tools === undefined ? undefined : facts.tools ? ["tools"] : []}
        options={[{ value: "tools", label: t("facts.toolsDo") }]}
        onChange={(tools) => change({ tools: tools && tools.length > 0 })}
      />
      <Known
        label={t("effort.label")}
        value={facts.efforts}
        options={reasoningEfforts.map((effort) => ({ value: effort, label: t(`effort.${effort}`) }))}
        onChange={(efforts) => change({ efforts })}
      />
    </details>
  );
}

/** A set of values: the provider's, or the owner's choice. */
function Known<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: readonly Value[] | undefined;
  options: readonly { value: Value; label: string }[];
  onChange(next: Value[] | undefined): void;
}) {
  const all = options.map((option) => option.value);
  return (
    <fieldset className={styles["known"]}>
      <legend className={fieldStyles["legend"]}>{label}</legend>
      <label className={styles["choice"]}>
        <input
          type="checkbox"
          checked={value === undefined}
          onChange={() => onChange(value === undefined ? [] : undefined)}
        />
        {t("facts.unset")}
      </label>
      {value !== undefined &&
        options.map((option) => (
          <label key={option.value} className={styles["choice"]}>
            <input
              type="checkbox"
              checked={value.includes(option.value)}
              onChange={() => onChange(all.filter((one) => (one === option.value) !== value.includes(one)))}
            />
            {option.label}
          </label>
        ))}
    </fieldset>
  );
}
