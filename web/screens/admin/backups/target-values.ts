import type { BackupTargetPut, BackupTargetShown } from "#contract/backups/endpoints.ts";
import { t } from "#web/i18n/translate.ts";

/** What is in the fields of a target. */
export type TargetValues = {
  kind: "folder" | "bucket";
  folder: string;
  endpoint: string;
  bucket: string;
  region: string;
  style: "path" | "virtual";
  keyId: string;
  secret: string;
};

export type TargetField = Exclude<keyof TargetValues, "kind" | "style">;

export function targetValuesOf(stored: BackupTargetShown | undefined): TargetValues {
  const bucket = stored?.bucket;
  return {
    kind: bucket == null ? "folder" : "bucket",
    folder: stored?.folder ?? "",
    endpoint: bucket?.endpoint ?? "",
    bucket: bucket?.bucket ?? "",
    region: bucket?.region ?? "us-east-1",
    style: bucket?.style ?? "path",
    keyId: bucket?.access_key_id ?? "",
    secret: "",
  };
}

export function targetOf(values: TargetValues): BackupTargetPut {
  if (values.kind === "folder") return { folder: values.folder.trim(), bucket: null };
  const { endpoint, bucket, region, style, keyId, secret } = values;
  return {
    folder: null,
    bucket: {
      endpoint: endpoint.trim(),
      bucket: bucket.trim(),
      region: region.trim(),
      style,
      access_key_id: keyId.trim(),
      ...(secret === "" ? {} : { secret_access_key: secret }),
    },
  };
}

/** Whether these are the bucket and the access key whose secret the server has. */
export function isStoredBucket(values: TargetValues, stored: BackupTargetShown | undefined): boolean {
  const [now, before] = [targetOf(values).bucket, stored?.bucket];
  if (now === null || before == null) return false;
  return (
    now.endpoint === before.endpoint &&
    now.bucket === before.bucket &&
    now.access_key_id === before.access_key_id
  );
}

export function targetMistakes(
  values: TargetValues,
  stored: BackupTargetShown | undefined,
): Partial<Record<TargetField, string>> {
  const missing = (text: string) => (text.trim() === "" ? t("backups.missing") : undefined);
  const all: Partial<Record<TargetField, string | undefined>> =
    values.kind === "folder"
      ? {
          folder:
            missing(values.folder) ??
            (/^(\/|[A-Za-z]:[\\/]|\\\\)/.test(values.folder.trim()) ? undefined : t("backups.notAbsolute")),
        }
      : {
          endpoint:
            missing(values.endpoint) ??
            (/^https?:\/\/[^/?#\s]+\/?$/.test(values.endpoint.trim()) ? undefined : t("backups.noUrl")),
          bucket: missing(values.bucket),
          region: missing(values.region),
          keyId: missing(values.keyId),
          secret: isStoredBucket(values, stored) ? undefined : missing(values.secret),
        };
  return Object.fromEntries(Object.entries(all).filter(([, mistake]) => mistake !== undefined));
}
