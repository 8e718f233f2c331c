import { idAtProvider } from "#contract/ids.ts";
import { type FormEvent, useRef, useState } from "react";
import { useBlocker } from "@tanstack/react-router";
import { limits } from "#contract/limits.ts";
import type { ModelInfo } from "#contract/endpoints/models.ts";
import type { Failure } from "#web/data/failure.ts";
import { failureOf } from "#web/data/failure.ts";
import { StarterList } from "#web/thread/greeting.tsx";
import { Avatar } from "#web/ui/avatar.tsx";
import { Button } from "#web/ui/button.tsx";
import { Confirm } from "#web/ui/confirm.tsx";
import { t } from "#web/i18n/translate.ts";
import { AvatarField } from "./avatar-field.tsx";
import { Field, fieldStyles } from "./field.tsx";
import { avatarTextOf, mistakesOf, type AssistantForm, type FormField } from "./form.ts";
import { ParameterFields } from "./parameter-fields.tsx";
import { ToolsField } from "./tools-field.tsx";
import styles from "./assistant-editor.module.css";

/** The form of an assistant. A field is validated when it loses the focus, and on every change after that. */
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
  /** Throws errors that `failureOf` can translate. */
  onSave(form: AssistantForm): Promise<void>;
  onCancel(): void;
}) {
  const [form, setForm] = useState(first);
  const [left, setLeft] = useState<ReadonlySet<FormField>>(new Set());
  const [failure, setFailure] = useState<Failure>();
  const [isSaving, setSaving] = useState(false);
  const element = useRef<HTMLFormElement>(null);
  const isSaved = useRef(false);
  const isChanged = JSON.stringify(form) !== JSON.stringify(first);
  const blocker = useBlocker({
    shouldBlockFn: () => isChanged && !isSaved.current,
    enableBeforeUnload: () => isChanged && !isSaved.current,
    withResolver: true,
  });

  const mistakes = mistakesOf(form);
  const mistakeOf = (field: FormField) => (left.has(field) ? mistakes[field] : undefined);
  const change = (next: Partial<AssistantForm>) => setForm((now) => ({ ...now, ...next }));
  const leave = (field: FormField) => () => setLeft((now) => new Set([...now, field]));

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    const wrong = Object.keys(mistakes) as FormField[];
    setLeft(new Set(wrong));
    setFailure(undefined);
    if (wrong.length > 0) {
      // After the fields with errors have rendered.
      requestAnimationFrame(() =>
        element.current?.querySelector<HTMLElement>("[aria-invalid='true']")?.focus(),
      );
      return;
    }
    if (isSaving) return;
    setSaving(true);
    isSaved.current = true;
    try {
      await onSave(form);
    } catch (error) {
      isSaved.current = false;
      setFailure(failureOf(error));
      setSaving(false);
    }
  }

  const input = fieldStyles["input"];
  return (
    <form ref={element} noValidate className={styles["form"]} onSubmit={(event) => void save(event)}>
      <Field label={t("assistant.name")} mistake={mistakeOf("name")}>
        {(props) => (
          <input
            {...props}
            type="text"
            dir="auto"
            required
            autoComplete="off"
            value={form.name}
            className={input}
            onBlur={leave("name")}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
        )}
      </Field>
      <AvatarField form={form} mistake={mistakes.avatarText} onChange={change} />
      <Field
        label={t("assistant.instructions")}
        hint={t("assistant.instructionsHint", {
          count: form.instructions.length,
          max: limits.instructionsCharacters,
        })}
        mistake={mistakes.instructions}
      >
        {(props) => (
          <textarea
            {...props}
            dir="auto"
            placeholder={t("assistant.instructionsPlaceholder")}
            value={form.instructions}
            className={input}
            onChange={(event) => change({ instructions: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field
        label={t("model.label")}
        hint={t(models.length > 1 ? "assistant.modelHint" : "assistant.modelNone")}
      >
        {(props) => (
          <select
            {...props}
            value={form.model}
            className={input}
            onChange={(event) => change({ model: event.currentTarget.value })}
          >
            <option value="">{t("assistant.modelAny")}</option>
            {form.model !== "" && models.every(({ id }) => id !== form.model) && (
              <option value={form.model}>
                {t("assistant.modelGone", { name: idAtProvider(form.model) })}
              </option>
            )}
            {models.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {models.length > 1 && (
        <Field label={t("assistant.fallbackModel")} hint={t("assistant.fallbackModelHint")}>
          {(props) => (
            <select
              {...props}
              value={form.fallbackModel}
              className={input}
              onChange={(event) => change({ fallbackModel: event.currentTarget.value })}
            >
              <option value="">{t("assistant.noFallbackModel")}</option>
              {form.fallbackModel !== "" && models.every(({ id }) => id !== form.fallbackModel) && (
                <option value={form.fallbackModel}>
                  {t("assistant.modelGone", { name: idAtProvider(form.fallbackModel) })}
                </option>
              )}
              {models.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <fieldset className={styles["group"]}>
        <legend className={fieldStyles["legend"]}>{t("assistant.starters")}</legend>
        <p className={fieldStyles["note"]}>{t("assistant.startersHint")}</p>
        {form.starters.map((text, index) => (
          // The starters have no ids.
          <div key={index} className={styles["starter"]}>
            <input
              type="text"
              dir="auto"
              autoComplete="off"
              aria-label={t("assistant.starter", { number: index + 1 })}
              aria-invalid={mistakes[`starter${index}`] !== undefined}
              value={text}
              className={input}
              onChange={(event) => {
                const { value } = event.currentTarget;
                change({ starters: form.starters.map((one, at) => (at === index ? value : one)) });
              }}
            />
            {mistakes[`starter${index}`] !== undefined && (
              <p role="alert" data-mistake className={fieldStyles["note"]}>
                {mistakes[`starter${index}`]}
              </p>
            )}
          </div>
        ))}
      </fieldset>
      <Preview form={form} />
      <ToolsField chosen={form.tools} onChange={(tools) => setForm((now) => ({ ...now, tools }))} />
      <ParameterFields form={form} mistakeOf={mistakeOf} onLeave={leave} onChange={change} />
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
      {blocker.status === "blocked" && (
        <Confirm
          text={t("assistant.leave")}
          label={t("assistant.leaveYes")}
          cancelLabel={t("assistant.leaveNo")}
          onConfirm={blocker.proceed}
          onCancel={blocker.reset}
        />
      )}
    </form>
  );
}

/** A preview of a new chat with the assistant. */
function Preview({ form }: { form: AssistantForm }) {
  const starters = form.starters.filter((text) => text.trim() !== "");
  const text = mistakesOf(form).avatarText === undefined ? avatarTextOf(form) : "?";
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
