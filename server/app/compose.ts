import { databaseBytes } from "#storage/database/size.ts";
import { hasOwnerAccount } from "../people/accounts/rows.ts";
import type { Config } from "../settings/settings.ts";
import { webAppUrl } from "../settings/urls.ts";
import { composeHttp, composeMetricsPort } from "./compose-http.ts";
import { composeJobs } from "./compose-jobs.ts";
import { composeReadiness } from "./compose-readiness.ts";
import { composeModules, type Modules } from "./compose-modules.ts";
import { composeRoutes } from "./compose-routes.ts";
import { openDependencies, type Dependencies, type StartOptions } from "./dependencies.ts";

/** A server that listens. */
export type Running = {
  /** The URL that is printed. */
  address: string;
  port: number;
  /** The port of the metrics, if it is a separate one. */
  metricsPort: number | undefined;
  /** Opening this once gives a browser the owner's session. */
  ownerLink: string;
  /** Whether the owner has an account, so that the link no longer works. */
  hasOwnerAccount(): Promise<boolean>;
  /** The answers that this process generates now. */
  answersInProgress(): number;
  /**
   * Starts no more answers and waits for those in progress until the grace period is over or `forceStop` aborts. All other
   * requests are served.
   */
  drain(forceStop: AbortSignal): Promise<void>;
  /**
   * Hands the answers in progress over to other servers, or ends them as interrupted if there can be none. Lets readers
   * receive the last events, and releases all resources.
   */
  close(): Promise<void>;
};

/** How long readers have to receive the last events after all answers have ended. */
const lastResponsesMs = 3_000;

/** How long streams continue after all answers have ended: reading the last events takes one database query. */
const lastEventsMs = 500;

/** Creates all modules and starts to listen. */
export async function startServer(config: Config, options: StartOptions): Promise<Running> {
  const dependencies = await openDependencies(config, options);
  const { clock, db, jobs, draining } = dependencies;
  const modules = await composeModules(dependencies);
  await cleanUpAfterLastProcess(dependencies, modules);
  modules.runModules.models.start();
  await composeJobs(dependencies, modules);

  const closing = new AbortController();
  const stopWork = async () => {
    await jobs.close();
    await modules.runModules.close();
    modules.toolServerModules.connections.close();
    modules.fileModules.close();
    await modules.tools.close();
    await modules.browsing.close();
    await modules.sharing.close();
    modules.health.close();
  };
  const closeStorage = async () => {
    await modules.bookmarks.close();
    await db.close();
  };
  const routes = composeRoutes(dependencies, modules);
  dependencies.metrics?.readAtScrape({
    parlance_runs_in_progress: () => modules.leases.held().length,
    parlance_queued_messages: modules.queue.count,
    parlance_database_size_bytes: async () => await databaseBytes(db),
    parlance_backup_last_success_timestamp_seconds: async () =>
      ((await modules.backups.lastTimes()).successMs ?? 0) / 1_000,
    parlance_backup_last_failure_timestamp_seconds: async () =>
      ((await modules.backups.lastTimes()).failureMs ?? 0) / 1_000,
  });
  const readiness = composeReadiness(dependencies, modules);
  const stopAfter = async (error: unknown): Promise<never> => {
    await stopWork();
    await closeStorage();
    throw error;
  };
  const metricsListening = await composeMetricsPort(dependencies).catch(stopAfter);
  const listening = await composeHttp(dependencies, { ...modules, routes, readiness }, closing.signal).catch(
    async (error: unknown) => {
      await metricsListening?.close(0);
      return await stopAfter(error);
    },
  );
  const { port } = listening;
  const address = webAppUrl(config, port);
  return {
    address,
    port,
    metricsPort: metricsListening?.port,
    ownerLink: `${address}/owner#${modules.auth.ownerSecret}`,
    hasOwnerAccount: async () => await hasOwnerAccount(db.read),
    answersInProgress: () => modules.leases.held().length,
    async drain(forceStop) {
      draining.abort();
      await modules.runModules.drain(forceStop);
    },
    async close() {
      draining.abort();
      const closed = listening.close(lastResponsesMs);
      await stopWork();
      // All runs have ended. Readers get the last events first; then the server ends streams and asks clients to retry.
      await Promise.race([closed, clock.sleep(lastEventsMs)]);
      closing.abort(new Error("the server is shutting down"));
      await closed;
      // Last, so that a scrape can see how the server ended.
      await metricsListening?.close(0);
      await closeStorage();
    },
  };
}

async function cleanUpAfterLastProcess(
  { logger }: Dependencies,
  { runModules, transfer }: Modules,
): Promise<void> {
  const interrupted = await runModules.reaper.sweep();
  if (interrupted > 0) logger.info({ interrupted }, "answers were interrupted when the server last ended");
  await transfer.clear();
}
