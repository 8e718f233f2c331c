import { statfs } from "node:fs/promises";
import type { Database } from "#storage/database/database.ts";
import { tryWrite } from "#storage/log/try-write.ts";
import { StorageFullError } from "#storage/lib/errors.ts";
import { createReadiness, type CheckState, type Readiness } from "../lib/readiness.ts";
import type { StorageState } from "../lib/storage-state.ts";
import { needsDataDir } from "../settings/data-dir.ts";
import type { Dependencies } from "./dependencies.ts";

/** 16 MiB: less than one file and the database's log need. */
const littleSpaceBytes = 16 * 1024 * 1024;

/** The checks of `GET /readyz`: whether everything that the server writes to accepts writes. */
export function composeReadiness(
  { config, db, clock, logger, draining }: Dependencies,
  modules: { storage: StorageState; fileModules: { reachStore(): Promise<void> } },
): () => Promise<Readiness> {
  return createReadiness({
    checks: {
      database: async () => modules.storage.database()?.problem ?? (await databaseState(db)),
      ...(needsDataDir(config) ? { disk: async () => await spaceIn(config.dataDir) } : {}),
      async files() {
        const problem = modules.storage.files();
        if (problem === undefined) await modules.fileModules.reachStore();
        return problem?.problem ?? "ok";
      },
    },
    isDraining: () => draining.signal.aborted,
    clock,
    logger,
  });
}

async function databaseState(db: Database): Promise<CheckState> {
  try {
    await tryWrite(db);
    return "ok";
  } catch (error) {
    if (error instanceof StorageFullError) return "full";
    throw error;
  }
}

async function spaceIn(folder: string): Promise<CheckState> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize < littleSpaceBytes ? "full" : "ok";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "missing";
    throw error;
  }
}
