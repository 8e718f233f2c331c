import type { RunLimits } from "#server/runs/lifecycle/run-limits.ts";
import type { Routes } from "../lib/route.ts";
import type { Reports } from "./reports/reports.ts";
import type { StreamedRuns } from "./streams/stream-run.ts";
import type { Traces } from "./traces/traces.ts";

/** Runs of the protocol's clients: streamed without storing messages, or reported after they ended elsewhere. */
export function protocolRunRoutes({
  wireRuns: streamedRuns,
  reports,
  traces,
  runLimits,
}: {
  wireRuns: StreamedRuns;
  reports: Reports;
  traces: Traces;
  runLimits: RunLimits;
}): Routes<"runs.stream" | "runs.report" | "traces.add"> {
  return {
    "runs.report": async ({ visitor, body }) => ({ run_id: await reports.add(visitor, body) }),
    "traces.add": async ({ visitor, body }) => await traces.add(visitor, body),
    "runs.stream": async ({ visitor, body, request }) =>
      await runLimits.track(
        visitor,
        request,
        async () => await streamedRuns.stream(visitor, body, request),
        async () => await waitForAbort(request.signal),
      ),
  };
}

/** Resolves when the client disconnects, which ends its streamed run. */
async function waitForAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
