import type { BackupTargetPut, BackupTargetShown } from "#contract/backups/endpoints.ts";
import type { BackupTarget } from "#storage/backup/target.ts";
import type { S3Location } from "#storage/blobs/s3-location.ts";
import type { Kysely } from "#storage/database/sql.ts";
import type { Row, Tables } from "#storage/database/tables.ts";
import type { SecretVault } from "#server/sign-in/secret-vault.ts";
import type { Config } from "#server/settings/settings.ts";
import { backupSecretOf } from "./backup-vault.ts";
import * as rows from "./rows.ts";

/** Where and when backups are made: what the environment says, or else what the owner has set up. */
export type BackupPlan = {
  target: BackupTarget;
  time: string;
  keepDays: number;
  passphrase: string | undefined;
  isFromEnvironment: boolean;
};

type ShownBucket = NonNullable<BackupTargetShown["bucket"]>;

/** `undefined` if there are no backups. */
export async function readPlan(
  q: Kysely<Tables>,
  config: Pick<Config, "backups">,
  vault: SecretVault,
): Promise<BackupPlan | undefined> {
  const { folder, s3, time, keepDays, passphrase } = config.backups;
  const target = s3 !== undefined ? { s3 } : folder === undefined ? undefined : { folder };
  if (target !== undefined) return { target, time, keepDays, passphrase, isFromEnvironment: true };
  const stored = await rows.findSettings(q);
  if (stored === undefined) return undefined;
  const secrets = await rows.listSecrets(q);
  const secretOf = (id: rows.SecretName): string | undefined => {
    const row = secrets.find((each) => each.id === id);
    return row === undefined ? undefined : backupSecretOf(vault, row);
  };
  return {
    target: targetOf(shownTarget(stored), secretOf("secret-access-key")),
    time: stored.time,
    keepDays: stored.keep_days,
    passphrase: secretOf("passphrase"),
    isFromEnvironment: false,
  };
}

function shownTarget({ folder, bucket }: Row<"backup_settings">): BackupTargetShown {
  return { folder, bucket: bucket === null ? null : (JSON.parse(bucket) as ShownBucket) };
}

/** Without the secret, the service refuses every request. */
export function targetOf(
  { folder, bucket }: BackupTargetPut | BackupTargetShown,
  secretAccessKey: string | undefined,
): BackupTarget {
  if (bucket === null) return { folder: folder! };
  const { endpoint, region, style, access_key_id: accessKeyId, bucket: name } = bucket;
  const s3: S3Location = {
    endpoint: endpoint.replace(/\/$/, ""),
    bucket: name,
    region,
    style,
    accessKeyId,
    secretAccessKey: secretAccessKey ?? "missing",
  };
  return { s3 };
}

/** What people may see of a target. */
export function presentTarget(target: BackupTarget): BackupTargetShown {
  if ("folder" in target) return { folder: target.folder, bucket: null };
  const { endpoint, bucket, region, style, accessKeyId } = target.s3;
  return { folder: null, bucket: { endpoint, bucket, region, style, access_key_id: accessKeyId } };
}

/** Whether both are the same place with the same access key. Its secret is never sent to another one. */
export function isSameBucket(one: BackupTargetShown | undefined, two: BackupTargetShown): boolean {
  const [a, b] = [one?.bucket, two.bucket];
  if (a == null || b === null) return false;
  return a.endpoint === b.endpoint && a.bucket === b.bucket && a.access_key_id === b.access_key_id;
}
