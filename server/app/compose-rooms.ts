import { createPrompts, type Prompts } from "../assistants/prompts/prompts.ts";
import { createHealthReports } from "../admin/health/health.ts";
import { createPasswordHasher } from "../auth/accounts/password-hash.ts";
import { createAuditRetention } from "../auth/people/audit-retention.ts";
import { createAttempts } from "../auth/attempts/attempts.ts";
import { createAuth } from "../auth/auth.ts";
import { createOrigins } from "../auth/origins.ts";
import { endProxySessions } from "../auth/proxy-sign-in/disconnect.ts";
import type { Files } from "../files/files.ts";
import type { StorageState } from "../lib/storage-state.ts";
import { createBranches } from "../messages/branch.ts";
import { type Messages, createMessages } from "../messages/messages.ts";
import { type Queue, createQueue } from "../messages/queue/queue.ts";
import { createCopyBranch } from "../messages/copy-branch.ts";
import { createMessageImport } from "../messages/import-messages.ts";
import { createRemoval } from "../messages/removal.ts";
import { createSummaries } from "../messages/summaries/summaries.ts";
import { createEvents } from "../protocol/events/events.ts";
import { createScores } from "../protocol/scores/scores.ts";
import { createAuthorsOf } from "../runs/authors.ts";
import { createLeases } from "../runs/leases/leases.ts";
import { stopWriters } from "../runs/lifecycle/stop-writers.ts";
import { createThreadImport } from "../threads/import-threads.ts";
import { createTransfer } from "../transfer/transfer.ts";
import { composeAccounts } from "./compose-accounts.ts";
import { composeErasure } from "./compose-erasure.ts";
import { composeFiles } from "./compose-files.ts";
import { composeRuns } from "./compose-runs.ts";
import { composeShares } from "./compose-shares.ts";
import { composeThreads } from "./compose-threads.ts";
import type { Dependencies } from "./dependencies.ts";

export type Rooms = Awaited<ReturnType<typeof composeRooms>>;

/** Creates every room once. */
export async function composeRooms(dependencies: Dependencies) {
  const { config, clock, db, quota } = dependencies;
  const { auth, origins } = await composeAuth(dependencies);
  const threadRooms = composeThreads(dependencies);
  const { live, threads, allowedTools, assistants, personalInstructions, tools, bookmarks } = threadRooms;
  const leases = createLeases();
  const prompts = createPrompts({ db, live, clock, rights: auth.rights });
  const attached = await composeFiles(dependencies, { live, leases });
  const { files, pages } = attached;
  const storage: StorageState = { database: db.problem, files: attached.problem };
  const { mentions } = files;
  const messages = createMessages({ db, threads, live, clock, mentions, bookmarks, quota });
  const summaries = createSummaries({ db, threads, live, clock });
  const queue = createQueue({ db, threads, live, clock, mentions, quota });
  const answers = composeRuns(dependencies, {
    rights: auth.rights,
    budgets: auth.budgets,
    leases,
    live,
    threads,
    allowedTools,
    assistants,
    personalInstructions,
    messages,
    summaries,
    queue,
    tools,
    files,
    pdf: attached.pdf,
    pages,
  });
  const rooms = {
    ...threadRooms,
    prompts,
    auth,
    origins,
    leases,
    attached,
    files,
    pages,
    storage,
    messages,
    summaries,
    queue,
    answers,
  };
  const contents = composeThreadContents(dependencies, rooms);
  const { suggestions } = answers;
  const erasure = composeErasure(dependencies, { ...rooms, ...contents, suggestions });
  // One for all passwords, so that the limit of what it does at once holds.
  const hasher = createPasswordHasher(dependencies.options.passwordCost);
  const attempts = createAttempts({ db, clock });
  const passwords = { hasher, attempts };
  return {
    ...rooms,
    ...contents,
    ...erasure,
    attempts,
    people: composeAccounts(dependencies, { auth, live, ...erasure, ...passwords }),
    auditRetention: createAuditRetention({ db, clock, defaultMs: config.retention.auditMs }),
    sharing: composeShares(dependencies, { ...rooms, ...contents, ...passwords, rights: auth.rights }),
    health: composeHealth(dependencies),
  };
}

function composeHealth({ config, clock, logger, db }: Dependencies) {
  const { databaseUrl, databaseDirectUrl: directUrl, dataDir, files, publicUrl } = config;
  const installation = { databaseUrl, directUrl, dataDir, s3: files.s3, publicUrl };
  return createHealthReports({ db, clock, logger, installation });
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

/** The rooms that read or change the contents of threads: branches, feedback, events, transfer. */
function composeThreadContents(
  dependencies: Dependencies,
  rooms: ReturnType<typeof composeThreads> & {
    prompts: Prompts;
    files: Files;
    messages: Messages;
    queue: Queue;
    answers: ReturnType<typeof composeRuns>;
  },
) {
  const { config, clock, logger, db, quota } = dependencies;
  const { live, threads, assistants, prompts, files, messages, queue } = rooms;
  const { runs } = rooms.answers;
  const { mentions } = files;
  const scores = createScores({ db, threads, messages, runs, live, clock });
  const authorsOf = createAuthorsOf({ db, assistants });
  const branches = createBranches({
    db,
    threads,
    live,
    clock,
    queue,
    mentions,
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
    messageImport: createMessageImport({ db, live, mentions, quota }),
  });
  const transfer = createTransfer({
    db,
    clock,
    live,
    threads,
    prompts,
    files,
    authorsOf,
    dataDir: config.dataDir,
    importBytes: config.importBytes,
    quota,
    logger,
  });
  return { authorsOf, scores, branches, events, removal, copyBranch, transfer };
}
