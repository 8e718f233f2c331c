import { limits } from "#contract/limits.ts";
import type { Assistants } from "../assistants/assistants.ts";
import type { Files } from "../files/files.ts";
import type { PagePictures } from "../files/serving/pdf/page-pictures.ts";
import type { Live } from "../live/live.ts";
import type { Messages } from "../messages/messages.ts";
import type { Queue } from "../messages/queue.ts";
import { createModels } from "../models/models.ts";
import type { Pdf } from "../pdf/pdf.ts";
import { startExtractionQueue } from "../extraction/extraction-queue.ts";
import { createExtraction } from "../extraction/extraction.ts";
import { createChooseAssistantAndModel } from "../runs/loop/choose-assistant-and-model.ts";
import { createContinueRun, createRetryRun } from "../runs/lifecycle/continue.ts";
import type { Leases } from "../runs/leases/leases.ts";
import { createSendNow } from "../runs/lifecycle/queue.ts";
import { createReaper } from "../runs/leases/reaper.ts";
import { createReports } from "../protocol/reports/reports.ts";
import { createRunLimits } from "../runs/lifecycle/run-limits.ts";
import { createRunner } from "../runs/loop/runner.ts";
import { createRuns } from "../runs/lifecycle/runs.ts";
import { createTitleGenerator } from "../runs/loop/title.ts";
import { createTraces } from "../protocol/traces/traces.ts";
import { createWaitingRuns } from "../runs/lifecycle/waiting-runs.ts";
import { createStreamedRuns } from "../protocol/streams/stream-run.ts";
import { createWriter } from "../runs/log/writer.ts";
import type { AllowedTools } from "../threads/allowed-tools.ts";
import type { Threads } from "../threads/threads.ts";
import type { Tools } from "../tools/tools.ts";
import type { Foundation } from "./foundation.ts";

/** The rooms of answers: models, extraction, and the lifecycle of runs. */
export function composeRuns(
  { config, options, logger, clock, db, metrics, quota }: Foundation,
  rooms: {
    leases: Leases;
    live: Live;
    threads: Threads;
    allowedTools: AllowedTools;
    assistants: Assistants;
    messages: Messages;
    queue: Queue;
    tools: Tools;
    files: Files;
    pdf: Pdf;
    pages: PagePictures;
  },
) {
  const { leases, live, threads, allowedTools, assistants, messages, queue, files, pdf, pages } = rooms;
  const tools = rooms.tools.list();
  const leaseOwner = leases.owner;
  const models = createModels({
    settings: config,
    logger,
    timeouts: {
      silenceMs: config.modelSilenceMs,
      muteMs: Math.max(limits.modelNoOutputMs, config.modelSilenceMs),
      ...options.modelTimeouts,
    },
    wordMs: options.wordMs,
  });
  const queueRooms = { threads, messages, live, queue, leaseOwner };
  const extraction = createExtraction({
    db,
    clock,
    logger,
    pdf,
    pages,
    files,
    charactersMax: config.modelFileCharacters,
  });
  const extractionQueue = startExtractionQueue({
    db,
    clock,
    logger,
    contents: files.contents,
    texts: extraction.texts,
  });
  const titles = createTitleGenerator({ threads, messages, logger });
  const writer = createWriter({ db, clock, logger, threads, leaseOwner });
  const runner = createRunner({
    db,
    clock,
    logger,
    assistants,
    messages,
    tools,
    allowedTools,
    writer,
    models,
    extraction,
    titles,
    rooms: queueRooms,
    leases,
    metrics,
  });
  const { endOrphanedRun } = runner;
  const retryRun = createRetryRun({ messages, models, runner });
  const runLimits = createRunLimits(config.concurrency.runs);
  return {
    models,
    runner,
    runLimits,
    reaper: createReaper({ db, clock, logger, leases, endOrphanedRun, retryRun }),
    runs: createRuns({
      db,
      clock,
      threads,
      messages,
      live,
      queue,
      choose: createChooseAssistantAndModel({ assistants, models, threads }),
      runner,
      endOrphanedRun,
      leaseOwner,
      runLimits,
      quota,
    }),
    continueRun: createContinueRun({ ...queueRooms, db, clock, models, runner, runLimits, quota }),
    sendNow: createSendNow({ ...queueRooms, db, clock, runLimits, start: runner.startNext }),
    waitingRuns: createWaitingRuns({
      db,
      clock,
      threads,
      allowedTools,
      tools: rooms.tools,
      runner,
      leaseOwner,
      rooms: queueRooms,
      runLimits,
    }),
    wireRuns: createStreamedRuns({
      db,
      clock,
      logger,
      threads,
      assistants,
      models,
      extraction,
      titles,
      tools,
      leases,
      runLimits,
      metrics,
    }),
    reports: createReports({ db, threads, messages, clock, quota }),
    traces: createTraces({ db, threads, clock }),
    /** Ends answers as interrupted. */
    async close() {
      await runner.close();
      await writer.close();
      models.close();
      await extractionQueue.stop();
      await extraction.close();
    },
  };
}
