import type { BackupProblem } from "#contract/backups/backups.ts";
import type {
  BackupHealth,
  BackupReport,
  BackupSettings,
  StoredBackupShown,
} from "#contract/backups/endpoints.ts";
import type { BodyOf } from "#contract/api.ts";
import type { Database } from "#storage/database/database.ts";
import type { Row } from "#storage/database/tables.ts";
import { actorOf, recordAudit, server, type Actor } from "#server/audit/audit.ts";
import type { Jobs } from "#server/jobs/jobs.ts";
import { isoTime, type Clock } from "#server/lib/clock.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import type { Logger } from "#server/lib/logger.ts";
import { versionText } from "#server/lib/program.ts";
import type { Routes } from "#server/lib/route.ts";
import { timeZoneOf } from "#server/lib/time-zone.ts";
import type { Config } from "#server/settings/settings.ts";
import type { BackedUp } from "./backup-process.ts";
import { createBackupVault } from "./backup-vault.ts";
import type { TellOfBackup } from "./tell-of-backup.ts";
import { isSameBucket, presentTarget, readPlan, targetOf, type BackupPlan } from "./plan.ts";
import * as rows from "./rows.ts";
import { BackupFailedError, runBackupProcess } from "./run-backup-process.ts";
import { nextAttempt, nextTime } from "./schedule.ts";
import { listTarget, tryTarget } from "./try-target.ts";

export type Backups = ReturnType<typeof createBackups>;

/** Encrypted backups that the server makes every day. One of the servers of a database makes each of them. */
export function createBackups(options: {
  db: Database;
  clock: Clock;
  logger: Pick<Logger, "info" | "warn" | "error">;
  jobs: Pick<Jobs, "add">;
  config: Pick<Config, "backups" | "databaseUrl" | "databaseDirectUrl" | "dataDir" | "secret" | "files">;
  secret: string;
  mayStoreSecrets: boolean;
  tell: TellOfBackup;
}) {
  const { db, clock, logger, jobs, config, secret, mayStoreSecrets, tell } = options;
  const vault = createBackupVault(secret);

  const findPlan = async (): Promise<BackupPlan | undefined> => await readPlan(db.read, config, vault);

  async function planOf(): Promise<BackupPlan> {
    const plan = await findPlan();
    if (plan === undefined) throw new AppError("backups-not-set");
    return plan;
  }

  function assertNotFromEnvironment(): void {
    if (config.backups.folder !== undefined || config.backups.s3 !== undefined)
      throw new AppError("backups-by-settings");
  }

  async function makeBackup(plan: BackupPlan, signal: AbortSignal): Promise<BackedUp> {
    if (plan.passphrase === undefined)
      throw new BackupFailedError(
        "passphrase-missing",
        plan.isFromEnvironment
          ? "BACKUP_PASSPHRASE is not set."
          : "This server does not have the passphrase, or it was encrypted with another secret. Enter it again.",
      );
    const made = await runBackupProcess(
      {
        kind: "back-up",
        place: placeOf(config),
        target: plan.target,
        installation: await rows.installationName(db, clock.now()),
        passphrase: plan.passphrase,
        secret,
        keepDays: plan.keepDays,
        version: versionText(),
        nowMs: clock.now(),
      },
      { signal },
    );
    await db.write(async (tx) => {
      const nowMs = clock.now();
      await rows.changeState(tx, {
        last_success_at: nowMs,
        last_success_name: made.name,
        last_success_bytes: made.sizeBytes,
      });
      const details = { file: made.name, has_files: true, has_keys: true };
      await recordAudit(tx, { action: "backup-made", actor: server, details }, nowMs);
    });
    if (made.damaged > 0)
      throw new BackupFailedError(
        "files-damaged",
        `${made.damaged} files have changed since they were stored. The backup ${made.name} has them as they are, and no older backup was removed. The doctor names the files.`,
      );
    return made;
  }

  /** Makes the backup that is due, and stores how it ended. */
  async function run(_: null, __: unknown, signal: AbortSignal): Promise<void> {
    const plan = await findPlan();
    const before = await rows.findState(db.read);
    // Another server has made it meanwhile.
    if (plan === undefined || (before?.due_at ?? Infinity) > clock.now()) return;
    const failures = before?.failures ?? 0;
    try {
      const made = await makeBackup(plan, signal);
      logger.info({ backup: made.name, bytes: made.sizeBytes, removed: made.removed }, "made a backup");
      await db.write(async (tx) => {
        await rows.changeState(tx, { due_at: nextTime(plan.time, clock.now()), failures: 0 });
        await tell.webhooks(tx, "backup.made", {});
      });
      if (failures > 0) await tell.people("backups-work");
    } catch (error) {
      signal.throwIfAborted();
      await storeFailure(plan, failures + 1, error);
      if (failures === 0) await tell.people("backup-failed");
    }
  }

  async function storeFailure(plan: BackupPlan, failures: number, error: unknown): Promise<void> {
    const isExpected = error instanceof BackupFailedError;
    const problem = isExpected ? (error.problem as BackupProblem) : "other";
    logger.error({ err: error, problem }, "a backup failed");
    await db.write(async (tx) => {
      const nowMs = clock.now();
      await rows.changeState(tx, {
        due_at: nextAttempt(plan.time, failures, nowMs),
        failures,
        last_failure_at: nowMs,
        last_failure_problem: problem,
        last_failure_text: (error as Error).message.slice(0, 2_000),
      });
      await tell.webhooks(tx, "backup.failed", { problem });
    });
  }

  /** Begins the job for the backup, if it is due. */
  async function beginDue(): Promise<void> {
    const plan = await findPlan();
    if (plan === undefined) return;
    const nowMs = clock.now();
    const dueAt = (await rows.findState(db.read))?.due_at ?? Infinity;
    if (dueAt <= nowMs) return await jobs.add("backup", "server", null, {});
    const next = nextTime(plan.time, nowMs);
    // It was never set, or for another time of day, or by a clock that was wrong.
    if (dueAt > next) await db.write(async (tx) => await rows.changeState(tx, { due_at: next }));
  }

  const nextOf = (plan: BackupPlan | undefined, state: Row<"backup_state"> | undefined): string | null =>
    plan === undefined ? null : isoTime(state?.due_at ?? nextTime(plan.time, clock.now()));

  async function put(actor: Actor, { target, time, keep_days, passphrase }: BodyOf<"backups.put">) {
    assertNotFromEnvironment();
    if (!mayStoreSecrets) throw new AppError("secret-not-set");
    if ((target.folder === null) === (target.bucket === null))
      throw badRequest("body.target", "must have a folder or a bucket, and null for the other one");
    const before = await findPlan();
    const { secret_access_key: given, ...bucket } = target.bucket ?? {};
    const shown = {
      folder: target.folder,
      bucket: target.bucket === null ? null : bucket,
    } as BackupSettings["target"];
    const stored = before === undefined ? undefined : presentTarget(before.target);
    const known = before !== undefined && "s3" in before.target && isSameBucket(stored, shown);
    const key = given ?? (known && "s3" in before.target ? before.target.s3.secretAccessKey : undefined);
    if (target.bucket !== null && key === undefined)
      throw badRequest("body.target.bucket.secret_access_key", "must be set, because the bucket is new");
    if (passphrase === undefined && before?.passphrase === undefined)
      throw badRequest("body.passphrase", "must be set");
    await tryTarget(targetOf(shown, key));
    await db.write(async (tx) => {
      const nowMs = clock.now();
      await rows.putSettings(tx, {
        id: "server",
        folder: shown.folder,
        bucket: shown.bucket === null ? null : JSON.stringify(shown.bucket),
        time,
        keep_days,
        updated_at: nowMs,
      });
      if (passphrase !== undefined)
        await rows.putSecret(tx, "passphrase", vault.encrypt(passphrase, "passphrase"));
      if (target.bucket === null) await rows.deleteSecret(tx, "secret-access-key");
      else await rows.putSecret(tx, "secret-access-key", vault.encrypt(key!, "secret-access-key"));
      await rows.changeState(tx, { due_at: nextTime(time, nowMs) });
      const place = shown.folder ?? `${shown.bucket!.endpoint} ${shown.bucket!.bucket}`;
      const details = { target: place, time, keep_days, new_passphrase: passphrase !== undefined };
      await recordAudit(tx, { action: "backup-settings-changed", actor, details }, nowMs);
    });
  }

  return {
    beginDue,
    run,
    put,

    async report(): Promise<BackupReport> {
      const plan = await findPlan();
      const state = await rows.findState(db.read);
      return {
        settings: plan === undefined ? null : presentPlan(plan),
        time_zone: timeZoneOf(undefined),
        next_at: nextOf(plan, state),
        is_running: await rows.hasJob(db.read),
        ...presentState(state),
      };
    },

    async health(): Promise<BackupHealth> {
      const plan = await findPlan();
      const state = await rows.findState(db.read);
      return { is_set: plan !== undefined, next_at: nextOf(plan, state), ...presentState(state) };
    },

    async remove(actor: Actor): Promise<void> {
      assertNotFromEnvironment();
      await db.write(async (tx) => {
        if (!(await rows.deleteSettings(tx))) throw new AppError("backups-not-set");
        await rows.changeState(tx, { due_at: null });
        const details = { removed: true };
        await recordAudit(tx, { action: "backup-settings-changed", actor, details }, clock.now());
      });
    },

    async start(): Promise<void> {
      await planOf();
      await db.write(async (tx) => await rows.changeState(tx, { due_at: clock.now() }));
      await beginDue();
    },

    async list(): Promise<StoredBackupShown[]> {
      const { target } = await planOf();
      const own = await rows.installationName(db, clock.now());
      return (await listTarget(target)).map((each) => ({
        name: each.name,
        made_at: isoTime(each.madeAtMs),
        size_bytes: each.sizeBytes,
        is_own: each.installation === own,
      }));
    },

    /** When the last backups succeeded and failed, in milliseconds since 1970. */
    async lastTimes(): Promise<{ successMs: number | undefined; failureMs: number | undefined }> {
      const { last_success_at: success, last_failure_at: failure } = (await rows.findState(db.read)) ?? {};
      return { successMs: success ?? undefined, failureMs: failure ?? undefined };
    },
  };
}

/** Where a backup is made from, or restored to. */
export function placeOf(
  config: Pick<Config, "databaseUrl" | "databaseDirectUrl" | "dataDir" | "secret" | "files">,
) {
  const { databaseUrl, databaseDirectUrl, dataDir, secret, files } = config;
  return { databaseUrl, databaseDirectUrl, dataDir, secret, s3: files.s3 };
}

function presentPlan(plan: BackupPlan): BackupSettings {
  return {
    target: presentTarget(plan.target),
    time: plan.time,
    keep_days: plan.keepDays,
    has_passphrase: plan.passphrase !== undefined,
    is_from_environment: plan.isFromEnvironment,
  };
}

function presentState(
  state: Row<"backup_state"> | undefined,
): Pick<BackupReport, "last_success" | "last_failure" | "failures"> {
  const { last_success_at: successAt, last_failure_at: failureAt } = state ?? {};
  return {
    last_success:
      successAt == null
        ? null
        : {
            at: isoTime(successAt),
            name: state!.last_success_name!,
            size_bytes: state!.last_success_bytes!,
          },
    last_failure:
      failureAt == null
        ? null
        : {
            at: isoTime(failureAt),
            problem: state!.last_failure_problem as BackupProblem,
            text: state!.last_failure_text!,
          },
    failures: state?.failures ?? 0,
  };
}

type Names = "backups.get" | "backups.put" | "backups.remove" | "backups.start" | "backups.list";

export function backupRoutes(backups: Backups): Routes<Names> {
  return {
    "backups.get": async () => await backups.report(),
    "backups.put": async ({ visitor, request, body }) => {
      await backups.put(actorOf({ visitor, request }), body);
      return {};
    },
    "backups.remove": async ({ visitor, request }) => {
      await backups.remove(actorOf({ visitor, request }));
      return {};
    },
    "backups.start": async () => {
      await backups.start();
      return {};
    },
    "backups.list": async () => ({ backups: await backups.list() }),
  };
}
