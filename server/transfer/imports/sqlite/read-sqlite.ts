import { join } from "node:path";
import { createProcessPool } from "#server/child-process/pool.ts";
import { ProcessError } from "#server/child-process/process.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { SqliteMessage, SqliteTask } from "./sqlite-process-messages.ts";

/** What a database of several gigabytes needs, with the time in which its rows are sorted. */
const timeMs = 60 * 60_000;
const memoryBytesMax = 512 * 1024 * 1024;

export type SqliteRows = Extract<SqliteMessage, { kind: "rows" | "too-large" }>;

/**
 * Reads tables of a SQLite database in a confined child process. Throws `import-damaged` for a database that is cut or
 * broken, and `too-large` for one that needs too much memory or time.
 */
export async function* readSqlite(
  task: SqliteTask,
  { logger, signal }: { logger: Pick<Logger, "warn">; signal: AbortSignal },
): AsyncGenerator<SqliteRows> {
  const pool = createProcessPool<SqliteTask, SqliteMessage>({
    logger,
    program: join(import.meta.dirname, "child", "main.ts"),
    folder: "server/transfer/imports/sqlite",
    readable: [task.path],
    timeMs,
    memoryBytesMax,
    processes: 1,
    waitingMax: 0,
  });
  try {
    for await (const message of pool.run(task, signal)) {
      if (message.kind === "damaged") throw new AppError("import-damaged", { cause: message.cause });
      if (message.kind !== "done") yield message;
    }
  } catch (error) {
    if (!(error instanceof ProcessError)) throw error;
    const isTooMuch = error.why === "timeout" || error.why === "out-of-memory";
    throw new AppError(isTooMuch ? "too-large" : "import-damaged", { cause: error });
  } finally {
    pool.close();
  }
}
