import { parseLiveRuns } from "#contract/endpoints/live.ts";
import type { Routes, Visitor } from "../lib/route.ts";
import type { Live, FollowedAccess, FollowedRun } from "./live.ts";

/**
 * `findRun` returns a run of the visitor's own workspace, and `undefined` for any other. `followAccess` returns `undefined`
 * for users of apps.
 */
export function liveRoutes(
  live: Live,
  findRun: (visitor: Visitor, runId: string, after: number) => Promise<FollowedRun | undefined>,
  followAccess: (visitor: Visitor) => Promise<FollowedAccess | undefined>,
): Routes<"live.follow"> {
  return {
    "live.follow": async ({ visitor, query, request }) => {
      const requested = parseLiveRuns(query.runs);
      const runs = await Promise.all(
        requested.map(async ({ runId, after }) => await findRun(visitor, runId, after)),
      );
      return live.follow({
        workspaceId: visitor.workspaceId,
        after: query.after,
        runs: runs.filter((run) => run !== undefined),
        streamId: query.stream_id,
        findRun: async (runId) => await findRun(visitor, runId, 0),
        access: await followAccess(visitor),
        signal: request.signal,
      });
    },
  };
}
