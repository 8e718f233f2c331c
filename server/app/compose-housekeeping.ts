import { createAuthSweeps } from "../people/sweeps/session-sweeps.ts";
import { type Housekeeping, startHousekeeping } from "../runs/lifecycle/housekeeping.ts";
import type { Modules } from "./compose-modules.ts";
import type { Dependencies } from "./dependencies.ts";

/** Starts the periodic tasks of all modules. The tasks' names are in the log when they fail. */
export function composeHousekeeping(
  { config, clock, logger, db }: Dependencies,
  modules: Modules,
): Housekeeping {
  const { leases, storage, trash, bookmarks, messages, queue, events, files, pages, live, transfer } =
    modules;
  const { reaper } = modules.runModules;
  const authSweeps = createAuthSweeps({
    db,
    clock,
    keepMs: config.retention.sessionsMs,
    contentTables: ["threads", "files"],
    statisticsTables: ["runs", "model_requests", "scores", "events"],
    onWorkspacesDeleted: live.drop,
  });
  return startHousekeeping({
    db,
    clock,
    logger,
    leases,
    reaper,
    keepRunLogMs: config.retention.runLogsMs,
    storage,
    eraseTemporary: modules.temporary.eraseDue,
    tasks: {
      "emptying the trash": trash.expire,
      "deleting aborted imports": transfer.clear,
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
      "deleting old entries of the audit log": modules.auditRetention.sweep,
      "deleting unused files": files.sweeps.files,
      "deleting the bytes of deleted files": files.sweeps.bytes,
      "deleting old PDF pages": pages.sweep,
    },
  });
}
