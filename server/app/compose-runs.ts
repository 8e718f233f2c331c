import { createApps } from "../apps/apps.ts";
import type { Assistants } from "../assistants/assistants.ts";
import type { PersonalInstructions } from "../assistants/personal-instructions/personal-instructions.ts";
import type { Budgets } from "../people/budgets/budgets.ts";
import type { Rights } from "../people/rights/rights.ts";
import type { Files } from "../files/files.ts";
import type { PagePictures } from "../files/serving/pdf/page-pictures.ts";
import type { Live } from "../live/live.ts";
import type { Messages } from "../messages/messages.ts";
import type { Queue } from "../messages/queue/queue.ts";
import type { Summaries } from "../messages/summaries/summaries.ts";
import type { ModelSettingsStore } from "../models/model-settings.ts";
import type { Models } from "../models/models.ts";
import type { Pdf } from "../pdf/pdf.ts";
import { createExtractionQueue } from "../extraction/extraction-queue.ts";
import { createExtraction, type Extraction } from "../extraction/extraction.ts";
import { findExtra } from "../extras/find-extra.ts";
import type { Payloads } from "../jobs/kinds.ts";
import { createReadFileText } from "../extraction/file-text.ts";
import { createComparisons } from "../runs/comparisons/comparisons.ts";
import { createChooseAssistantAndModel } from "../runs/prepare/choose.ts";
import { createCompactThread } from "../runs/compaction/compact-thread.ts";
import { createCompactor } from "../runs/compaction/compactor.ts";
import { createReadContext } from "../runs/compaction/read-context.ts";
import { createDrain } from "../runs/lifecycle/drain.ts";
import { createRetryRun } from "../runs/leases/retry-run.ts";
import { createContinueRun } from "../runs/lifecycle/continue.ts";
import type { Leases } from "../runs/leases/leases.ts";
import { createSendNow } from "../runs/lifecycle/send-queued.ts";
import { createReaper } from "../runs/leases/reaper.ts";
import { createReplays } from "../runs/replay/replay.ts";
import { createReceipts } from "../runs/receipt/receipt.ts";
import { createSmallTasks } from "../runs/small-tasks/small-tasks.ts";
import { createSuggestions } from "../runs/suggestions/suggestions.ts";
import { findLastUse } from "../runs/rows.ts";
import { createReserveRequest } from "../runs/requests/reserve-request.ts";
import { createReports } from "../protocol/reports/reports.ts";
import { createRunLimits } from "../runs/lifecycle/run-limits.ts";
import { createModelRules } from "../runs/model-rules.ts";
import type { PrepareModules } from "../runs/prepare/prepared-run.ts";
import { createRunner } from "../runs/loop/runner.ts";
import { createRuns } from "../runs/lifecycle/runs.ts";
import { createTitleGenerator } from "../runs/small-tasks/title.ts";
import { createTraces } from "../protocol/traces/traces.ts";
import { createUsageReports } from "../runs/usage/usage.ts";
import { createWaitingRuns } from "../runs/lifecycle/waiting-runs.ts";
import { createClientAnswers } from "../protocol/streams/client-answers.ts";
import { createStreamedRuns } from "../protocol/streams/stream-run.ts";
import { createThreadTitles } from "../protocol/streams/thread-titles.ts";
import { createWriter } from "../runs/log/writer.ts";
import type { AllowedTools } from "../threads/allowed-tools.ts";
import type { Threads } from "../threads/threads.ts";
import type { ToolRules } from "../tools/rules/tool-rules.ts";
import type { Tools } from "../tools/tools.ts";
import { composeModels } from "./compose-models.ts";
import type { Dependencies } from "./dependencies.ts";

type RunModules = {
  rights: Rights;
  budgets: Budgets;
  leases: Leases;
  live: Live;
  threads: Threads;
  allowedTools: AllowedTools;
  assistants: Assistants;
  personalInstructions: PersonalInstructions;
  messages: Messages;
  summaries: Summaries;
  queue: Queue;
  tools: Tools;
  toolRules: ToolRules;
  toolServers: PrepareModules["toolServers"];
  files: Files;
  pdf: Pdf;
  pages: PagePictures;
};

/** The modules of answers: models, extraction, and the lifecycle of runs. */
export function composeRuns(dependencies: Dependencies, modules: RunModules) {
  const { models, modelSettings, providers, closeModels } = composeModels(dependencies);
  const extraction = composeExtraction(dependencies, modules);
  const execution = composeExecution(dependencies, modules, { ...extraction, models, modelSettings });
  const protocol = composeProtocol(dependencies, modules, execution);
  const lifecycle = composeLifecycle(dependencies, modules, execution);
  return {
    ...execution,
    extractionQueue: extraction.extractionQueue,
    documentText: extraction.extraction.texts.extract,
    recognizeScan: extraction.recognizeScan,
    providers,
    modelSettings,
    readFileText: createReadFileText({
      contents: modules.files.contents,
      texts: extraction.extraction.texts,
    }),
    ...lifecycle,
    ...protocol,
    /** Waits for the answers in progress. */
    drain: createDrain({
      ...dependencies,
      ...modules,
      ...execution,
      graceMs: dependencies.config.shutdownGraceMs,
    }),
    /** Hands the answers in progress over to other processes, or ends them as interrupted. */
    async close() {
      await execution.runner.close();
      await execution.writer.close();
      closeModels();
      await extraction.extraction.close();
    },
  };
}

function composeExtraction(
  { config, logger, clock, db, jobs }: Dependencies,
  { files, pdf, pages }: RunModules,
) {
  const { modelFileCharacters: charactersMax, dataDir } = config;
  const extraction = createExtraction({ db, clock, logger, pdf, pages, files, charactersMax, dataDir });
  const { texts } = extraction;
  const extractionQueue = createExtractionQueue({
    db,
    clock,
    logger,
    contents: files.contents,
    texts,
    async onScanned(file) {
      if ((await findExtra(dataDir, "ocr")).state !== "ready") return;
      await jobs.add("recognition", file.fileId, file, { workspaceId: file.workspaceId });
    },
  });
  /** The job `recognition`. */
  async function recognizeScan(
    { fileId, workspaceId }: Payloads["recognition"],
    _: unknown,
    signal: AbortSignal,
  ): Promise<void> {
    const file = (await files.contents.find(workspaceId, [fileId])).get(fileId);
    if (file !== undefined) await extraction.recognize(file, workspaceId, signal);
  }
  return { extraction, extractionQueue, recognizeScan };
}

/** What executes runs. */
function composeExecution(
  { config, logger, clock, db, jobs, metrics, draining }: Dependencies,
  modules: RunModules,
  {
    models,
    modelSettings,
    extraction,
  }: { models: Models; modelSettings: ModelSettingsStore; extraction: Extraction },
) {
  const { leases, threads, allowedTools, assistants, messages } = modules;
  const modelRules = createModelRules({
    threads,
    assistants,
    isServerLocalOnly: modelSettings.isLocalOnly,
    rights: modules.rights,
    budgets: modules.budgets,
    contextTokens: async (threadId) => (await findLastUse(db.read, threadId))?.context_tokens ?? 0,
  });
  const reserve = createReserveRequest({ db, clock, logger, leases, budgets: modules.budgets });
  const smallTasks = createSmallTasks({ settings: modelSettings, models, modelRules });
  const titles = createTitleGenerator({ db, clock, threads, messages, models, smallTasks, jobs, logger });
  const { summaries } = modules;
  const compactor = createCompactor({
    smallTasks,
    models,
    jobs,
    db,
    assistants,
    extraction,
    messages,
    summaries,
    clock,
    logger,
  });
  const writer = createWriter({ db, clock, logger, threads, leaseOwner: leases.owner });
  const prepare: PrepareModules = {
    db,
    clock,
    logger,
    models,
    modelRules,
    tools: modules.tools.list(),
    toolServers: modules.toolServers,
    allowedTools,
    toolRules: modules.toolRules,
    stepsMax: modelSettings.stepsMax,
    extraction,
    personalInstructions: modules.personalInstructions,
  };
  const runner = createRunner({
    ...prepare,
    logger,
    assistants,
    messages,
    writer,
    models,
    titles,
    compactor,
    modules: { ...modules, leaseOwner: leases.owner },
    leases,
    metrics,
    draining: draining.signal,
  });
  const runLimits = createRunLimits(config.concurrency.runs, draining.signal);
  return {
    models,
    extraction,
    titles,
    compactor,
    modelRules,
    prepare,
    smallTasks,
    writer,
    runner,
    runLimits,
    reserve,
  };
}

type Execution = ReturnType<typeof composeExecution>;

/** What starts, continues and ends runs. */
function composeLifecycle(
  { logger, clock, db, jobs, quota, draining }: Dependencies,
  modules: RunModules,
  { models, compactor, modelRules, prepare, smallTasks, runner, runLimits, reserve }: Execution,
) {
  const { leases, threads, messages, live, queue, budgets, allowedTools, toolRules, assistants, tools } =
    modules;
  const { endOrphanedRun } = runner;
  const queueModules = { threads, messages, live, queue, budgets, leaseOwner: leases.owner };
  const shared = { ...queueModules, db, clock, runner, runLimits };
  const retryRun = createRetryRun({ messages, models, runner });
  const choose = createChooseAssistantAndModel({ assistants, models, threads, modelRules });
  return {
    compactThread: createCompactThread({ threads, messages, choose, compactor, reserve, logger }),
    readContext: createReadContext({ ...prepare, assistants, messages, threads, choose, compactor }),
    reaper: createReaper({
      db,
      clock,
      logger,
      leases,
      endOrphanedRun,
      retryRun,
      draining: draining.signal,
    }),
    runs: createRuns({ ...shared, quota, choose, endOrphanedRun }),
    comparisons: createComparisons({ ...shared, models, choose, modelRules, quota }),
    continueRun: createContinueRun({ ...shared, models, modelRules, quota }),
    sendNow: createSendNow({ ...shared, start: runner.startNext }),
    receipts: createReceipts({ db }),
    replays: createReplays({ db }),
    suggestions: createSuggestions({ db, clock, logger, jobs, threads, messages, models, smallTasks }),
    usageReports: createUsageReports({ db, clock, assistants }),
    waitingRuns: createWaitingRuns({ ...shared, allowedTools, toolRules, tools, modules: queueModules }),
  };
}

/** The runs of protocol clients. */
function composeProtocol(
  { config, logger, clock, db, jobs, metrics, quota }: Dependencies,
  { leases, threads, messages, assistants }: RunModules,
  { models, titles, modelRules, prepare, smallTasks, runLimits, runner }: Execution,
) {
  const threadTitles = createThreadTitles({
    threads,
    messages,
    models,
    titles,
    smallTasks,
    modelRules,
    apps: createApps({ db, clock }),
    appsWithout: config.appsWithoutTitles,
    jobs,
    logger,
  });
  const { clientLeases } = messages;
  const clientAnswers = createClientAnswers({ db, clock, logger, jobs, clientLeases, runner });
  return {
    threadTitles,
    clientAnswers,
    wireRuns: createStreamedRuns({
      ...prepare,
      logger,
      threads,
      assistants,
      models,
      titles: threadTitles,
      leases,
      runLimits,
      runner,
      clientAnswers,
      metrics,
    }),
    reports: createReports({ db, threads, messages, clock, quota }),
    traces: createTraces({ db, threads, clock }),
  };
}
