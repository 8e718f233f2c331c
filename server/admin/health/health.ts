import { setTimeout as sleep } from "node:timers/promises";
import type { BackupHealth } from "#contract/backups/endpoints.ts";
import type { Health, HealthCheck } from "#contract/endpoints/health.ts";
import type { Database } from "#storage/database/database.ts";
import { databaseBytes, databaseVersion } from "#storage/database/size.ts";
import { isoTime, type SteadyClock } from "#server/lib/clock.ts";
import { checkExtras } from "#server/extras/find-extra.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Logger } from "#server/lib/logger.ts";
import { commandLine, programCommit } from "#server/lib/program.ts";
import { programVersion } from "#storage/lib/program-version.ts";
import { diskOf } from "../doctor/diagnose.ts";
import type { Installation } from "../doctor/installation.ts";
import { countStored } from "./rows.ts";
import { runDoctor } from "./run-doctor.ts";

/** What administrators see of the server itself. */
export type HealthReports = {
  report(): Promise<Health>;
  /**
   * What `cli doctor` finds; null while the check still runs, so that the caller asks again. Then all callers get the same
   * result. Throws `check-failed`.
   */
  check(): Promise<HealthCheck | null>;
  close(): void;
};

/** Less than proxies and browsers wait for an answer. */
const waitMs = 20_000;
/** How long a result is kept for callers that ask again. */
const keepMs = 60_000;

export function createHealthReports(options: {
  db: Database;
  clock: SteadyClock;
  logger: Pick<Logger, "warn">;
  installation: Installation;
  backups: { health(): Promise<BackupHealth> };
}): HealthReports {
  const { db, clock, logger, installation, backups } = options;
  const startedAt = isoTime(clock.now());
  const closed = new AbortController();
  let checking: Promise<HealthCheck> | undefined;

  async function check(): Promise<HealthCheck> {
    const startMs = clock.elapsedMs();
    const diagnosis = await runDoctor({ installation, nowMs: clock.now() }, closed.signal).catch(
      (cause: unknown) => {
        if (!closed.signal.aborted) logger.warn({ err: cause }, "the check of the installation failed");
        throw new AppError("check-failed", { cause });
      },
    );
    return {
      ...diagnosis,
      checked_at: isoTime(clock.now()),
      took_ms: Math.round(clock.elapsedMs() - startMs),
    };
  }

  function start(): Promise<HealthCheck> {
    const started = check();
    const forget = () => {
      if (checking === started) checking = undefined;
    };
    // Callers that wait get the result at once; the others ask again within this time.
    void started.then(
      () => setTimeout(forget, keepMs).unref(),
      () => setTimeout(forget, keepMs).unref(),
    );
    return started;
  }

  return {
    async report() {
      const [version, bytes, stored, disk, extras, backupHealth] = await Promise.all([
        databaseVersion(db),
        databaseBytes(db),
        countStored(db.readWorker),
        diskOf(installation.dataDir),
        checkExtras(installation.dataDir),
        backups.health(),
      ]);
      return {
        version: programVersion(),
        commit: programCommit() ?? null,
        node_version: process.versions.node,
        started_at: startedAt,
        memory_bytes: process.memoryUsage.rss(),
        database: { engine: db.engine, version, size_bytes: bytes },
        file_storage: installation.s3 === undefined ? "disk" : "s3",
        backups: backupHealth,
        ...stored,
        disk: disk === undefined ? null : { free_bytes: disk.freeBytes, total_bytes: disk.totalBytes },
        extras: extras.map(({ name, state, languages }) => ({
          name,
          state,
          languages,
          command: `${commandLine} add ${name}`,
        })),
      };
    },
    async check() {
      checking ??= start();
      const running = checking;
      const outcome = await Promise.race([running, sleep(waitMs, null, { ref: false })]);
      // The next call starts another check.
      if (outcome !== null && checking === running) checking = undefined;
      return outcome;
    },
    close: () => closed.abort(new Error("the server is shutting down")),
  };
}
