import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { BlobsUnreachableError } from "#storage/blobs/blobs.ts";
import { DatabaseInUseError } from "#storage/database/sqlite/lock.ts";
import { SchemaVersionError } from "#storage/migrations/migrate.ts";
import { UnsupportedPoolerError } from "#storage/database/postgres/pooler.ts";
import { StorageBusyError, StorageFullError } from "#storage/errors.ts";
import { startServer, type Running } from "./compose.ts";
import type { StartOptions } from "./foundation.ts";
import { ConfigError, readConfig } from "../settings/settings.ts";
import { DataDirError } from "../settings/data-dir.ts";
import { CannotListenError } from "../http/serve.ts";
import { createLogger, type Logger } from "../lib/logger.ts";

/** Failures of a start that the operator can mend: told in their own words, without a stack. */
const told = [
  BlobsUnreachableError,
  ConfigError,
  CannotListenError,
  DataDirError,
  DatabaseInUseError,
  SchemaVersionError,
  UnsupportedPoolerError,
  StorageBusyError,
  StorageFullError,
];

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Starts the server as the environment says, and ends the process where it cannot. `tools` are for tests. */
export function serve({ tools }: Pick<StartOptions, "tools"> = {}): void {
  start(tools).catch((error: unknown) => {
    const known = told.some((kind) => error instanceof kind);
    console.error(known ? `\nParlance cannot start. ${(error as Error).message}\n` : error);
    process.exit(1);
  });
}

async function start(tools: StartOptions["tools"]): Promise<void> {
  const config = readConfig(root);
  const logger = createLogger(config.logLevel);
  const running = await startServer(config, { logger, root, ...(tools === undefined ? {} : { tools }) });
  closeWhenAsked(running, logger);
  console.log(
    `\nParlance is listening on ${running.address}\nYour own link, for this browser to be the owner's: ${running.ownerLink}\n`,
  );
}

/** The first signal drains: answers end as interrupted and readers see it. A second one ends at once. */
function closeWhenAsked(running: Running, logger: Logger): void {
  let asked = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (asked) process.exit(1);
      asked = true;
      logger.info({ signal }, "going down");
      running.close().then(
        () => process.exit(0),
        (error: unknown) => {
          logger.error({ err: error }, "could not go down cleanly");
          process.exit(1);
        },
      );
    });
  }
}
