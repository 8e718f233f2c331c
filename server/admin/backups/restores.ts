import type { BodyOf } from "#contract/api.ts";
import type { BackupTargetPut, RestoreProgress, StoredBackupShown } from "#contract/backups/endpoints.ts";
import type { RestoreProblem } from "#contract/backups/backups.ts";
import { ArchiveError } from "#storage/backup/archive.ts";
import { WrongPassphraseError } from "#storage/backup/encryption.ts";
import { openTarget, storedArchive, type BackupTarget } from "#storage/backup/target.ts";
import { BlobMissingError, BlobsUnreachableError } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import { operator } from "#server/audit/audit.ts";
import { isoTime, type Clock } from "#server/lib/clock.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { Routes } from "#server/lib/route.ts";
import type { Config } from "#server/settings/settings.ts";
import type { RestoreTask } from "./backup-process.ts";
import { createBackupVault } from "./backup-vault.ts";
import { placeOf } from "./backups.ts";
import { readPlan, targetOf } from "./plan.ts";
import * as rows from "./rows.ts";
import { BackupFailedError, runBackupProcess } from "./run-backup-process.ts";
import { listTarget } from "./try-target.ts";

/** The restore of this process, which outlives its servers: one of them begins it, and another one serves what it restored. */
export type Restoration = {
  progress: RestoreProgress | undefined;
  /** Closes the server, does `work`, and starts the server again. */
  restart(work: () => Promise<void>): void;
};

export type Restores = ReturnType<typeof createRestores>;

/** Restores of backups into a server that nobody has used yet. */
export function createRestores(options: {
  db: Database;
  clock: Clock;
  logger: Pick<Logger, "error" | "info">;
  config: Pick<Config, "backups" | "databaseUrl" | "databaseDirectUrl" | "dataDir" | "secret" | "files">;
  secret: string;
  /** Absent if the server cannot start again by itself. */
  restoration: Restoration | undefined;
}) {
  const { db, clock, logger, config, secret, restoration } = options;
  const vault = createBackupVault(secret);

  async function requireUnused(): Promise<void> {
    if (!(await rows.isUnused(db.read))) throw new AppError("server-not-empty");
  }

  async function findTarget(given: BackupTargetPut | null): Promise<BackupTarget> {
    if (given === null) {
      const plan = await readPlan(db.read, config, vault);
      if (plan === undefined) throw new AppError("backups-not-set");
      return plan.target;
    }
    if ((given.folder === null) === (given.bucket === null))
      throw badRequest("body.target", "must have a folder or a bucket, and null for the other one");
    if (given.bucket !== null && given.bucket.secret_access_key === undefined)
      throw badRequest("body.target.bucket.secret_access_key", "must be set");
    return targetOf(given, given.bucket?.secret_access_key);
  }

  async function list(given: BackupTargetPut | null): Promise<StoredBackupShown[]> {
    await requireUnused();
    const target = await findTarget(given);
    return (await listTarget(target)).map(({ name, madeAtMs, sizeBytes }) => ({
      name,
      made_at: isoTime(madeAtMs),
      size_bytes: sizeBytes,
      is_own: false,
    }));
  }

  /** Throws `wrong-passphrase` and `server-not-empty`, and `backup-target-refused` for a backup that cannot be read. */
  async function start({ target: given, name, passphrase }: BodyOf<"restores.start">, address: string) {
    await requireUnused();
    const target = await findTarget(given);
    await tryPassphrase(target, name, passphrase);
    const isBusy = ["checking", "restoring"].includes(restoration?.progress?.state ?? "");
    if (restoration === undefined || isBusy) throw new AppError("restore-not-possible");
    logger.info({ backup: name, address }, "restoring a backup");
    const task: RestoreTask = {
      kind: "restore",
      place: placeOf(config),
      target,
      name,
      passphrase,
      actor: { ...operator, address },
      nowMs: clock.now(),
    };
    restoration.progress = { state: "checking", rows: 0, rows_total: null, problem: null, text: null };
    restoration.restart(async () => await restore(restoration, task, logger));
  }

  return { list, start, progress: () => restoration?.progress ?? null };
}

/** Restores without a server, and keeps how it ended. Does not throw. */
async function restore(
  restoration: Restoration,
  task: RestoreTask,
  logger: Pick<Logger, "error">,
): Promise<void> {
  const set = (change: Partial<RestoreProgress>) => {
    restoration.progress = { ...restoration.progress!, ...change };
  };
  try {
    await runBackupProcess(task, { signal: new AbortController().signal, onProgress: set });
    set({ state: "done" });
  } catch (error) {
    logger.error({ err: error }, "the backup was not restored");
    const problem = error instanceof BackupFailedError ? (error.problem as RestoreProblem) : "other";
    set({ state: "failed", problem, text: (error as Error).message.slice(0, 2_000) });
  }
}

/** Decrypts the beginning. */
async function tryPassphrase(target: BackupTarget, name: string, passphrase: string): Promise<void> {
  try {
    const store = await openTarget(target);
    try {
      for await (const _ of storedArchive(store, name, passphrase).open()) break;
    } finally {
      store.close();
    }
  } catch (cause) {
    if (cause instanceof WrongPassphraseError) throw new AppError("wrong-passphrase", { cause });
    const isExpected = [BlobsUnreachableError, BlobMissingError, ArchiveError, TypeError].some(
      (kind) => cause instanceof kind,
    );
    if (!isExpected) throw cause;
    const details = [{ path: "body.name", message: (cause as Error).message }];
    throw new AppError("backup-target-refused", { cause, details });
  }
}

export function restoreRoutes(
  restores: Restores,
): Routes<"restores.list" | "restores.start" | "restores.get"> {
  return {
    "restores.list": async ({ body }) => ({ backups: await restores.list(body.target) }),
    "restores.start": async ({ body, request }) => {
      await restores.start(body, request.limitKey);
      return {};
    },
    "restores.get": async () => await Promise.resolve({ restore: restores.progress() }),
  };
}
