import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import { noCopy, openDatabase } from "#storage/database/open.ts";
import { DatabaseUnreachableError } from "#storage/lib/errors.ts";
import type { PasswordCost } from "../people/accounts/password-hash.ts";
import { loadSecret } from "../sign-in/secrets.ts";
import { systemClock, type SteadyClock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { logStorageChanges } from "../lib/storage-state.ts";
import { createMetrics, type Metrics } from "../metrics/metrics.ts";
import type { ProviderTimeouts } from "../models/providers/requests/watchdog.ts";
import { needsDataDir, prepareDataDir } from "../settings/data-dir.ts";
import type { Config } from "../settings/settings.ts";
import { createKnownHosts, type KnownHosts } from "../http/known-hosts.ts";
import { createJobs, type Jobs } from "../jobs/jobs.ts";
import { createQuota, type Quota } from "../quota/quota.ts";
import type { Restoration } from "../admin/backups/restores.ts";
import type { ToolDefinition } from "../tools/tool.ts";

export type StartOptions = {
  logger: Logger;
  /** The folder that contains `dist/web`. */
  root: string;
  clock?: SteadyClock;
  /** What lets people restore a backup into this server. */
  restoration?: Restoration;
  /** For tests: additional tools. */
  tools?: readonly ToolDefinition[];
  /** For tests: the timeouts for models. */
  modelTimeouts?: Partial<ProviderTimeouts>;
  /** For tests: the interval of heartbeats in streams, and of the checks of their credentials. */
  heartbeatMs?: number;
  /** For tests: after this time, a client that reads nothing is disconnected. */
  stalledReaderMs?: number;
  /** For tests: builds the renderers of shared threads, which are otherwise in `dist/share`. Returns their folder. */
  buildShareRenderers?: () => Promise<string>;
  /** For tests: how long the messages of a link may be rendered per minute. */
  shareRenderMsPerMinute?: number;
  /** For tests: how much a password hash costs. */
  passwordCost?: PasswordCost;
  /** For tests: how long a request body may take to arrive. */
  bodyMs?: number;
  /** For tests: how long the target of a webhook has for its response. */
  webhookMs?: number;
};

/** What all modules depend on. */
export type Dependencies = {
  config: Config;
  options: StartOptions;
  logger: Logger;
  clock: SteadyClock;
  db: Database;
  quota: Quota;
  jobs: Jobs;
  /** Absent if metrics are off. */
  metrics: Metrics | undefined;
  knownHosts: KnownHosts;
  /** Other secrets are derived from this one. */
  secret: string;
  heartbeatMs: number;
  /** Aborted when the process begins to shut down. From then on it starts no runs. */
  draining: AbortController;
};

/**
 * Whether secrets may be stored encrypted. Otherwise each server on PostgreSQL would create another secret to encrypt them
 * with, and a restored database would lack it.
 */
export function mayStoreSecrets({ config, db }: Pick<Dependencies, "config" | "db">): boolean {
  return db.engine === "sqlite" || config.secret !== undefined;
}

/** The folder of the built renderers of shared threads. */
export async function shareFolderOf({ root, buildShareRenderers }: StartOptions): Promise<string> {
  return (await buildShareRenderers?.()) ?? join(root, "dist", "share");
}

export async function openDependencies(config: Config, options: StartOptions): Promise<Dependencies> {
  const { logger } = options;
  if (needsDataDir(config)) await prepareDataDir(config.dataDir);
  const secret = await loadSecret(config.secret, config.dataDir);
  const clock = options.clock ?? systemClock;
  const isMeasured = config.metrics.port !== undefined || config.metrics.token !== undefined;
  const metrics = isMeasured ? createMetrics({ clock }) : undefined;
  const opened = await waitForDatabase(
    async () =>
      await openDatabase({
        databaseUrl: config.databaseUrl,
        directUrl: config.databaseDirectUrl,
        dataDir: config.dataDir,
        onStorageChange: logStorageChanges(logger, "database"),
        copies: {
          policy: config.updates.copyBeforeUpgrade,
          onMade: (copy) =>
            logger.info(
              { copy },
              "copied the database before upgrading it; delete the copy when the new version works",
            ),
          onNone: (why) => logger.warn(noCopy(why)),
        },
      }),
    { waitMs: config.databaseWaitMs, logger },
  );
  const db = metrics === undefined ? opened : withMeasuredWrites(opened, metrics, clock);
  const heartbeatMs = options.heartbeatMs ?? limits.streamHeartbeatMs;
  const { host, publicUrl, baseUrl, files } = config;
  const knownHosts = createKnownHosts({ host, publicUrl, urls: [baseUrl, files.origin] });
  const quota = createQuota({ db, totalBytes: config.files.quotaBytes });
  const jobs = createJobs({ db, clock, logger });
  const draining = new AbortController();
  return {
    config,
    options,
    logger,
    clock,
    db,
    quota,
    jobs,
    knownHosts,
    metrics,
    secret,
    heartbeatMs,
    draining,
  };
}

function withMeasuredWrites(db: Database, metrics: Metrics, clock: SteadyClock): Database {
  const measured =
    (write: Database["write"]): Database["write"] =>
    async (work) => {
      const startMs = clock.elapsedMs();
      const result = await write(work);
      metrics.databaseWrite(clock.elapsedMs() - startMs);
      return result;
    };
  return { ...db, write: measured(db.write), writeFirst: measured(db.writeFirst) };
}

const retryMs = 1_000;

/** How often the log says what the server waits for. */
const logIntervalMs = 10_000;

/**
 * Opens the database, and tries again for `waitMs` while PostgreSQL is unreachable, such as while it starts. The
 * waiting keeps the process alive.
 */
async function waitForDatabase<T>(
  open: () => Promise<T>,
  { waitMs, logger }: { waitMs: number; logger: Logger },
): Promise<T> {
  const endMs = performance.now() + waitMs;
  let loggedMs = -Infinity;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      const nowMs = performance.now();
      if (!(error instanceof DatabaseUnreachableError) || nowMs >= endMs) throw error;
      if (nowMs - loggedMs >= logIntervalMs) {
        loggedMs = nowMs;
        const leftSeconds = Math.ceil((endMs - nowMs) / 1_000);
        logger.warn(`${error.message} Waiting for PostgreSQL, at most ${leftSeconds} s.`);
      }
      await sleep(Math.min(retryMs, endMs - nowMs));
    }
  }
}
