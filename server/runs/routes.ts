import { badRequest } from "../errors.ts";
import { Reply, type EventBatch, type Routes } from "../route.ts";
import type { ContinueRun } from "./continue.ts";
import type { FollowRun } from "./follow-run.ts";
import type { SendNow } from "./queue.ts";
import type { Reports } from "./reports.ts";
import type { RunCaps } from "./run-caps.ts";
import type { Runner } from "./runner.ts";
import type { Runs } from "./runs.ts";
import type { WaitingRuns } from "./waiting.ts";
import type { Traces } from "./traces.ts";
import type { WireRuns } from "./wire.ts";

type Names =
  | "runs.report"
  | "runs.start"
  | "runs.get"
  | "runs.events"
  | "runs.continue"
  | "runs.stop"
  | "runs.approve"
  | "runs.giveResult"
  | "runs.stream"
  | "queue.send"
  | "traces.add";

/** The rooms that the endpoints of runs are answered from. */
export type RunRooms = {
  runs: Runs;
  continueRun: ContinueRun;
  waitingRuns: WaitingRuns;
  sendNow: SendNow;
  wireRuns: WireRuns;
  reports: Reports;
  runner: Runner;
  caps: RunCaps;
  traces: Traces;
};

export function runRoutes(rooms: RunRooms): Routes<Names> {
  const { runs, continueRun, waitingRuns, sendNow, wireRuns, reports, runner, caps, traces } = rooms;
  const ended = async (runId: string) => await runner.ended(runId);
  return {
    "runs.start": async ({ visitor, params, body, request }) => {
      const begin = async () => await runs.start(visitor, params.thread_id, body);
      const started = await caps.duringRun(visitor, request, { named: body.id, begin, ended });
      return new Reply(started, { status: started.queued === undefined ? 201 : 202 });
    },
    "queue.send": async ({ visitor, params, request }) => {
      const begin = async () => await sendNow(visitor, params.thread_id, params.queued_id);
      return await caps.duringRun(visitor, request, { named: undefined, begin, ended });
    },
    "runs.get": async ({ visitor, params }) => ({ run: await runs.get(visitor, params.run_id) }),
    "runs.events": async ({ visitor, params, query, request }) => {
      const after = query.after ?? numberOf(request.lastEventId) ?? 0;
      return frames((await runs.follow(visitor, params.run_id, after))(request.signal));
    },
    "runs.continue": async ({ visitor, params, body, request }) => {
      const begin = async () => await continueRun(visitor, params.run_id, body);
      return await caps.duringRun(visitor, request, { named: body.id, begin, ended });
    },
    "runs.stop": async ({ visitor, params }) => ({ run: await runs.stop(visitor, params.run_id) }),
    "runs.approve": async ({ visitor, params: { run_id }, body, request }) => {
      const begin = async () => (await waitingRuns.decide(visitor, run_id, body), { run_id });
      await caps.duringRun(visitor, request, { named: run_id, begin, ended });
      return { run: await runs.get(visitor, run_id) };
    },
    "runs.giveResult": async ({ visitor, params: { run_id }, body, request }) => {
      const begin = async () => (await waitingRuns.giveResult(visitor, run_id, body), { run_id });
      await caps.duringRun(visitor, request, { named: run_id, begin, ended });
      return { run: await runs.get(visitor, run_id) };
    },
    "traces.add": async ({ visitor, body }) => await traces.add(visitor, body),
    "runs.report": async ({ visitor, body }) => ({ run_id: await reports.add(visitor, body) }),
    "runs.stream": async ({ visitor, body, request }) =>
      await caps.during(
        visitor,
        request,
        async () => await wireRuns.stream(visitor, body, request),
        async () => await aborted(request.signal),
      ),
  };
}

async function* frames(entries: ReturnType<FollowRun>): AsyncGenerator<EventBatch> {
  for await (const batch of entries) {
    if (batch === "reset") yield [{ json: JSON.stringify({ type: "reset" }) }];
    else yield batch.map(({ seq, body }) => ({ id: seq, json: body }));
  }
}

/** When the caller is gone, which a streamed run does not outlive. */
async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function numberOf(lastEventId: string | undefined): number | undefined {
  if (lastEventId === undefined || lastEventId === "") return undefined;
  if (!/^\d{1,15}$/.test(lastEventId))
    throw badRequest("header.last-event-id", "must be a number of this run's log");
  return Number(lastEventId);
}
