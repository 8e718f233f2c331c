import type { Retention, RetentionPreview } from "#contract/retention/endpoints.ts";
import { formFields } from "#contract/form-fields.ts";
import { useRetention, type RetentionRules } from "#web/data/console/retention.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { showOutcome, showToast } from "#web/ui/toast.tsx";
import { printBytes, printList, printMoment, t } from "#web/i18n/translate.ts";
import { Form } from "../../form/form.tsx";
import { mistakesByRules } from "../../form/mistakes-by-rules.ts";
import { numberOf, numberText } from "../../form/numbers.ts";
import { TextField } from "../../form/text-field.tsx";
import { useForm } from "../../form/use-form.ts";
import { ListContent } from "../../list-content.tsx";
import screenStyles from "../../screen.module.css";
import styles from "./console.module.css";

/** How long the threads of an app and the texts of its spans are kept. */
export function RetentionView({ appId }: { appId: string }) {
  const stored = useRetention(appId);
  const { retention, put, preview } = stored;
  return (
    <ListContent
      list={stored}
      isEmpty={false}
      loadingLabel={t("console.loadingPart")}
      failedTitle={t("console.failedPart")}
    >
      <p className={screenStyles["about"]}>{t("retention.about")}</p>
      {retention?.next != null && (
        <NextRules
          next={retention.next}
          onCancel={() => showOutcome(put(rulesOf(retention)), t("retention.cancelled"))}
        />
      )}
      {retention !== undefined && (
        <RetentionForm
          // What was cancelled, or changed elsewhere, begins the form anew.
          key={JSON.stringify(rulesOf(retention.next ?? retention))}
          stored={retention}
          onPreview={preview}
          onSave={put}
        />
      )}
    </ListContent>
  );
}

/** What applies soon, and the way back. */
function NextRules({ next, onCancel }: { next: NonNullable<Retention["next"]>; onCancel(): void }) {
  return (
    <section aria-labelledby="retention-next" className={styles["next"]}>
      <h2 id="retention-next">
        {t("retention.from", { moment: printMoment(new Date(next.takes_effect_at)) })}
      </h2>
      <ul>
        {sentencesOf(next).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <Button onClick={onCancel}>{t("retention.cancel")}</Button>
    </section>
  );
}

type Values = Record<keyof RetentionRules, string>;

function RetentionForm({
  stored,
  onPreview,
  onSave,
}: {
  stored: Retention;
  onPreview: ReturnType<typeof useRetention>["preview"];
  onSave: ReturnType<typeof useRetention>["put"];
}) {
  const { confirm, dialog } = useConfirmation();
  const shown = rulesOf(stored.next ?? stored);
  const form = useForm<Values>({
    first: {
      keep_threads_days: numberText(shown.keep_threads_days ?? undefined),
      keep_span_texts_days: numberText(shown.keep_span_texts_days ?? undefined),
      keep_steps_days: numberText(shown.keep_steps_days ?? undefined),
    },
    mistakesOf: (values) => mistakesByRules(values, formFields["console.putRetention"]),
    async onSave(values) {
      const rules = {
        keep_threads_days: numberOf(values.keep_threads_days) ?? null,
        keep_span_texts_days: numberOf(values.keep_span_texts_days) ?? null,
        keep_steps_days: numberOf(values.keep_steps_days) ?? null,
      };
      const save = async () => {
        const { next } = await onSave(rules);
        return t(next === null ? "account.saved" : "retention.savedForLater");
      };
      if (deletesMore(rules, stored))
        confirm({ text: previewText(await onPreview(rules)), label: t("retention.confirm"), run: save });
      else showToast(await save());
      return undefined;
    },
  });
  return (
    <>
      <Form form={form} saveLabel={t("action.save")}>
        <TextField
          label={t("retention.threads")}
          hint={t("retention.threadsHint")}
          inputMode="numeric"
          isCode
          placeholder={t("retention.never")}
          {...form.field("keep_threads_days")}
        />
        <TextField
          label={t("retention.spans")}
          hint={t("retention.spansHint")}
          inputMode="numeric"
          isCode
          placeholder={t("retention.never")}
          {...form.field("keep_span_texts_days")}
        />
        <TextField
          label={t("retention.steps")}
          hint={t("retention.stepsHint")}
          inputMode="numeric"
          isCode
          placeholder={t("retention.noSteps")}
          {...form.field("keep_steps_days")}
        />
      </Form>
      {dialog}
    </>
  );
}

function rulesOf({
  keep_threads_days,
  keep_span_texts_days,
  keep_steps_days,
}: RetentionRules): RetentionRules {
  return { keep_threads_days, keep_span_texts_days, keep_steps_days };
}

function deletesMore(rules: RetentionRules, now: RetentionRules): boolean {
  const isLess = (wanted: number | null, current: number | null) =>
    wanted !== null && wanted < (current ?? Infinity);
  return (
    isLess(rules.keep_threads_days, now.keep_threads_days) ||
    isLess(rules.keep_span_texts_days, now.keep_span_texts_days) ||
    (rules.keep_steps_days ?? 0) < (now.keep_steps_days ?? 0)
  );
}

function sentencesOf({
  keep_threads_days: threads,
  keep_span_texts_days: spans,
  keep_steps_days: steps,
}: RetentionRules): string[] {
  return [
    threads === null ? t("retention.keepsThreads") : t("retention.deletesThreads", { count: threads }),
    ...(spans === null ? [] : [t("retention.emptiesSpans", { count: spans })]),
    ...(steps === null ? [] : [t("retention.keepsSteps", { count: steps })]),
  ];
}

function previewText({ threads, messages, files, bytes, spans }: RetentionPreview): string {
  const parts = [
    t("retention.previewThreads", { count: threads }),
    t("retention.previewMessages", { count: messages }),
    ...(files > 0 ? [t("retention.previewFiles", { count: files })] : []),
  ];
  return [
    threads > 0
      ? t("retention.preview", { parts: printList(parts), size: printBytes(bytes) })
      : t("retention.previewNothing"),
    ...(spans > 0 ? [t("retention.previewSpans", { count: spans })] : []),
    t("retention.previewDelay"),
  ].join(" ");
}
