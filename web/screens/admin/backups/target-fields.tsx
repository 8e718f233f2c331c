import type { BackupTargetShown } from "#contract/backups/endpoints.ts";
import { t } from "#web/i18n/translate.ts";
import { SelectField } from "../../form/select-field.tsx";
import { TextField } from "../../form/text-field.tsx";
import { isStoredBucket, type TargetField, type TargetValues } from "./target-values.ts";

type FieldProps = {
  value: string;
  mistake: string | undefined;
  onBlur(): void;
  onChange(text: string): void;
};

/** The fields of a folder or of a bucket. */
export function TargetFields({
  values,
  stored,
  field,
  onChange,
}: {
  values: TargetValues;
  stored: BackupTargetShown | undefined;
  field(name: TargetField): FieldProps;
  onChange(change: Partial<TargetValues>): void;
}) {
  const text = (name: TargetField, hint?: string) => (
    <TextField label={t(`backups.${name}`)} hint={hint} isCode name={`backup-${name}`} {...field(name)} />
  );
  return (
    <>
      <SelectField
        label={t("backups.kind")}
        value={values.kind}
        options={[
          ["folder", t("backups.kindFolder")],
          ["bucket", t("backups.kindBucket")],
        ]}
        onChange={(kind) => onChange({ kind })}
      />
      {values.kind === "folder" ? (
        text("folder", t("backups.folderHint"))
      ) : (
        <>
          {text("endpoint", t("backups.endpointHint"))}
          {text("bucket")}
          {text("region")}
          <SelectField
            label={t("backups.style")}
            value={values.style}
            options={[
              ["path", t("backups.stylePath")],
              ["virtual", t("backups.styleVirtual")],
            ]}
            onChange={(style) => onChange({ style })}
          />
          {text("keyId")}
          <TextField
            label={t("backups.secret")}
            hint={isStoredBucket(values, stored) ? t("backups.secretStored") : undefined}
            isCode
            type="password"
            autoComplete="new-password"
            name="backup-secret"
            {...field("secret")}
          />
        </>
      )}
    </>
  );
}
