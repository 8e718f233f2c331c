import { limits } from "#contract/limits.ts";
import { kinds } from "../jobs/kinds.ts";
import { createAuthSweeps } from "../people/sweeps/session-sweeps.ts";
import { createHousekeeping } from "../runs/lifecycle/housekeeping.ts";
import { handedOverTopic } from "../runs/log/topics.ts";
import type { Modules } from "./compose-modules.ts";
import type { Dependencies } from "./dependencies.ts";

/** A second: people wait in front of an answer whose process has ended. A sweep takes three short statements. */
const reapEveryMs = 1_000;
/** A second: what was written is found by then. */
const readEveryMs = 1_000;
/** A minute: by then, answers in threads that are to be erased have stopped. */
const eraseEveryMs = 60_000;
/** A minute: connections that nobody uses end after five. */
const idleEveryMs = 60_000;
/** 15 s: a rule is checked every minute. */
const alertsEveryMs = 15_000;

/** A minute: times of day are given in minutes. */
const backupsEveryMs = 60_000;

/** Starts the work in the background of all modules. */
export async function composeJobs(dependencies: Dependencies, modules: Modules): Promise<void> {
  const { config, clock, logger, db, jobs } = dependencies;
  const { leases, storage, runModules, indexer } = modules;
  const webhooks = modules.nouns.webhooks.module;
  const { closeIdle } = modules.toolServerModules.connections;
  const keepRunLogMs = config.retention.runLogsMs;
  const housekeeping = createHousekeeping({ db, clock, leases, keepRunLogMs });
  const sweeps = Object.entries(sweepsOf(dependencies, modules, housekeeping));
  // What each process does for itself, or reads in a table that is a queue already.
  jobs.every("renewing leases", limits.runHeartbeatMs, housekeeping.renewLeases);
  jobs.every("ending abandoned runs", reapEveryMs, runModules.reaper.sweep, handedOverTopic);
  jobs.every("checking the storage", limits.runHeartbeatMs, async () => {
    storage.database();
    storage.files();
  });
  // They are on the disk of each server.
  jobs.every("deleting aborted imports", kinds.sweep.everyMs!, modules.transfer.clear);
  jobs.every("erasing temporary threads", eraseEveryMs, modules.temporary.eraseDue);
  jobs.every("indexing texts for search", readEveryMs, indexer.indexTexts);
  jobs.every("indexing files for search", readEveryMs, indexer.indexFiles);
  jobs.every("extracting the texts of files", readEveryMs, runModules.extractionQueue.extractDue);
  jobs.every("looking for deliveries of webhooks", readEveryMs, webhooks.beginDue);
  jobs.every("closing unused connections to tool servers", idleEveryMs, closeIdle);
  jobs.every("looking for alert rules", alertsEveryMs, modules.alerts.beginDue);
  jobs.every("looking for the backup that is due", backupsEveryMs, modules.backups.beginDue);
  await jobs.start({
    title: runModules.titles.titleThread,
    "client-title": runModules.threadTitles.titleThread,
    compaction: runModules.compactor.compactThreadOf,
    recognition: runModules.recognizeScan,
    "reset-mail": modules.accounts.resetRequests.answer,
    "export-mail": modules.accounts.exportMails.send,
    webhook: webhooks.deliver,
    alerts: modules.alerts.checkDue,
    backup: modules.backups.run,
    async sweep(_, __, signal) {
      await Promise.all(
        sweeps.map(async ([task, work]) => {
          await work(signal).catch((error: unknown) =>
            logger.error({ err: error }, `failed at ${task}; trying again`),
          );
        }),
      );
    },
  });
}

/** What one of the servers does every few minutes: most of it deletes. The names are in the log when they fail. */
function sweepsOf(
  { config, clock, db }: Dependencies,
  modules: Modules,
  housekeeping: ReturnType<typeof createHousekeeping>,
): Record<string, (signal: AbortSignal) => Promise<unknown>> {
  const { trash, bookmarks, messages, queue, events, files, pages, live } = modules;
  const authSweeps = createAuthSweeps({
    db,
    clock,
    keepMs: config.retention.sessionsMs,
    contentTables: ["threads", "files"],
    statisticsTables: ["runs", "model_requests", "scores", "events"],
    onWorkspacesDeleted: live.drop,
  });
  return {
    "pruning logs": housekeeping.pruneLogs,
    "emptying the trash": trash.expire,
    "deleting old bookmarks": bookmarks.deleteOld,
    "deleting old positions of deleted messages": messages.deleteOld,
    "deleting removed queue entries": queue.deleteOld,
    "deleting accounts whose owners asked for it": modules.accounts.deletion.deleteDue,
    "deleting ended sessions": authSweeps.sessions,
    "deleting old requests for an account": authSweeps.joinRequests,
    "deleting visitors without content": authSweeps.visitors,
    "forgetting failed attempts to sign in": modules.attempts.sweep,
    "deleting old sums of usage": modules.auth.budgets.deleteOldSums,
    "deleting old events": events.sweep,
    "deleting old deliveries of webhooks": modules.nouns.webhooks.module.deleteOld,
    "deleting old entries of the audit log": modules.auditRetention.sweep,
    "deleting what apps no longer keep": modules.deleteOld,
    "looking for a newer release": modules.updates.look,
    "deleting unused files": files.sweeps.files,
    "deleting the bytes of deleted files": files.sweeps.bytes,
    "deleting old PDF pages": pages.sweep,
  };
}
