import * as z from "zod/mini";
import { isId } from "../ids.ts";
import { queryNumber } from "./fields.ts";
import type { Endpoints } from "../endpoint.ts";

export const liveQuery = z.object({
  after: z
    .optional(queryNumber(0, Number.MAX_SAFE_INTEGER))
    .check(z.describe("The number of the last change that was seen; without it only what is new comes.")),
  runs: z
    .optional(z.string())
    .check(
      z.describe(
        "The runs in view, as run_id:after,run_id:after…, each from the last number that was seen of it.",
      ),
    ),
});

export const liveRunsMax = 32;

/** The `runs` of a live query; entries that are not of the form are left out, as are those past `liveRunsMax`. */
export function parseLiveRuns(text: string | undefined): { runId: string; after: number }[] {
  if (text === undefined || text === "") return [];
  return text
    .split(",", liveRunsMax)
    .map((entry) => entry.split(":"))
    .filter(([runId, after]) => isId("run", runId) && /^\d{1,15}$/.test(after ?? ""))
    .map(([runId, after]) => ({ runId: runId!, after: Number(after) }));
}

export const liveEndpoints = {
  "live.follow": {
    method: "GET",
    path: "/v1/live",
    caller: "visitor",
    summary: "Follow the workspace's changes and the runs in view",
    description:
      "One stream for everything that a browser shows: the changes of the workspace from the number `after` on, and the events of the runs in view.",
    query: liveQuery,
    kind: "events",
    status: 200,
    streamDescription:
      "Server-sent events, each `data` one JSON message: first `hello` with the feed's newest number, then `change` and `run`. `reset` says that what lies after the asked number is no longer kept: load afresh and go on from its number.",
    errors: ["too-many-streams"],
    example: { query: { after: "0", runs: "$RUN_ID:0" } },
  },
} as const satisfies Endpoints;
