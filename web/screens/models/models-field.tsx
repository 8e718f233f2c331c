import { useState } from "react";
import Plus from "lucide-react/icons/plus";
import { Button } from "#web/ui/button.tsx";
import { RadioGroup } from "#web/ui/radio-group.tsx";
import { t } from "#web/i18n/translate.ts";
import { fieldStyles } from "../form/field.tsx";
import { SelectField } from "../form/select-field.tsx";
import { noFacts, type ModelForm } from "./model-facts.ts";
import { ModelFactsFields } from "./model-facts-fields.tsx";
import type { ProviderForm } from "./provider-form.ts";
import styles from "./models-field.module.css";

type ListedModel = { id: string; name: string };

/** Which models are offered, under which names, and which one is the server's default. */
export function ModelsField({
  form,
  listed,
  mistake,
  onChange,
}: {
  form: ProviderForm;
  listed: readonly ListedModel[];
  mistake: string | undefined;
  onChange(next: Partial<ProviderForm>): void;
}) {
  const { models: chosen, defaultModel } = form;
  const offered = chosen ?? listed;
  const choose = (models: ProviderForm["models"]) => {
    const isDefaultOffered = models === undefined || models.some(({ id }) => id === defaultModel);
    onChange({ models, ...(isDefaultOffered ? {} : { defaultModel: "" }) });
  };
  return (
    <>
      <RadioGroup
        legend={t("provider.models")}
        value={chosen === undefined ? "all" : "some"}
        onChange={(value) => choose(value === "all" ? undefined : [])}
        options={[
          { value: "all", label: t("provider.modelsAll"), hint: t("provider.modelsAllHint") },
          { value: "some", label: t("assistant.toolsSome"), hint: t("assistant.toolsSomeHint") },
        ]}
      />
      {chosen !== undefined && <ChosenModels chosen={chosen} listed={listed} onChange={choose} />}
      {mistake !== undefined && (
        <p data-mistake className={fieldStyles["note"]}>
          {mistake}
        </p>
      )}
      <SelectField
        label={t("provider.default")}
        hint={t("provider.defaultHint")}
        value={defaultModel}
        options={[
          ["", t("provider.defaultNone")],
          ...(defaultModel === "" || offered.some(({ id }) => id === defaultModel)
            ? []
            : [[defaultModel, defaultModel] as const]),
          ...offered.map(({ id, name }) => [id, name || id] as const),
        ]}
        onChange={(next) => onChange({ defaultModel: next })}
      />
    </>
  );
}

/** Every listed model with a checkbox, those that were added by name, and the names of the chosen ones. */
function ChosenModels({
  chosen,
  listed,
  onChange,
}: {
  chosen: readonly ModelForm[];
  listed: readonly ListedModel[];
  onChange(models: ModelForm[]): void;
}) {
  const [added, setAdded] = useState("");
  const unlisted = chosen.filter(({ id }) => listed.every((model) => model.id !== id));
  const rows = [...listed, ...unlisted];
  const newModel = (id: string) => ({ id, name: "", facts: noFacts });
  const change = (id: string, next: Partial<ModelForm>) =>
    onChange(chosen.map((model) => (model.id === id ? { ...model, ...next } : model)));
  const add = () => {
    const id = added.trim();
    if (id === "") return;
    if (chosen.every((model) => model.id !== id)) onChange([...chosen, newModel(id)]);
    setAdded("");
  };
  return (
    <fieldset className={styles["models"]}>
      <legend className="visually-hidden">{t("provider.models")}</legend>
      <ul className={styles["list"]}>
        {rows.map(({ id, name }) => {
          const found = chosen.find((model) => model.id === id);
          return (
            <li key={id} className={styles["row"]}>
              <label className={styles["label"]}>
                <input
                  type="checkbox"
                  checked={found !== undefined}
                  onChange={() =>
                    onChange(
                      found === undefined
                        ? [...chosen, newModel(id)]
                        : chosen.filter((model) => model.id !== id),
                    )
                  }
                />
                <bdi>{id}</bdi>
              </label>
              {found !== undefined && (
                <input
                  type="text"
                  dir="auto"
                  autoComplete="off"
                  aria-label={t("provider.modelName", { model: id })}
                  placeholder={listed.some((model) => model.id === id) ? name : id}
                  value={found.name}
                  className={fieldStyles["input"]}
                  onChange={(event) => change(id, { name: event.currentTarget.value })}
                />
              )}
              {found !== undefined && (
                <ModelFactsFields
                  model={id}
                  facts={found.facts}
                  onChange={(facts) => change(id, { facts })}
                />
              )}
            </li>
          );
        })}
      </ul>
      <div className={styles["add"]}>
        <input
          type="text"
          dir="ltr"
          autoComplete="off"
          spellCheck={false}
          aria-label={t("provider.modelAdd")}
          placeholder={t("provider.modelAdd")}
          value={added}
          className={fieldStyles["input"]}
          onChange={(event) => setAdded(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            add();
          }}
        />
        <Button icon={Plus} onClick={add}>
          {t("provider.modelAddDo")}
        </Button>
      </div>
    </fieldset>
  );
}
