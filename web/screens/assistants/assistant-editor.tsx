import { limits } from "#contract/limits.ts";
import type { ModelInfo } from "#contract/endpoints/models.ts";
import { useModels } from "#web/data/assistants/models.ts";
import { StarterList } from "#web/thread/greeting.tsx";
import { Avatar } from "#web/ui/avatar.tsx";
import { t } from "#web/i18n/translate.ts";
import { AvatarField } from "./avatar-field.tsx";
import { AreaField } from "../form/area-field.tsx";
import { fieldStyles } from "../form/field.tsx";
import { CheckField } from "../form/check-field.tsx";
import { Form } from "../form/form.tsx";
import { TextField } from "../form/text-field.tsx";
import { type OnSave, useForm } from "../form/use-form.ts";
import { assistantMistakesOf, avatarTextOf, type AssistantForm, type FormField } from "./assistant-form.ts";
import { ModelSelect } from "./model-select.tsx";
import { ParameterFields } from "./parameter-fields.tsx";
import { StarterFields } from "./starter-fields.tsx";
import { ToolsField } from "./tools-field.tsx";
import styles from "./assistant-editor.module.css";

/** The form of an assistant. */
export function AssistantEditor({
  first,
  models,
  saveLabel,
  onSave,
  onCancel,
}: {
  first: AssistantForm;
  models: readonly ModelInfo[];
  saveLabel: string;
  onSave: OnSave<AssistantForm>;
  onCancel(): void;
}) {
  const state = useForm<AssistantForm, FormField>({ first, mistakesOf: assistantMistakesOf, onSave });
  const { isLocalOnly } = useModels();
  const { values: form, mistakes, field, change } = state;
  return (
    <Form form={state} saveLabel={saveLabel} onCancel={onCancel}>
      <TextField
        label={t("assistant.name")}
        dir="auto"
        required
        autoFocus={first.name === ""}
        {...field("name")}
      />
      <AvatarField form={form} mistake={mistakes.avatarText} onChange={change} />
      <AreaField
        label={t("assistant.instructions")}
        hint={t("assistant.instructionsHint", {
          count: form.instructions.length,
          max: limits.instructionsCharacters,
        })}
        dir="auto"
        placeholder={t("assistant.instructionsPlaceholder")}
        {...field("instructions")}
        mistake={mistakes.instructions}
      />
      <ModelSelect
        label={t("model.label")}
        hint={t(models.length > 1 ? "assistant.modelHint" : "assistant.modelNone")}
        none={t("assistant.modelAny")}
        value={form.model}
        models={models}
        onChange={(model) => change({ model })}
      />
      {models.length > 1 && (
        <ModelSelect
          label={t("assistant.fallbackModel")}
          hint={t("assistant.fallbackModelHint")}
          none={t("assistant.noFallbackModel")}
          value={form.fallbackModel}
          models={models}
          onChange={(fallbackModel) => change({ fallbackModel })}
        />
      )}
      <CheckField
        label={t("assistant.localOnly")}
        hint={t(isLocalOnly ? "assistant.localOnlyForAll" : "assistant.localOnlyHint")}
        checked={form.localOnly || isLocalOnly}
        disabled={isLocalOnly}
        onChange={(localOnly) => change({ localOnly })}
      />
      <StarterFields starters={form.starters} mistakes={mistakes} onChange={change} />
      <Preview form={form} />
      <ToolsField chosen={form.tools} onChange={(tools) => change({ tools })} />
      <ParameterFields form={form} field={field} />
    </Form>
  );
}

/** A preview of a new chat with the assistant. */
function Preview({ form }: { form: AssistantForm }) {
  const starters = form.starters.filter((text) => text.trim() !== "");
  const text = assistantMistakesOf(form).avatarText === undefined ? avatarTextOf(form) : "?";
  return (
    <figure className={styles["preview"]}>
      <figcaption className={fieldStyles["note"]}>{t("assistant.preview")}</figcaption>
      <div className={styles["who"]}>
        <Avatar look={{ text, colour: form.colour }} size="medium" />
        <bdi>{form.name.trim() === "" ? t("assistant.unnamed") : form.name}</bdi>
      </div>
      {starters.length > 0 && <StarterList starters={starters} />}
    </figure>
  );
}
