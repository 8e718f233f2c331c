import type { RunLimits } from "#server/runs/lifecycle/run-limits.ts";
import { AppError } from "../lib/errors.ts";
import type { Routes } from "../lib/route.ts";
import type { Messages } from "../messages/messages.ts";
import type { Runs } from "../runs/lifecycle/runs.ts";
import { followDeleted } from "../runs/log/follow-run.ts";
import type { Reports } from "./reports/reports.ts";
import { encodeLog } from "./streams/encode-log.ts";
import { formatOf, uiMessageStream } from "./streams/encoder.ts";
import type { StreamedRuns } from "./streams/stream-run.ts";
import type { Traces } from "./traces/traces.ts";

/** Runs of the protocol's clients: streamed without storing messages, or reported by the client after they ended. */
export function protocolRunRoutes({
  wireRuns: streamedRuns,
  reports,
  traces,
  runs,
  runLimits,
  messages,
}: {
  wireRuns: StreamedRuns;
  runs: Pick<Runs, "follow" | "get">;
  reports: Reports;
  traces: Traces;
  runLimits: RunLimits;
  messages: Pick<Messages, "clientLeases">;
}): Routes<"runs.stream" | "runs.resume" | "runs.report" | "traces.add"> {
  return {
    "runs.report": async ({ visitor, body }) => ({ run_id: await reports.add(visitor, body) }),
    "traces.add": async ({ visitor, body }) => await traces.add(visitor, body),
    "runs.stream": async ({ visitor, body, request }) => {
      let ended = async () => await waitForAbort(request.signal);
      const start = async () => {
        const stream = await streamedRuns.stream(visitor, body, request);
        ended = stream.ended ?? ended;
        return stream;
      };
      return await runLimits.track(visitor, request, { start, ended: async () => await ended() });
    },
    "runs.resume": async ({ visitor, params, request }) => {
      const follow = await runs.follow(visitor, params.run_id, 0);
      if (follow === followDeleted) throw new AppError("run-not-found");
      const { id, thread_id: threadId } = await runs.get(visitor, params.run_id);
      // A client that stores the answer names it by the run until it loads the thread again.
      const messageId =
        threadId === null ? undefined : await messages.clientLeases.answerMessage(threadId, id);
      const encoder = uiMessageStream();
      return { ...formatOf(encoder), chunks: encodeLog(follow(request.signal), encoder, messageId) };
    },
  };
}

/** Resolves when the client disconnects, which ends a run that is not resumable. */
async function waitForAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
