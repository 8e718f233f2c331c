import type { RunCaps } from "#server/runs/lifecycle/run-limits.ts";
import type { Routes } from "../lib/route.ts";
import type { Reports } from "./reports/reports.ts";
import type { WireRuns } from "./streams/stream-run.ts";
import type { Traces } from "./traces/traces.ts";

/** Runs of the protocol's clients: streamed without being stored, or reported after they ended elsewhere. */
export function protocolRunRoutes({
  wireRuns,
  reports,
  traces,
  caps,
}: {
  wireRuns: WireRuns;
  reports: Reports;
  traces: Traces;
  caps: RunCaps;
}): Routes<"runs.stream" | "runs.report" | "traces.add"> {
  return {
    "runs.report": async ({ visitor, body }) => ({ run_id: await reports.add(visitor, body) }),
    "traces.add": async ({ visitor, body }) => await traces.add(visitor, body),
    "runs.stream": async ({ visitor, body, request }) =>
      await caps.during(
        visitor,
        request,
        async () => await wireRuns.stream(visitor, body, request),
        async () => await aborted(request.signal),
      ),
  };
}

/** Resolves when the caller is gone: a streamed run ends with it. */
async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
