import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "#contract/json.ts";
import type { ArchiveLine, ArchiveSource, Contents } from "#storage/backup/archive.ts";
import type { BackupFile } from "#storage/backup/insert-backup.ts";
import { restore } from "#storage/backup/restore.ts";
import type { Blobs } from "#storage/blobs/blobs.ts";
import { openBlobs } from "#storage/blobs/open.ts";
import type { S3Location } from "#storage/blobs/s3-location.ts";
import type { Database } from "#storage/database/database.ts";
import { openDatabase } from "#storage/database/open.ts";
import { makeFolder } from "#storage/lib/make-folder.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import { rotateAllSecrets } from "./rotate-secrets.ts";

/** Where a backup is restored. */
export type RestorePlace = {
  databaseUrl: string | undefined;
  databaseDirectUrl: string | undefined;
  dataDir: string;
  /** The bucket of the files. */
  s3: S3Location | undefined;
  /** `PARLANCE_SECRET`, if it is set. */
  secret: string | undefined;
};

type Options = {
  place: RestorePlace;
  source: ArchiveSource;
  /** Whether the present contents of the database may be replaced. */
  replace: boolean;
  actor: Actor;
  details: JsonObject;
  nowMs: number;
  /** Tells the operator something that is no error. */
  log: (text: string) => void;
  onCheckedLine?: (line: ArchiveLine) => void;
  onLine?: (line: ArchiveLine) => void;
  /** Called with the backup's files before the commit. If it throws, nothing is restored. */
  beforeCommit?: (files: BackupFile[]) => void;
  /** Called with the restored database. */
  afterwards?: (db: Database) => Promise<void>;
};

/**
 * Restores a backup: its rows, its files, its secret, and in an encrypted one all other secrets, which are then encrypted
 * with the secret of this server. No server may be running. Throws what `restore` throws; then nothing was changed.
 */
export async function restoreBackup(options: Options): Promise<Contents> {
  const { place, log } = options;
  const { databaseUrl, databaseDirectUrl, dataDir, s3, secret } = place;
  const blobs = await openBlobs({ dataDir, s3 });
  const added: string[] = [];
  let oldSecret: string | undefined;
  const contents = await restore({
    place: { databaseUrl: databaseDirectUrl ?? databaseUrl, dataDir },
    source: options.source,
    replace: options.replace,
    ...(options.onCheckedLine === undefined ? {} : { onCheckedLine: options.onCheckedLine }),
    ...(options.onLine === undefined ? {} : { onLine: options.onLine }),
    async putBlob(key, sizeBytes, bytes) {
      if (!options.replace || (await blobs.size(key)) === undefined) added.push(key);
      await blobs.put(key, bytes, { sizeBytes });
    },
    async beforeCommit(files) {
      options.beforeCommit?.(files);
      oldSecret = files.find(({ name }) => name === "secret")?.text.trim();
      if (secret === undefined) await putSecret(dataDir, files, log);
    },
  }).catch(async (error: unknown) => {
    await removeAll(blobs, added);
    throw error;
  });
  const db = await openDatabase({ databaseUrl, directUrl: databaseDirectUrl, dataDir });
  try {
    if (secret !== undefined && oldSecret !== undefined && oldSecret !== secret) {
      const { left } = await rotateAllSecrets(db, { oldSecret, secret });
      if (left > 0) log(`${left} secrets were encrypted with yet another secret. Enter them again.`);
    }
    await options.afterwards?.(db);
    const { nowMs, actor } = options;
    const details = { ...options.details, taken_at: contents.head.created_at };
    await db.write(async (tx) => await recordAudit(tx, { action: "backup-restored", actor, details }, nowMs));
  } finally {
    await db.close();
  }
  return contents;
}

/** Nothing refers to these files, because the database is as it was. */
async function removeAll(blobs: Blobs, keys: readonly string[]): Promise<void> {
  for (const key of keys) await blobs.remove(key).catch(() => {});
}

async function putSecret(dataDir: string, files: BackupFile[], log: (text: string) => void): Promise<void> {
  const backedUp = files.find(({ name }) => name === "secret");
  if (backedUp === undefined)
    return log(
      "The backup contains no secret. If PARLANCE_SECRET was set when it was made, set the same value here.",
    );
  const path = join(dataDir, "secret");
  const current = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (current === backedUp.text) return;
  await makeFolder(dataDir);
  const temporaryPath = `${path}.restoring`;
  await writeFile(temporaryPath, backedUp.text, { mode: 0o600 });
  if (current !== undefined) {
    await rename(path, `${path}.before-restore`);
    log(`The previous secret of ${dataDir} is now secret.before-restore.`);
  }
  await rename(temporaryPath, path);
}
