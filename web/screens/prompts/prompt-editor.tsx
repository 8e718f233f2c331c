import { useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import type { Prompt } from "#contract/prompts/endpoints.ts";
import { formFields } from "#contract/form-fields.ts";
import { newId } from "#contract/ids.ts";
import { usePrompts } from "#web/data/prompts/prompts.ts";
import { Notice } from "#web/ui/notice.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { AreaField } from "../form/area-field.tsx";
import { CheckField } from "../form/check-field.tsx";
import { Form } from "../form/form.tsx";
import { mistakesByRules } from "../form/mistakes-by-rules.ts";
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
  const form = useForm({
    first: { title: prompt?.title ?? "", text: prompt?.text ?? "", isShared: prompt?.is_shared ?? false },
    mistakesOf: (values) =>
      mistakesByRules(values, {
        title: { ...rules.title, missing: t("prompts.noTitle") },
        text: { ...rules.text, missing: t("prompts.noText") },
      }),
    async onSave({ title, text, isShared }) {
      await save({ title, text, is_shared: isShared }, id);
      return () => void toList().then(() => showToast(t("prompts.saved", { title: title.trim() })));
    },
  });
  return (
    <Form form={form} saveLabel={t("action.save")} onCancel={() => void toList()}>
      <TextField
        label={t("prompts.titleLabel")}
        hint={t("prompts.titleHint")}
        dir="auto"
        required
        autoFocus={prompt === undefined}
        {...form.field("title")}
      />
      <AreaField
        label={t("prompts.textLabel")}
        hint={t("prompts.textHint", { variable: "{{name}}" })}
        dir={form.values.text === "" ? undefined : "auto"}
        required
        placeholder={t("prompts.textPlaceholder", { language: "{{language}}" })}
        {...form.field("text")}
      />
      {mayShare && (
        <CheckField label={t("prompts.share")} hint={t("prompts.shareHint")} {...form.checkbox("isShared")} />
      )}
    </Form>
  );
}

const rules = formFields["prompts.put"];
