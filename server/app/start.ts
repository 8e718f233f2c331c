import { once } from "node:events";
import { createServer } from "node:http";
import { BlobsUnreachableError } from "#storage/blobs/blobs.ts";
import { DatabaseInUseError } from "#storage/database/sqlite/lock.ts";
import { SchemaVersionError } from "#storage/lib/errors.ts";
import {
  DatabaseSetupError,
  StorageBusyError,
  StorageFullError,
  UnsupportedPoolerError,
} from "#storage/lib/errors.ts";
import { startServer, type Running } from "./compose.ts";
import type { Restoration } from "../admin/backups/restores.ts";
import type { StartOptions } from "./dependencies.ts";
import { ConfigError, readConfig, settingWarnings } from "../settings/settings.ts";
import { DataDirError, fileErrorMessage } from "../settings/data-dir.ts";
import { setUpNetwork } from "../fetch/process-network.ts";
import { CannotListenError } from "../http/serve.ts";
import { createLogger, flushLog, type Logger } from "../lib/logger.ts";
import { checkExtras } from "../extras/find-extra.ts";
import { commandLine, programFolder } from "../lib/program.ts";

/** Errors that the operator can fix. Only their message is printed, without a stack. */
const operatorErrors = [
  BlobsUnreachableError,
  ConfigError,
  CannotListenError,
  DataDirError,
  DatabaseInUseError,
  DatabaseSetupError,
  SchemaVersionError,
  UnsupportedPoolerError,
  StorageBusyError,
  StorageFullError,
];

type ServeOptions = Pick<StartOptions, "tools"> & {
  /** Has `.env`. Paths in settings are relative to it. By default the program's folder. */
  folder?: string;
  environment?: NodeJS.ProcessEnv;
};

/**
 * Starts the server with the settings of the environment, and resolves when it listens. Exits if it cannot start. `tools`
 * are for tests.
 */
export async function serve(options: ServeOptions = {}): Promise<void> {
  try {
    await start(options);
  } catch (error) {
    const isOperatorError = operatorErrors.some((kind) => error instanceof kind);
    const message = isOperatorError ? (error as Error).message : fileErrorMessage(error);
    console.error(message === undefined ? error : `\nParlance cannot start. ${message}\n`);
    process.exit(1);
  }
}

async function start({ folder = programFolder, environment, tools }: ServeOptions): Promise<void> {
  const config = readConfig(folder, environment);
  setUpNetwork(config);
  const logger = createLogger(config.logLevel);
  for (const warning of settingWarnings(folder, environment)) logger.warn(warning);
  const restoration: Restoration = {
    progress: undefined,
    restart: (work) =>
      void restart(work).catch(async (error: unknown) => {
        logger.error({ err: error }, "the server did not start again");
        await flushLog();
        process.exit(1);
      }),
  };
  const options: StartOptions = {
    logger,
    root: programFolder,
    restoration,
    ...(tools === undefined ? {} : { tools }),
  };
  const server: { running: Running | undefined } = { running: await startServer(config, options) };
  closeOnSignal(server, logger, config.shutdownGraceMs);
  for (const { name, state } of await checkExtras(config.dataDir))
    if (state === "outdated" || state === "damaged")
      logger.warn({ extra: name, state }, `an extra is not used; add it again: ${commandLine} add ${name}`);
  await printAddress(server.running!);

  /** Serves nothing but how far `work` is until that is done. */
  async function restart(work: () => Promise<void>): Promise<void> {
    const { port, close } = server.running!;
    server.running = undefined;
    await close();
    const endStatus = await serveRestoreStatus({ host: config.host, port }, restoration);
    await work();
    await endStatus();
    server.running = await startServer({ ...config, port }, options);
    await printAddress(server.running);
  }
}

/** While a backup is restored, there is no server, but people can ask how far it is. Returns what ends it. */
async function serveRestoreStatus(
  { host, port }: { host: string; port: number },
  restoration: Pick<Restoration, "progress">,
): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    request.resume();
    const isStatus = request.method === "GET" && request.url?.endsWith("/v1/restores") === true;
    const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" };
    if (isStatus)
      return void response
        .writeHead(200, headers)
        .end(JSON.stringify({ restore: restoration.progress ?? null }));
    const body = { error: "A backup is being restored.", code: "shutting-down", retry: true };
    response.writeHead(503, { ...headers, "Retry-After": "5" }).end(JSON.stringify(body));
  }).listen(port, host);
  await once(server, "listening");
  return async () => {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
}

async function printAddress(running: Running): Promise<void> {
  const signIn = (await running.hasOwnerAccount())
    ? `Sign in: ${running.address}/sign-in`
    : `Owner link (signs this browser in as the owner): ${running.ownerLink}`;
  console.log(`\nParlance is listening on ${running.address}\n${signIn}\n`);
}

/** 20 s: closing takes less than 15 s if the database does not answer, and otherwise less than 1 s. */
const closeMaxMs = 20_000;

/** 500 ms: systemd signals all processes of a service, and those that started this one forward the signal as well. */
const sameSignalMs = 500;

/** The first signal drains the server and closes it. A second one ends the draining, a third one the process. */
function closeOnSignal(server: { running: Running | undefined }, logger: Logger, graceMs: number): void {
  const forceStop = new AbortController();
  let isClosing = false;
  let lastMs = -Infinity;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (performance.now() - lastMs < sameSignalMs) return;
      lastMs = performance.now();
      const { running } = server;
      // A restore that is interrupted changes nothing.
      if (running === undefined) process.exit(0);
      if (forceStop.signal.aborted) process.exit(1);
      if (isClosing) return forceStop.abort();
      isClosing = true;
      logger.info({ signal, answers: running.answersInProgress() }, "shutting down");
      if (signal === "SIGINT" && running.answersInProgress() > 0)
        console.log(
          `\nWaiting up to ${graceMs / 1_000} s for answers to finish. Press Ctrl+C again to stop now.`,
        );
      void close(running, logger, forceStop.signal).then(async (code) => {
        await flushLog();
        process.exit(code);
      });
    });
  }
}

/** Returns the exit code. */
async function close(running: Running, logger: Logger, forceStop: AbortSignal): Promise<number> {
  try {
    await running.drain(forceStop);
    setTimeout(() => process.exit(1), closeMaxMs).unref();
    await running.close();
    return 0;
  } catch (error) {
    logger.error({ err: error }, "shutting down failed");
    return 1;
  }
}
