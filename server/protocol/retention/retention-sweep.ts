import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "#contract/json.ts";
import type { RetentionRules } from "#contract/retention/endpoints.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { findRetention, rulesAt } from "#server/apps/retention-rules.ts";
import { sweep } from "#server/lib/batched-sweep.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { Live } from "#server/live/live.ts";
import { deleteOldSteps } from "#server/runs/replay/kept-steps.ts";
import { listReaders } from "#server/threads/members/rows.ts";
import { deleteThread as deleteThreadRow } from "#server/threads/temporary-rows.ts";
import type { ThreadEraser } from "#server/threads/temporary.ts";
import { updateReport } from "../reports/report-rows.ts";
import { dayMs } from "./app-retention.ts";
import * as rows from "./rows.ts";
import { withoutStepTexts, withoutTextAttributes } from "./span-texts.ts";

/** Of each app; more follow in the next turn, ten minutes later. */
const threadsPerTurn = 1_000;
const runsPerBatch = 100;
const batchesPerTurn = 100;
const stepsPerBatch = 200;

/** Deletes what apps no longer keep. Several servers may do this at the same time. */
export function createRetentionSweep(options: {
  db: Database;
  live: Live;
  clock: Clock;
  logger: Pick<Logger, "error">;
  erasers: readonly ThreadEraser[];
}) {
  const { db, live, clock, logger, erasers } = options;

  /**
   * The time before which this rule deletes now; `undefined` if it deletes nothing. Each transaction asks again, so that
   * nothing is deleted after the rule was changed.
   */
  async function beforeBy(
    q: Tx["q"],
    appId: string,
    rule: keyof RetentionRules,
  ): Promise<number | undefined> {
    const nowMs = clock.now();
    const days =
      rulesAt(await findRetention(q, appId), nowMs)[rule] ?? (rule === "keep_steps_days" ? 0 : null);
    return days === null ? undefined : nowMs - days * dayMs;
  }

  async function deleteThreads(appId: string, signal: AbortSignal): Promise<void> {
    const beforeMs = await beforeBy(db.read, appId, "keep_threads_days");
    if (beforeMs === undefined) return;
    const ids = await rows.findOldThreads(db, { appId, beforeMs }, threadsPerTurn);
    await sweep(
      async () => {
        const id = ids.pop();
        if (id === undefined) return 0;
        // The others do not wait for one that cannot be deleted.
        await db
          .write(async (tx) => await deleteThread(tx, id, appId))
          .catch((error: unknown) =>
            logger.error(
              { err: error, threadId: id },
              "an old thread could not be deleted; trying again later",
            ),
          );
        return 1;
      },
      { size: 1, clock, signal },
    );
  }

  async function deleteThread(tx: Tx, id: string, appId: string): Promise<void> {
    const beforeMs = await beforeBy(tx.q, appId, "keep_threads_days");
    if (beforeMs === undefined) return;
    const workspaceId = await rows.lockOldThread(tx, id, { appId, beforeMs });
    if (workspaceId === undefined) return;
    const readers = await listReaders(tx, [id]);
    for (const eraser of erasers) if (!(await eraser(tx, id, clock.now()))) return;
    await deleteThreadRow(tx, id);
    for (const workspace of new Set([workspaceId, ...readers.map((reader) => reader.workspace_id)]))
      await live.announce(tx, workspace, [{ type: "thread-gone", thread_id: id }]);
  }

  async function emptySpans(appId: string, signal: AbortSignal): Promise<void> {
    let batches = 0;
    const batch = async () =>
      await db.write(async (tx) => {
        const beforeMs = await beforeBy(tx.q, appId, "keep_span_texts_days");
        const fromMs = (await findRetention(tx.q, appId))?.emptied_until;
        if (beforeMs === undefined || fromMs === undefined || fromMs === beforeMs) return 0;
        // The clock was ahead: what came since then is looked at again.
        if (fromMs > beforeMs) {
          await rows.setEmptiedUntil(tx, appId, fromMs, beforeMs);
          return 0;
        }
        const toMs = await rows.endOfRuns(tx, { appId, fromMs, beforeMs }, runsPerBatch);
        if (!(await rows.setEmptiedUntil(tx, appId, fromMs, toMs))) return 0;
        await emptyTexts(tx, { appId, fromMs, beforeMs: toMs });
        return toMs < beforeMs && ++batches < batchesPerTurn ? 1 : 0;
      });
    await sweep(batch, { size: 1, clock, signal });
  }

  async function deleteSteps(appId: string, signal: AbortSignal): Promise<void> {
    const before = async (q: Tx["q"]) => await beforeBy(q, appId, "keep_steps_days");
    const batch = async () => await deleteOldSteps(db, { appId, before }, stepsPerBatch);
    await sweep(batch, { size: stepsPerBatch, clock, signal });
  }

  return async (signal: AbortSignal): Promise<void> => {
    for (const appId of await rows.listAppsWithRetention(db)) {
      await deleteThreads(appId, signal);
      await emptySpans(appId, signal);
      await deleteSteps(appId, signal);
    }
  };
}

/** Removes the texts of spans, and of the steps and tool calls of reports. */
async function emptyTexts(tx: Tx, period: Parameters<typeof rows.emptySpans>[1]): Promise<void> {
  await rows.emptySpans(tx, period);
  for (const { run_id: runId, ...report } of await rows.listReports(tx, period)) {
    const before = { details: parse(report.details), attributes: parse(report.attributes) };
    const after = {
      details: withoutStepTexts(before.details),
      attributes: withoutTextAttributes(before.attributes),
    };
    if (!isDeepStrictEqual(before, after))
      await updateReport(tx, runId, {
        details: JSON.stringify(after.details),
        attributes: JSON.stringify(after.attributes),
      });
  }
}

function parse(json: string): JsonObject {
  return JSON.parse(json) as JsonObject;
}
