import type { BackupSettings } from "#contract/backups/endpoints.ts";
import { limits } from "#contract/limits.ts";
import type { useBackups } from "#web/data/admin/backups.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { Form } from "../../form/form.tsx";
import { numberOf } from "../../form/numbers.ts";
import { TextField } from "../../form/text-field.tsx";
import { useForm } from "../../form/use-form.ts";
import { showingReason } from "./reason.ts";
import { TargetFields } from "./target-fields.tsx";
import {
  targetMistakes,
  targetOf,
  targetValuesOf,
  type TargetField,
  type TargetValues,
} from "./target-values.ts";

type Values = TargetValues & { time: string; keepDays: string; passphrase: string };
type FieldName = TargetField | "time" | "keepDays" | "passphrase";

/** Where and when backups are made, and with which passphrase. */
export function BackupForm({
  stored,
  backups,
  onRemoved,
  timeZone,
}: {
  stored: BackupSettings | null;
  backups: Pick<ReturnType<typeof useBackups>, "save" | "remove">;
  onRemoved(): void;
  timeZone: string;
}) {
  const hasPassphrase = stored?.has_passphrase === true;
  const form = useForm<Values, FieldName>({
    first: {
      ...targetValuesOf(stored?.target),
      time: stored?.time ?? "03:15",
      keepDays: String(stored?.keep_days ?? 14),
      passphrase: "",
    },
    mistakesOf: (values) => ({
      ...targetMistakes(values, stored?.target),
      ...(/^([01]\d|2[0-3]):[0-5]\d$/.test(values.time) ? {} : { time: t("backups.noTime") }),
      ...(isDays(values.keepDays)
        ? {}
        : { keepDays: t("backups.noDays", { max: limits.backupKeepDaysMax }) }),
      ...(values.passphrase.length >= limits.backupPassphraseMin ||
      (hasPassphrase && values.passphrase === "")
        ? {}
        : { passphrase: t("backups.shortPassphrase", { count: limits.backupPassphraseMin }) }),
    }),
    emptied: ["passphrase", "secret"],
    async onSave({ passphrase, time, keepDays, ...target }) {
      await showingReason(
        backups.save({
          target: targetOf(target),
          time,
          keep_days: Number(keepDays),
          ...(passphrase === "" ? {} : { passphrase }),
        }),
      );
      showToast(t("backups.saved"));
      return undefined;
    },
  });
  const { confirm, dialog } = useConfirmation();
  const remove = () =>
    confirm({
      text: t("backups.stopAsk"),
      label: t("backups.stop"),
      run: async () => {
        await backups.remove();
        onRemoved();
        return t("backups.stopped");
      },
    });
  return (
    <>
      <Form
        form={form}
        saveLabel={t("action.save")}
        otherButton={stored !== null && <Button onClick={remove}>{t("backups.stop")}</Button>}
      >
        <TargetFields
          values={form.values}
          stored={stored?.target}
          field={form.field}
          onChange={form.change}
        />
        <TextField
          label={t("backups.time")}
          hint={t("backups.timeHint", { zone: timeZone })}
          isCode
          type="time"
          {...form.field("time")}
        />
        <TextField label={t("backups.keepDays")} isCode inputMode="numeric" {...form.field("keepDays")} />
        <TextField
          label={t("backups.passphrase")}
          hint={t(hasPassphrase ? "backups.passphraseStored" : "backups.passphraseHint")}
          isCode
          type="password"
          autoComplete="new-password"
          name="backup-passphrase"
          {...form.field("passphrase")}
        />
      </Form>
      {dialog}
    </>
  );
}

function isDays(text: string): boolean {
  const days = numberOf(text);
  return days !== undefined && Number.isInteger(days) && days >= 1 && days <= limits.backupKeepDaysMax;
}
