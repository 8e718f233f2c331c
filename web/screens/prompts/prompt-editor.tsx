import { useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import type { Prompt } from "#contract/prompts/endpoints.ts";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { usePrompts } from "#web/data/prompts/prompts.ts";
import { Notice } from "#web/ui/notice.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { CheckField } from "../form/check-field.tsx";
import { Field, fieldStyles } from "../form/field.tsx";
import { Form } from "../form/form.tsx";
import { TextField } from "../form/text-field.tsx";
import { useForm } from "../form/use-form.ts";
import { ListContent } from "../list-content.tsx";
import { BackLink, Page } from "../page.tsx";

/** `/prompts?edit=`: the form of a prompt, or of a new one (`new`). */
export function PromptEditor({ id }: { id: string }) {
  const list = usePrompts();
  const found = list.prompts.find((prompt) => prompt.id === id);
  const isMissing = id !== "new" && (found === undefined || (found.is_shared && !list.mayShare));
  return (
    <Page
      title={t(id === "new" ? "prompts.new" : "prompts.edit")}
      above={<BackLink to="/prompts">{t("screen.prompts")}</BackLink>}
    >
      <ListContent
        list={list}
        isEmpty={false}
        loadingLabel={t("prompts.loading")}
        failedTitle={t("prompts.failed")}
      >
        {isMissing ? (
          <Notice title={t("prompts.missing")} text={t("prompts.missingText")} />
        ) : (
          <PromptForm prompt={found} list={list} />
        )}
      </ListContent>
    </Page>
  );
}

function PromptForm({
  prompt,
  list: { mayShare, save },
}: {
  prompt: Prompt | undefined;
  list: ReturnType<typeof usePrompts>;
}) {
  const navigate = useNavigate();
  // The client creates the id, so that a repeated save does not create a second prompt.
  const [id] = useState(() => prompt?.id ?? newId("prompt"));
  const toList = async () => await navigate({ to: "/prompts" });
  const form = useForm<Values, keyof Values>({
    first: { title: prompt?.title ?? "", text: prompt?.text ?? "", isShared: prompt?.is_shared ?? false },
    mistakesOf,
    async onSave({ title, text, isShared }) {
      await save({ title, text, is_shared: isShared }, id);
      return () => void toList().then(() => showToast(t("prompts.saved", { title: title.trim() })));
    },
  });
  const { values, mistakeOf, change, leave } = form;
  return (
    <Form form={form} saveLabel={t("action.save")} onCancel={() => void toList()}>
      <TextField
        label={t("prompts.titleLabel")}
        hint={t("prompts.titleHint")}
        mistake={mistakeOf("title")}
        dir="auto"
        required
        autoFocus={prompt === undefined}
        value={values.title}
        onBlur={leave("title")}
        onChange={(title) => change({ title })}
      />
      <Field
        label={t("prompts.textLabel")}
        hint={t("prompts.textHint", { variable: "{{name}}" })}
        mistake={mistakeOf("text")}
      >
        {(props) => (
          <textarea
            {...props}
            dir={values.text === "" ? undefined : "auto"}
            required
            placeholder={t("prompts.textPlaceholder", { language: "{{language}}" })}
            value={values.text}
            className={fieldStyles["input"]}
            onBlur={leave("text")}
            onChange={(event) => change({ text: event.currentTarget.value })}
          />
        )}
      </Field>
      {mayShare && (
        <CheckField
          label={t("prompts.share")}
          hint={t("prompts.shareHint")}
          checked={values.isShared}
          onChange={(isShared) => change({ isShared })}
        />
      )}
    </Form>
  );
}

type Values = { title: string; text: string; isShared: boolean };

function mistakesOf({ title, text }: Values): Partial<Record<keyof Values, string>> {
  const mistakes: Partial<Record<keyof Values, string>> = {};
  const tooLong = (count: number, max: number) => t("assistant.tooLong", { count, max });
  if (title.trim() === "") mistakes.title = t("prompts.noTitle");
  else if (title.length > limits.promptTitleCharacters)
    mistakes.title = tooLong(title.length, limits.promptTitleCharacters);
  if (text.trim() === "") mistakes.text = t("prompts.noText");
  else if (text.length > limits.promptCharacters)
    mistakes.text = tooLong(text.length, limits.promptCharacters);
  return mistakes;
}
