import { join } from "node:path";
import type { EndpointName } from "#contract/api.ts";
import { limits } from "#contract/limits.ts";
import { blobFolder, openBlobs, s3Origin } from "#storage/blobs/open.ts";
import { openDatabase } from "#storage/sql/open.ts";
import { createAssistants } from "./assistants/assistants.ts";
import { assistantRoutes } from "./assistants/routes.ts";
import { createAuth } from "./auth/auth.ts";
import { owner } from "./auth/first-rows.ts";
import { createOrigins } from "./auth/origins.ts";
import { authRoutes } from "./auth/routes.ts";
import { deriveSecret, loadSecret } from "./auth/secrets.ts";
import { createAuthSweeps } from "./auth/sweeps.ts";
import { createCarrying } from "./carrying.ts";
import { systemClock, type SteadyClock } from "./clock.ts";
import type { Config } from "./config.ts";
import { prepareDataDir } from "./data-dir.ts";
import { createEvents } from "./events/events.ts";
import { eventRoutes } from "./events/routes.ts";
import { createGuardedFetch } from "./fetch/guarded-fetch.ts";
import { createFiles } from "./files/files.ts";
import { exportRoutes } from "./exports/routes.ts";
import { createPagePictures } from "./files/pdf/page-pictures.ts";
import { fileRoutes } from "./files/routes.ts";
import { createApp } from "./http/app.ts";
import { createCookieJar } from "./http/cookie.ts";
import { serveReference } from "./http/reference.ts";
import { listen } from "./http/serve.ts";
import { serveWebApp } from "./http/web-app.ts";
import { importRoutes } from "./imports/routes.ts";
import { createLive } from "./live/live.ts";
import { liveRoutes } from "./live/routes.ts";
import type { Logger } from "./logger.ts";
import { createBranches } from "./messages/branch.ts";
import { createMessages } from "./messages/messages.ts";
import { createQueue } from "./messages/queue.ts";
import { messageRoutes } from "./messages/routes.ts";
import { createRemoval } from "./messages/removal.ts";
import { createModels } from "./models/models.ts";
import { builtinInfo } from "./models/providers/builtin.ts";
import { modelRoutes } from "./models/routes.ts";
import { createPdf } from "./pdf/pdf.ts";
import { createErasure } from "./projects/erasure.ts";
import { projectRoutes } from "./projects/routes.ts";
import { addressOf, portOf, serviceOf } from "./own-address.ts";
import type { RequestFacts, Routes } from "./route.ts";
import { createChoose } from "./runs/choice.ts";
import { startReadingAhead } from "./reading/ahead.ts";
import { createThumbnailMaker } from "./reading/pictures/thumbnails.ts";
import { createReading } from "./reading/reading.ts";
import { createAskAgain, createContinueRun } from "./runs/continue.ts";
import { startHousekeeping } from "./runs/housekeeping.ts";
import { createLeases } from "./runs/leases.ts";
import { createMakersOf } from "./runs/makers.ts";
import { followRuns, stopWriters } from "./runs/others.ts";
import { createProjectRuns } from "./runs/project-runs.ts";
import { createReaper } from "./runs/reaper.ts";
import { createSendNow } from "./runs/queue.ts";
import { createReports } from "./runs/reports.ts";
import { runRoutes } from "./runs/routes.ts";
import { createRunCaps } from "./runs/run-caps.ts";
import { createRunner } from "./runs/runner.ts";
import { createRuns } from "./runs/runs.ts";
import { createTitleMaker } from "./runs/title.ts";
import { createTraces } from "./runs/traces.ts";
import { createWaitingRuns } from "./runs/waiting.ts";
import { createWireRuns } from "./runs/wire.ts";
import { createWriter } from "./runs/writer.ts";
import { scoreRoutes } from "./scores/routes.ts";
import { createScores } from "./scores/scores.ts";
import { startIndexer } from "./search/index-texts.ts";
import { createPassages } from "./search/passages/passages.ts";
import { createRecentThreads } from "./search/recent.ts";
import { searchRoutes } from "./search/routes.ts";
import { createSearch } from "./search/search.ts";
import { createAllowedTools } from "./threads/allowed-tools.ts";
import { createBookmarks } from "./threads/bookmarks.ts";
import { createClaims } from "./threads/claim.ts";
import { threadRoutes } from "./threads/routes.ts";
import { createThreads } from "./threads/threads.ts";
import { createSlots } from "./slots.ts";
import type { Tool } from "./tools/tool.ts";
import { createTrash } from "./threads/trash.ts";
import { toolRoutes } from "./tools/routes.ts";
import { createTools } from "./tools/tools.ts";

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

export type StartOptions = {
  logger: Logger;
  /** The folder that holds `dist/web`. */
  root: string;
  clock?: SteadyClock;
  /** For tests: how long the built-in assistant takes for a word. */
  wordMs?: number;
  /** For tests: tools beside our own. */
  tools?: readonly Tool[];
  /** For tests of silence: how long a model may say nothing. */
  modelSilenceMs?: number;
  /** For tests of streams: how often one says that it lives, and asks whether its reader may go on. */
  heartbeatMs?: number;
  /** For tests of readers: how long one may take nothing before it is cut off. */
  stalledReaderMs?: number;
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
  });
  const leases = createLeases();
  const leaseOwner = leases.owner;

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
  const origins = await createOrigins({ db, clock, everywhere: config.allowedOrigins });
  const live = createLive({ db });
  // A lone process (SQLite) answers every page of a walk itself; of several, any may be asked for the next.
  const bookmarks = createBookmarks({ db, clock, logger, saveAfterMs: db.engine === "sqlite" ? 5_000 : 20 });
  const indexer = startIndexer({ db, clock, logger });
  const tools = createTools({
    logger,
    askPerson: config.askPerson,
    ...(options.tools === undefined ? {} : { more: options.tools }),
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
  const blobs = await openBlobs({ dataDir: config.dataDir, s3: config.files.s3 });
  const thumbnailMaker = createThumbnailMaker({ logger });
  const files = createFiles({
    db,
    blobs,
    folder: config.files.s3 === undefined ? blobFolder(config.dataDir) : undefined,
    clock,
    logger,
    secret: deriveSecret(secret, "addresses of files"),
    makeThumbnail: thumbnailMaker.make,
    ...config.files,
  });
  const { mentions } = files;
  const messages = createMessages({ db, threads, live, clock, mentions });
  const queue = createQueue({ db, threads, live, clock, mentions });
  const pdf = createPdf({ logger, processes: config.pdf.processes });
  const pages = createPagePictures({
    pdf,
    blobs,
    reads: files.reads,
    guardedFetch: createGuardedFetch({ logger, ...config.fetch }),
    clock,
    slots: createSlots("too-many-pdfs", config.most.pdfs),
    secret: deriveSecret(secret, "addresses of pages"),
    cacheBytes: config.pdf.cacheBytes,
  });
  const models = createModels({
    openai: config.openai,
    ollamaUrl: config.ollamaUrl,
    reads: config.modelReads,
    logger,
    ...(options.modelSilenceMs === undefined ? {} : { silenceMs: options.modelSilenceMs }),
    ...(options.wordMs === undefined ? {} : { wordMs: options.wordMs }),
  });
  const finish = { threads, messages, live, queue, leaseOwner };
  const reading = createReading({ db, clock, logger, pdf, files, charactersMax: config.modelFileCharacters });
  const ahead = startReadingAhead({ db, clock, logger, contents: files.contents, texts: reading.texts });
  const titles = createTitleMaker({ threads, messages, logger });
  const writer = createWriter({ db, clock, logger, threads, leaseOwner });
  const runner = createRunner({
    db,
    clock,
    logger,
    assistants,
    messages,
    tools: tools.list(),
    allowedTools,
    writer,
    models,
    reading,
    titles,
    finish,
    leases,
  });
  const reaper = createReaper({
    db,
    clock,
    logger,
    leases,
    endUncarried: runner.endUncarried,
    askAgain: createAskAgain({ messages, models, runner }),
  });
  const caps = createRunCaps(config.most.runs);
  const runs = createRuns({
    db,
    clock,
    threads,
    messages,
    live,
    queue,
    choose: createChoose({ assistants, models, threads }),
    runner,
    endUncarried: runner.endUncarried,
    leaseOwner,
    caps,
  });
  const continueRun = createContinueRun({ ...finish, db, clock, models, runner, caps });
  const sendNow = createSendNow({ ...finish, db, clock, caps, begin: runner.beginNext });
  const waitingRuns = createWaitingRuns({
    db,
    clock,
    threads,
    allowedTools,
    tools,
    runner,
    leaseOwner,
    finish,
    caps,
  });
  const wireRuns = createWireRuns({
    db,
    clock,
    logger,
    threads,
    assistants,
    models,
    reading,
    titles,
    tools: tools.list(),
    leases,
    caps,
  });

  const reports = createReports({ db, threads, messages, clock });
  const traces = createTraces({ db, threads, clock });
  const scores = createScores({ db, threads, messages, runs, live, clock });
  const makersOf = createMakersOf({ db, assistants });
  const branches = createBranches({
    db,
    threads,
    live,
    clock,
    queue,
    mentions,
    thumbsOf: scores.thumbsOf,
    makersOf,
  });
  const events = createEvents({ db, threads, clock, keepMs: config.keep.eventsMs });
  const removal = createRemoval({ db, threads, live, clock, stopWriting: stopWriters });
  const claims = createClaims({
    db,
    live,
    behind: auth.behind,
    followers: [files.follow, messages.follow, queue.follow, followRuns, scores.follow, events.follow],
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
  const carrying = createCarrying({
    db,
    clock,
    live,
    threads,
    files,
    makersOf,
    dataDir,
    importBytes,
    logger,
  });

  const search = createSearch({ db, indexer });
  const baseOf = (request: RequestFacts) => serviceOf(config, request);

  const routes: Routes<EndpointName> = {
    ...authRoutes(auth),
    ...threadRoutes(threads, claims, trash, allowedTools),
    ...messageRoutes(messages, branches, removal, queue),
    ...runRoutes(runs, continueRun, waitingRuns, sendNow, wireRuns, reports, runner, caps, traces),
    ...fileRoutes(files, pages, baseOf),
    ...scoreRoutes(scores),
    ...eventRoutes(events),
    ...projectRoutes(createProjectRuns({ db, clock }), erasure),
    ...modelRoutes(models),
    ...assistantRoutes(assistants),
    ...toolRoutes(tools),
    ...searchRoutes(search),
    ...exportRoutes(carrying.exports, createSlots("too-many-transfers", mostExports)),
    ...importRoutes(carrying.imports, baseOf),
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
    keepMs: config.keep.sessionsMs,
    belongings: ["threads", "files"],
    traces: ["runs", "scores", "events"],
    dropped: live.drop,
  });
  const housekeeping = startHousekeeping({
    db,
    clock,
    logger,
    leases,
    reaper,
    keepRunLogMs: config.keep.runLogsMs,
    chores: {
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
  let port = config.port;
  const secure = config.publicUrl?.startsWith("https:") ?? false;
  const app = createApp({
    routes,
    identify: async (credential) => await auth.identify(credential),
    watch: auth.watch,
    identifyKey: async (credential) => await auth.identifyKey(credential),
    // By the address that browsers see: of several servers behind it, each may listen on a port of its own.
    cookies: createCookieJar({ port: () => portOf(config.publicUrl) ?? port, secure }),
    origins,
    homeProjectId: owner.projectId,
    filesHost: config.files.origin === undefined ? undefined : new URL(config.files.origin).host,
    publicOrigin: config.publicUrl === undefined ? undefined : new URL(config.publicUrl).origin,
    trustProxy: config.trustProxy,
    streams: createSlots("too-many-streams", config.most.streams),
    logger,
    closing: closing.signal,
    heartbeatMs,
    stalledReaderMs: options.stalledReaderMs ?? limits.stalledReaderMs,
    healthy: async () => void (await db.read.selectFrom("projects").select("id").limit(1).execute()),
  });
  serveReference(app as never, {
    folder: join(options.root, "dist", "web"),
    baseUrl: config.baseUrl,
    secure,
    address: () => addressOf(config, port),
  });
  const fileOrigins = [config.files.origin, config.files.s3 && s3Origin(config.files.s3)].filter(
    (origin) => origin !== undefined,
  );
  serveWebApp(app as never, {
    folder: join(options.root, "dist", "web"),
    baseUrl: config.baseUrl,
    fileOrigins,
    secure,
  });

  const release = async () => {
    await housekeeping.stop();
    await runner.close();
    await writer.close();
    models.close();
    await ahead.stop();
    pdf.close();
    thumbnailMaker.close();
    await tools.close();
    await reading.close();
    await indexer.stop();
  };
  const listening = await listen(app.fetch as never, config).catch(async (error: unknown) => {
    await release();
    await bookmarks.close();
    await db.close();
    throw error;
  });
  port = listening.port;
  const address = addressOf(config, port);
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
