import type { EndpointName } from "#contract/api.ts";
import { limits } from "#contract/limits.ts";
import { openDatabase } from "#storage/database/open.ts";
import { createAssistants } from "../assistants/assistants.ts";
import { assistantRoutes } from "../assistants/routes.ts";
import { createAuth } from "../auth/auth.ts";
import { createOrigins } from "../auth/origins.ts";
import { authRoutes } from "../auth/routes.ts";
import { loadSecret } from "../auth/secrets.ts";
import { createAuthSweeps } from "../auth/sweeps.ts";
import { createTransfer } from "../transfer/transfer.ts";
import { systemClock } from "../lib/clock.ts";
import type { Config } from "../settings/settings.ts";
import { prepareDataDir } from "../settings/data-dir.ts";
import { composeFiles } from "./compose-files.ts";
import type { StartOptions } from "./foundation.ts";
import { composeHttp } from "./compose-http.ts";
import { composeRuns } from "./compose-runs.ts";
import { createEvents } from "../protocol/events/events.ts";
import { eventRoutes } from "../protocol/events/routes.ts";
import { exportRoutes } from "../transfer/exports/routes.ts";
import { fileRoutes } from "../files/routes.ts";
import { importRoutes } from "../transfer/imports/routes.ts";
import { createLive } from "../live/live.ts";
import { liveRoutes } from "../live/routes.ts";
import { createBranches } from "../messages/branch.ts";
import { createMessages } from "../messages/messages.ts";
import { createQueue } from "../messages/queue.ts";
import { messageRoutes } from "../messages/routes.ts";
import { createRemoval } from "../messages/removal.ts";
import { builtinInfo } from "../models/providers/builtin.ts";
import { modelRoutes } from "../models/routes.ts";
import { createErasure } from "../admin/erasure/erasure.ts";
import { erasureRoutes } from "../admin/erasure/routes.ts";
import { projectRoutes } from "../protocol/projects/routes.ts";
import { webAppUrl, serviceUrl } from "../settings/urls.ts";
import type { RequestFacts, Routes } from "../lib/route.ts";
import { startHousekeeping } from "../runs/lifecycle/housekeeping.ts";
import { createLeases } from "../runs/leases/leases.ts";
import { createAuthorsOf } from "../runs/authors.ts";
import { followRuns, stopWriters } from "../runs/lifecycle/stop-writers.ts";
import { createProjectRuns } from "../protocol/projects/project-runs.ts";
import { runRoutes } from "../runs/routes.ts";
import { protocolRunRoutes } from "../protocol/routes.ts";
import { scoreRoutes } from "../protocol/scores/routes.ts";
import { createScores } from "../protocol/scores/scores.ts";
import { startIndexer } from "../search/index-texts.ts";
import { createPassages } from "../search/passages/passages.ts";
import { createRecentThreads } from "../search/recent.ts";
import { searchRoutes } from "../search/routes.ts";
import { createSearch } from "../search/search.ts";
import { createAllowedTools } from "../threads/allowed-tools.ts";
import { createBookmarks } from "../threads/bookmarks.ts";
import { createClaims } from "../threads/claim.ts";
import { threadRoutes } from "../threads/routes.ts";
import { createThreads } from "../threads/threads.ts";
import { createSlots } from "../lib/concurrency-limit.ts";
import { assertStorageWritable, logStorageChanges, type StorageState } from "../lib/storage-state.ts";
import { createTrash } from "../threads/trash.ts";
import { toolRoutes } from "../tools/routes.ts";
import { createTools } from "../tools/tools.ts";

/** A server that listens. */
export type Running = {
  /** Where it listens, by its own word. */
  address: string;
  port: number;
  /** Opening this once gives a browser the owner's session. */
  ownerLink: string;
  /** Ends answers as interrupted, lets readers see it, and lets go of everything. */
  close(): Promise<void>;
};

/** How long readers have to take the last events, once every answer has ended. */
const drainMs = 3_000;

/** Exports that are being made for one person, and for all behind one address. */
const mostExports = { perVisitor: 4, perAddress: 32 };

/** How long streams go on once every answer has ended: a reader's last events are a read of the database away. */
const lastWordsMs = 500;

/** Builds every room once and starts to listen: the only place that knows them all. */
export async function startServer(config: Config, options: StartOptions): Promise<Running> {
  const { logger } = options;
  const clock = options.clock ?? systemClock;
  if (config.secret === undefined || config.databaseUrl === undefined || config.files.s3 === undefined)
    await prepareDataDir(config.dataDir);
  const secret = await loadSecret(config.secret, config.dataDir);
  const db = await openDatabase({
    databaseUrl: config.databaseUrl,
    directUrl: config.databaseDirectUrl,
    dataDir: config.dataDir,
    onStorageChange: logStorageChanges(logger, "database"),
  });
  const ground = { config, options, logger, clock, db, secret };

  const heartbeatMs = options.heartbeatMs ?? limits.streamHeartbeatMs;
  const auth = await createAuth({
    db,
    clock,
    logger,
    secret,
    apiKey: config.apiKey,
    anonymous: config.anonymous,
    recheckMs: heartbeatMs,
  });
  const origins = await createOrigins({ db, clock, allowedForAll: config.allowedOrigins });
  const live = createLive({ db });
  // A lone process (SQLite) answers every page of a walk itself; of several, any may be asked for the next.
  const bookmarks = createBookmarks({ db, clock, logger, saveAfterMs: db.engine === "sqlite" ? 5_000 : 20 });
  const indexer = startIndexer({ db, clock, logger });
  const tools = createTools({
    logger,
    askPerson: config.askPerson,
    ...(options.tools === undefined ? {} : { extraTools: options.tools }),
    threads: config.threadTools
      ? {
          passages: createPassages({ db, indexer }),
          recent: createRecentThreads({ db }),
          builtinId: builtinInfo.id,
        }
      : undefined,
  });
  const toolNames = () => tools.list().map(({ name }) => name);
  const assistants = createAssistants({ db, live, clock, toolNames });
  const threads = createThreads({ db, assistants, live, clock, bookmarks });
  const allowedTools = createAllowedTools({ db, clock, threads });
  const trash = createTrash({ db, live, clock });
  const leases = createLeases();
  const attached = await composeFiles(ground, { live, leases });
  const { files, pages } = attached;
  const storage: StorageState = { database: db.problem, files: attached.problem };
  const { mentions } = files;
  const messages = createMessages({ db, threads, live, clock, mentions, bookmarks });
  const queue = createQueue({ db, threads, live, clock, mentions });
  const answers = composeRuns(ground, {
    leases,
    live,
    threads,
    allowedTools,
    assistants,
    messages,
    queue,
    tools,
    files,
    pdf: attached.pdf,
    pages,
  });
  const { models, reaper, runs } = answers;

  const scores = createScores({ db, threads, messages, runs, live, clock });
  const makersOf = createAuthorsOf({ db, assistants });
  const branches = createBranches({
    db,
    threads,
    live,
    clock,
    queue,
    mentions,
    feedbackOf: scores.feedbackOf,
    authorsOf: makersOf,
  });
  const events = createEvents({ db, threads, clock, keepMs: config.retention.eventsMs });
  const removal = createRemoval({ db, threads, live, clock, stopWriting: stopWriters });
  const claims = createClaims({
    db,
    live,
    visitorOfToken: auth.visitorOfRefreshToken,
    moveHooks: [
      files.follow,
      messages.reassign,
      queue.reassign,
      followRuns,
      scores.reassign,
      events.reassign,
    ],
  });
  const erasure = createErasure({
    db,
    clock,
    logger,
    live,
    auth,
    erasers: [files.erase, messages.redact, queue.erase, scores.erase, events.erase],
  });

  const { importBytes, dataDir } = config;
  const carrying = createTransfer({
    db,
    clock,
    live,
    threads,
    files,
    authorsOf: makersOf,
    dataDir,
    importBytes,
    logger,
  });

  const search = createSearch({ db, indexer });
  const baseOf = (request: RequestFacts) => serviceUrl(config, request);

  const routes: Routes<EndpointName> = {
    ...authRoutes(auth),
    ...threadRoutes(threads, claims, trash, allowedTools),
    ...messageRoutes(messages, branches, removal, queue),
    ...runRoutes(answers),
    ...protocolRunRoutes(answers),
    ...fileRoutes(files, pages, baseOf),
    ...scoreRoutes(scores),
    ...eventRoutes(events),
    ...projectRoutes(createProjectRuns({ db, clock })),
    ...erasureRoutes(erasure),
    ...modelRoutes(models),
    ...assistantRoutes(assistants),
    ...toolRoutes(tools),
    ...searchRoutes(search),
    ...exportRoutes(carrying.exports, createSlots("too-many-transfers", mostExports)),
    ...importRoutes(carrying.imports, baseOf, () => assertStorageWritable(storage)),
    ...liveRoutes(live, async (visitor, runId, after) => {
      const events = await runs.followIfOwn(visitor, runId, after);
      return events === undefined ? undefined : { runId, events };
    }),
  };

  // A lone process (SQLite) is the only one that carries runs: what runs now and is not ours died with the last one.
  const interrupted = await reaper.sweep(db.engine === "sqlite");
  if (interrupted > 0) logger.info({ interrupted }, "answers were interrupted when the server last ended");
  await carrying.clear();
  const authSweeps = createAuthSweeps({
    db,
    clock,
    keepMs: config.retention.sessionsMs,
    contentTables: ["threads", "files"],
    statisticsTables: ["runs", "scores", "events"],
    onWorkspacesDeleted: live.drop,
  });
  const housekeeping = startHousekeeping({
    db,
    clock,
    logger,
    leases,
    reaper,
    keepRunLogMs: config.retention.runLogsMs,
    storage,
    tasks: {
      "emptying the trash": trash.expire,
      "clearing away imports that were broken off": carrying.clear,
      "forgetting where lists were left": bookmarks.tidy,
      "forgetting the places of deleted messages": messages.tidy,
      "forgetting what was taken out of queues": queue.tidy,
      "clearing away sign-ins that are over": authSweeps.sessions,
      "clearing away visitors who left nothing": authSweeps.visitors,
      "clearing away old events": events.sweep,
      "clearing away files that nothing speaks of": files.sweeps.files,
      "clearing away the bytes of files that are gone": files.sweeps.bytes,
      "clearing away old pages of PDFs": pages.sweep,
    },
  });
  models.start();

  const closing = new AbortController();
  const release = async () => {
    await housekeeping.stop();
    await answers.close();
    attached.close();
    await tools.close();
    await indexer.stop();
  };
  const web = { auth, origins, routes, storage };
  const listening = await composeHttp(ground, web, heartbeatMs, closing.signal).catch(
    async (error: unknown) => {
      await release();
      await bookmarks.close();
      await db.close();
      throw error;
    },
  );
  const { port } = listening;
  const address = webAppUrl(config, port);
  return {
    address,
    port,
    ownerLink: `${address}/owner#${auth.ownerSecret}`,
    async close() {
      const closed = listening.close(drainMs);
      await release();
      // Every run has ended. Their readers take that first; what listens then is asked to come back later.
      await Promise.race([closed, clock.sleep(lastWordsMs)]);
      closing.abort(new Error("the server is going down"));
      await closed;
      await bookmarks.close();
      await db.close();
    },
  };
}
