import { limits } from "#contract/limits.ts";
import { usePersonalInstructions } from "#web/data/prompts/personal-instructions.ts";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { Field, fieldStyles } from "../form/field.tsx";
import { Form } from "../form/form.tsx";
import { useForm } from "../form/use-form.ts";
import { ListContent } from "../list-content.tsx";
import { Page } from "../page.tsx";

/** `/settings/about-you`: what every assistant should know about this person. */
export function AboutYouPage() {
  const stored = usePersonalInstructions();
  return (
    <Page title={t("aboutYou.title")}>
      <ListContent
        list={stored}
        isEmpty={false}
        loadingLabel={t("aboutYou.loading")}
        failedTitle={t("aboutYou.failed")}
      >
        <InstructionsForm first={stored.instructions} onSave={stored.save} />
      </ListContent>
    </Page>
  );
}

function InstructionsForm({ first, onSave }: { first: string; onSave(text: string): Promise<void> }) {
  const form = useForm<{ text: string }, "text">({
    first: { text: first },
    mistakesOf: ({ text }) =>
      text.length > max ? { text: t("assistant.tooLong", { count: text.length, max }) } : {},
    async onSave({ text }) {
      await onSave(text);
      showToast(t("aboutYou.saved"));
      return undefined;
    },
  });
  const { text } = form.values;
  return (
    <Form form={form} saveLabel={t("action.save")} onCancel={() => form.change({ text: first })}>
      <Field
        label={t("aboutYou.label")}
        hint={t("aboutYou.hint", { count: text.length, max })}
        mistake={form.mistakes.text}
      >
        {(props) => (
          <textarea
            {...props}
            dir="auto"
            rows={8}
            placeholder={t("aboutYou.placeholder")}
            value={text}
            className={fieldStyles["input"]}
            onChange={(event) => form.change({ text: event.currentTarget.value })}
          />
        )}
      </Field>
    </Form>
  );
}

const max = limits.personalInstructionsCharacters;
