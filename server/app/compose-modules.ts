import { createBackups } from "../admin/backups/backups.ts";
import { createRestores } from "../admin/backups/restores.ts";
import { createTellOfBackup } from "../admin/backups/tell-of-backup.ts";
import { installationOf } from "../admin/doctor/installation.ts";
import { createHealthReports } from "../admin/health/health.ts";
import { createUpdateChecks } from "../admin/updates/updates.ts";
import { createGuardedFetch } from "../fetch/guarded-fetch.ts";
import { createPasswordHasher } from "../people/accounts/password-hash.ts";
import { createAuditRetention } from "../people/audit-retention.ts";
import { createAttempts } from "../sign-in/attempts/attempts.ts";
import { createAuth } from "../sign-in/auth.ts";
import { createOrigins } from "../apps/origins.ts";
import { endProxySessions } from "../sign-in/proxy-sign-in/disconnect.ts";
import type { Files } from "../files/files.ts";
import type { StorageState } from "../lib/storage-state.ts";
import { createBranches } from "../messages/branch.ts";
import { type Messages, createMessages } from "../messages/messages.ts";
import { type Queue, createQueue } from "../messages/queue/queue.ts";
import { createCopyBranch } from "../messages/copy-branch.ts";
import { createMessageImport } from "../messages/import-messages.ts";
import { createRemoval } from "../messages/removal.ts";
import { createSummaries } from "../messages/summaries/summaries.ts";
import { createAlerts } from "../protocol/alerts/alerts.ts";
import { createEvents } from "../protocol/events/events.ts";
import { createScores } from "../protocol/scores/scores.ts";
import { createAuthorsOf } from "../runs/run-authors.ts";
import { createLeases } from "../runs/leases/leases.ts";
import { stopWriters } from "../runs/lifecycle/stop-writers.ts";
import { createThreadImport } from "../threads/import-threads.ts";
import { createTransfer } from "../transfer/transfer.ts";
import { composeAccounts } from "./compose-accounts.ts";
import { composeBrowsing } from "./compose-browsing.ts";
import { composeErasure } from "./compose-erasure.ts";
import { composeNouns, type Nouns } from "./compose-nouns.ts";
import { composeFiles } from "./compose-files.ts";
import { composeRuns } from "./compose-runs.ts";
import { composeShares } from "./compose-shares.ts";
import { composeThreads } from "./compose-threads.ts";
import { mayStoreSecrets, type Dependencies } from "./dependencies.ts";
import { composeToolServers } from "./compose-tool-servers.ts";

export type Modules = Awaited<ReturnType<typeof composeModules>>;

/** Creates every module once. */
export async function composeModules(dependencies: Dependencies) {
  const { config, clock, db, quota } = dependencies;
  const { auth, origins } = await composeAuth(dependencies);
  const browsing = composeBrowsing(dependencies, {
    documentText: async (...file) => await runModules.documentText(...file),
  });
  const threadModules = composeThreads(dependencies, browsing.tools);
  const { live, threads, allowedTools, assistants, tools, toolRules, bookmarks } = threadModules;
  const leases = createLeases(db);
  const toolServerModules = composeToolServers(dependencies, { live, rights: auth.rights });
  const nouns = composeNouns(dependencies, {
    live,
    threads,
    toolRules,
    rights: auth.rights,
    toolServerModules,
  });
  const fileModules = await composeFiles(dependencies, { live, leases });
  const { files, pages } = fileModules;
  const storage: StorageState = { database: db.problem, files: fileModules.problem };
  const { fileReferences } = files;
  const messages = createMessages({ db, threads, live, clock, fileReferences, bookmarks, quota });
  const summaries = createSummaries({ db, threads, live, clock });
  const queue = createQueue({ db, threads, live, clock, fileReferences, quota });
  const runModules = composeRuns(dependencies, {
    rights: auth.rights,
    budgets: auth.budgets,
    leases,
    live,
    threads,
    allowedTools,
    assistants,
    personalInstructions: nouns.personalInstructions.module,
    messages,
    summaries,
    queue,
    tools,
    toolRules,
    toolServers: toolServerModules.offered,
    files,
    pdf: fileModules.pdf,
    pages,
  });
  const modules = {
    ...threadModules,
    browsing,
    nouns,
    toolServerModules,
    auth,
    origins,
    leases,
    fileModules,
    files,
    pages,
    storage,
    messages,
    summaries,
    queue,
    runModules,
  };
  const contents = composeThreadContents(dependencies, modules);
  const { suggestions } = runModules;
  const erasure = composeErasure(dependencies, { ...modules, ...contents, suggestions });
  // One for all passwords, so that the limit of what it does at once holds.
  const hasher = createPasswordHasher(dependencies.options.passwordCost);
  const attempts = createAttempts({ db, clock });
  const passwords = { hasher, attempts };
  const accounts = composeAccounts(dependencies, { auth, live, ...erasure, ...passwords });
  const backups = createBackups({
    ...dependencies,
    mayStoreSecrets: mayStoreSecrets(dependencies),
    tell: createTellOfBackup({
      ...dependencies,
      webhooks: nouns.webhooks.module,
      mail: accounts.mail,
      publicUrl: config.publicUrl,
    }),
  });
  return {
    ...modules,
    ...contents,
    ...erasure,
    attempts,
    accounts,
    alerts: createAlerts({
      ...dependencies,
      webhooks: nouns.webhooks.module,
      mail: accounts.mail,
      publicUrl: config.publicUrl,
    }),
    backups,
    restores: createRestores({ ...dependencies, restoration: dependencies.options.restoration }),
    auditRetention: createAuditRetention({ db, clock, defaultMs: config.retention.auditMs }),
    sharing: composeShares(dependencies, { ...modules, ...contents, ...passwords, rights: auth.rights }),
    health: createHealthReports({ ...dependencies, installation: installationOf(config), backups }),
    updates: createUpdateChecks({
      ...dependencies,
      guardedFetch: createGuardedFetch({ logger: dependencies.logger, ...config.fetch }),
      url: config.updates.url,
    }),
  };
}

async function composeAuth({ config, clock, logger, db, knownHosts, secret, heartbeatMs }: Dependencies) {
  const auth = await createAuth({
    db,
    clock,
    logger,
    secret,
    apiKey: config.apiKey,
    anonymous: config.anonymous,
    recheckMs: heartbeatMs,
  });
  if (config.proxySignIn.addresses.length === 0) await endProxySessions(db, clock.now());
  const origins = await createOrigins({
    db,
    clock,
    allowedForAll: config.allowedOrigins,
    isAllowedUnlisted: knownHosts.isOriginNear,
  });
  return { auth, origins };
}

/** The modules that read or change the contents of threads: branches, feedback, events, transfer. */
function composeThreadContents(
  dependencies: Dependencies,
  modules: ReturnType<typeof composeThreads> & {
    nouns: Nouns;
    files: Files;
    messages: Messages;
    queue: Queue;
    leases: ReturnType<typeof createLeases>;
    runModules: ReturnType<typeof composeRuns>;
  },
) {
  const { config, clock, logger, db, quota } = dependencies;
  const { live, threads, assistants, files, messages, queue } = modules;
  const { runs } = modules.runModules;
  const { fileReferences } = files;
  const scores = createScores({ db, threads, messages, runs, live, clock });
  const authorsOf = createAuthorsOf({ db, assistants });
  const branches = createBranches({
    db,
    threads,
    live,
    clock,
    queue,
    fileReferences,
    feedbackOf: scores.feedbackOf,
    authorsOf,
  });
  const events = createEvents({ db, threads, clock, keepMs: config.retention.eventsMs });
  const removal = createRemoval({ db, threads, live, clock, stopWriting: stopWriters });
  const copyBranch = createCopyBranch({
    db,
    clock,
    threads,
    authorsOf,
    threadImport: createThreadImport({ db, live, clock }),
    messageImport: createMessageImport({ db, live, fileReferences, quota }),
  });
  const transfer = createTransfer({
    db,
    clock,
    live,
    threads,
    prompts: modules.nouns.prompts.module,
    assistants,
    models: modules.runModules.models,
    files,
    authorsOf,
    dataDir: config.dataDir,
    importBytes: config.importBytes,
    quota,
    isStreaming: modules.leases.anyHeld,
    logger,
  });
  return { authorsOf, scores, branches, events, removal, copyBranch, transfer };
}
