import { badRequest } from "../lib/errors.ts";
import { JsonResponse, type EventBatch, type Routes } from "../lib/route.ts";
import type { Comparisons } from "./comparisons/comparisons.ts";
import type { ContinueRun } from "./lifecycle/continue.ts";
import type { FollowRun } from "./log/follow-run.ts";
import type { SendNow } from "./lifecycle/send-queued.ts";
import type { RunLimits } from "./lifecycle/run-limits.ts";
import type { Runner } from "./loop/runner.ts";
import type { Runs } from "./lifecycle/runs.ts";
import type { WaitingRuns } from "./lifecycle/waiting-runs.ts";
import type { Replays } from "./replay/replay.ts";
import type { Receipts } from "./receipt/receipt.ts";
import type { Suggestions } from "./suggestions/suggestions.ts";
import type { UsageReports } from "./usage/usage.ts";

type Names =
  | "runs.start"
  | "runs.get"
  | "runs.events"
  | "runs.continue"
  | "runs.stop"
  | "runs.approve"
  | "runs.giveResult"
  | "comparisons.start"
  | "comparisons.get"
  | "comparisons.choose"
  | "comparisons.wins"
  | "queue.send"
  | "runs.receipt"
  | "runs.replay"
  | "suggestions.get"
  | "usage.own"
  | "usage.everyone";

export type RunModules = {
  runs: Runs;
  continueRun: ContinueRun;
  waitingRuns: WaitingRuns;
  sendNow: SendNow;
  comparisons: Comparisons;
  runner: Runner;
  runLimits: RunLimits;
  usageReports: UsageReports;
  receipts: Receipts;
  replays: Replays;
  suggestions: Suggestions;
};

export function runRoutes(modules: RunModules): Routes<Names> {
  const { comparisons, runs, continueRun, waitingRuns, sendNow, runner, runLimits } = modules;
  const { usageReports, receipts, replays, suggestions } = modules;
  const ended = async (runId: string) => await runner.waitForEnd(runId);
  return {
    "runs.start": async ({ visitor, params, body, request }) => {
      const start = async () => await runs.start(visitor, params.thread_id, body);
      const started = await runLimits.trackRun(visitor, request, { runId: body.id, start, ended });
      return new JsonResponse(started, { status: started.queued === undefined ? 201 : 202 });
    },
    "queue.send": async ({ visitor, params, request }) => {
      const start = async () => await sendNow(visitor, params.thread_id, params.queued_id);
      return await runLimits.trackRun(visitor, request, { runId: undefined, start, ended });
    },
    "runs.get": async ({ visitor, params }) => ({ run: await runs.get(visitor, params.run_id) }),
    "runs.events": async ({ visitor, params, query, request }) => {
      const after = query.after ?? numberOf(request.lastEventId) ?? 0;
      return eventBatches((await runs.follow(visitor, params.run_id, after))(request.signal));
    },
    "runs.continue": async ({ visitor, params, body, request }) => {
      const start = async () => await continueRun(visitor, params.run_id, body);
      return await runLimits.trackRun(visitor, request, { runId: body.id, start, ended });
    },
    "runs.stop": async ({ visitor, params }) => ({ run: await runs.stop(visitor, params.run_id) }),
    "runs.approve": async ({ visitor, params: { run_id }, body, request }) => {
      const start = async () => (await waitingRuns.decide(visitor, run_id, body), { run_id });
      await runLimits.trackRun(visitor, request, { runId: run_id, start, ended });
      return { run: await runs.get(visitor, run_id) };
    },
    "runs.giveResult": async ({ visitor, params: { run_id }, body, request }) => {
      const start = async () => (await waitingRuns.giveResult(visitor, run_id, body), { run_id });
      await runLimits.trackRun(visitor, request, { runId: run_id, start, ended });
      return { run: await runs.get(visitor, run_id) };
    },
    "comparisons.start": async ({ visitor, params, body, request }) => ({
      comparison: await runLimits.track(visitor, request, {
        count: body.models.length,
        start: async () => await comparisons.start(visitor, params.thread_id, body),
        ended: async ({ answers }, index) => await ended(answers[index]?.run_id ?? ""),
      }),
    }),
    "comparisons.get": async ({ visitor, params }) => ({
      comparison: await comparisons.get(visitor, params.comparison_id),
    }),
    "comparisons.choose": async ({ visitor, params, body }) => ({
      comparison: await comparisons.choose(visitor, params.comparison_id, body.reply_id),
    }),
    "comparisons.wins": async ({ visitor }) => await comparisons.wins(visitor),
    "runs.receipt": async ({ visitor, params }) => ({ receipt: await receipts.get(visitor, params.run_id) }),
    "runs.replay": async ({ visitor, params }) => await replays.getOwn(visitor, params.run_id),
    "suggestions.get": async ({ visitor, params }) => ({
      suggestions: await suggestions.get(visitor, params.thread_id, params.message_id),
    }),
    "usage.own": async ({ visitor, query }) => await usageReports.own(visitor, query),
    "usage.everyone": async ({ visitor, query }) => await usageReports.everyone(visitor, query),
  };
}

async function* eventBatches(entries: ReturnType<FollowRun>): AsyncGenerator<EventBatch> {
  for await (const batch of entries) {
    if (batch === "reset") yield [{ json: JSON.stringify({ type: "reset" }) }];
    else yield batch.map(({ seq, body }) => ({ id: seq, json: body }));
  }
}

function numberOf(lastEventId: string | undefined): number | undefined {
  if (lastEventId === undefined || lastEventId === "") return undefined;
  if (!/^\d{1,15}$/.test(lastEventId))
    throw badRequest("header.last-event-id", "must be a number of this run's log");
  return Number(lastEventId);
}
