import type { Health, HealthCheck } from "#contract/endpoints/health.ts";
import type { Database } from "#storage/database/database.ts";
import { databaseBytes, databaseVersion } from "#storage/database/size.ts";
import type { SteadyClock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { createIsolatedWorker } from "#server/lib/isolated-worker.ts";
import type { Logger } from "#server/lib/logger.ts";
import { programVersion } from "#server/lib/version.ts";
import { diskOf, type Installation } from "../doctor/diagnose.ts";
import type { Diagnosis } from "../doctor/doctor.ts";
import { countStored } from "./rows.ts";

/** What administrators see of the server itself. */
export type HealthReports = {
  report(): Promise<Health>;
  /** What `cli doctor` finds. Two callers at the same time get the same result. Throws `check-failed`. */
  check(): Promise<HealthCheck>;
  close(): Promise<void>;
};

/** Ten minutes. The checks read every row. */
const limitMs = 10 * 60_000;

export function createHealthReports(options: {
  db: Database;
  clock: SteadyClock;
  logger: Pick<Logger, "warn">;
  installation: Installation;
}): HealthReports {
  const { db, clock, logger, installation } = options;
  const startedAt = new Date(clock.now()).toISOString();
  // A thread, because SQLite blocks the one that reads.
  const doctor = createIsolatedWorker<number, Diagnosis>({
    program: new URL("./doctor-worker.ts", import.meta.url),
    workerData: installation,
    heapMb: 512,
    limitMs,
    idleMs: 1_000,
    waitingMax: 1,
    onDied: (error) => logger.warn({ err: error }, "the check of the database failed"),
  });
  const { signal } = new AbortController();
  let checking: Promise<HealthCheck> | undefined;

  async function check(): Promise<HealthCheck> {
    const startMs = clock.elapsedMs();
    const diagnosis = await doctor.run(clock.now(), signal).catch((cause: unknown) => {
      throw new AppError("check-failed", { cause });
    });
    return {
      ...diagnosis,
      checked_at: new Date(clock.now()).toISOString(),
      took_ms: Math.round(clock.elapsedMs() - startMs),
    };
  }

  return {
    async report() {
      const [version, bytes, stored, disk] = await Promise.all([
        databaseVersion(db),
        databaseBytes(db),
        countStored(db.readWorker),
        diskOf(installation.dataDir),
      ]);
      return {
        version: programVersion(),
        node_version: process.versions.node,
        started_at: startedAt,
        memory_bytes: process.memoryUsage.rss(),
        database: { engine: db.engine, version, size_bytes: bytes },
        file_storage: installation.s3 === undefined ? "disk" : "s3",
        ...stored,
        disk: disk === undefined ? null : { free_bytes: disk.freeBytes, total_bytes: disk.totalBytes },
      };
    },
    check: async () => await (checking ??= check().finally(() => (checking = undefined))),
    close: doctor.close,
  };
}
