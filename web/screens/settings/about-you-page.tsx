import { formFields } from "#contract/form-fields.ts";
import { usePersonalInstructions } from "#web/data/prompts/personal-instructions.ts";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { AreaField } from "../form/area-field.tsx";
import { Form } from "../form/form.tsx";
import { mistakesByRules } from "../form/mistakes-by-rules.ts";
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
  const form = useForm({
    first: { text: first },
    mistakesOf: (values) => mistakesByRules(values, { text: rules }),
    async onSave({ text }) {
      await onSave(text);
      showToast(t("aboutYou.saved"));
      return undefined;
    },
  });
  return (
    <Form form={form} saveLabel={t("action.save")} onCancel={() => form.change({ text: first })}>
      <AreaField
        label={t("aboutYou.label")}
        hint={t("aboutYou.hint", { count: form.values.text.length, max: rules.max ?? 0 })}
        dir="auto"
        rows={8}
        placeholder={t("aboutYou.placeholder")}
        {...form.field("text")}
        mistake={form.mistakes.text}
      />
    </Form>
  );
}

const rules = formFields["personalInstructions.put"].instructions;
