import { webhookEvents, type WebhookEvent } from "#contract/webhooks/webhooks.ts";
import { formFields } from "#contract/form-fields.ts";
import { t } from "#web/i18n/translate.ts";
import { CheckField } from "../../form/check-field.tsx";
import { FieldNote, fieldStyles } from "../../form/field.tsx";
import { Form } from "../../form/form.tsx";
import { TextField } from "../../form/text-field.tsx";
import { useForm } from "../../form/use-form.ts";
import { LinkDialog } from "../../link-dialog.tsx";
import styles from "./webhooks.module.css";

type Values = { url: string; events: WebhookEvent[] };

/** The form of a webhook: where requests go, and which. */
export function WebhookForm({
  first = { url: "", events: ["run.ended", "run.failed"] },
  saveLabel,
  onSave,
  onCancel,
}: {
  first?: Values;
  saveLabel: string;
  onSave(values: Values): Promise<(() => void) | undefined>;
  onCancel?: () => void;
}) {
  const form = useForm<Values>({
    first,
    mistakesOf: ({ url, events }) => ({
      ...(/^https?:\/\/\S+$/i.test(url.trim()) ? {} : { url: t("webhooks.noUrl") }),
      ...(events.length === 0 ? { events: t("webhooks.noEvents") } : {}),
    }),
    onSave: async ({ url, events }) => await onSave({ url: url.trim(), events }),
  });
  const { events } = form.values;
  const mistake = form.mistakeOf("events");
  return (
    <Form form={form} saveLabel={saveLabel} {...(onCancel === undefined ? {} : { onCancel })}>
      <TextField
        label={t("webhooks.url")}
        hint={t("webhooks.urlHint")}
        isCode
        required
        maxLength={formFields["webhooks.create"].url.max}
        {...form.field("url")}
      />
      <fieldset className={styles["events"]} aria-describedby="webhook-events-note">
        <legend className={fieldStyles["label"]}>{t("webhooks.events")}</legend>
        <div className={styles["choices"]}>
          {webhookEvents.map((event) => (
            <CheckField
              key={event}
              label={t(`webhookEvent.${event}`)}
              checked={events.includes(event)}
              onChange={(isChosen) =>
                form.change({
                  events: webhookEvents.filter((each) => (each === event ? isChosen : events.includes(each))),
                })
              }
            />
          ))}
        </div>
        <FieldNote id="webhook-events-note" mistake={mistake} hint={undefined} />
      </fieldset>
    </Form>
  );
}

/** Shows a new secret once. */
export function SecretDialog({ secret, onClose }: { secret: string; onClose(): void }) {
  return (
    <LinkDialog
      title={t("webhooks.secret")}
      about={t("webhooks.secretWhat")}
      link={secret}
      copyLabel={t("webhooks.copySecret")}
      onClose={onClose}
    />
  );
}
