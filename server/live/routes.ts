import { parseLiveRuns } from "#contract/endpoints/live.ts";
import type { Routes, Visitor } from "../lib/route.ts";
import type { Live, RunInView } from "./live.ts";

/** `inView` answers how to follow a run of the visitor's own workspace, and `undefined` for any other. */
export function liveRoutes(
  live: Live,
  inView: (visitor: Visitor, runId: string, after: number) => Promise<RunInView | undefined>,
): Routes<"live.follow"> {
  return {
    "live.follow": async ({ visitor, query, request }) => {
      const asked = parseLiveRuns(query.runs);
      const runs = await Promise.all(
        asked.map(async ({ runId, after }) => await inView(visitor, runId, after)),
      );
      return live.follow({
        workspaceId: visitor.workspaceId,
        after: query.after,
        runs: runs.filter((run) => run !== undefined),
        signal: request.signal,
      });
    },
  };
}
