import * as z from "zod/mini";
import { isId } from "../ids.ts";
import { limits } from "../limits.ts";
import { described, queryName, queryNumber } from "./fields.ts";
import { endpoints } from "./endpoints.ts";

/** The id of a `/v1/live` stream. Its client creates it and may use it for several connections, one after the other. */
export const streamId = queryName(limits.idCharacters);

const liveQuery = z.object({
  stream_id: described(
    z.optional(streamId),
    "An id for this stream that you created. The stream also has the events of the runs that are started with this `stream_id`.",
  ),
  after: described(
    z.optional(queryNumber(0, Number.MAX_SAFE_INTEGER)),
    "The number of the last received change. Without it, the stream has new changes only.",
  ),
  runs: described(
    z.optional(z.string()),
    "The runs to follow, as run_id:after,run_id:after…, each with the number of the last received event.",
  ),
});

export const liveRunsMax = 32;

/** Parses `runs` of a live query. Malformed entries and those past `liveRunsMax` are left out. */
export function parseLiveRuns(text: string | undefined): { runId: string; after: number }[] {
  if (text === undefined || text === "") return [];
  return text
    .split(",", liveRunsMax)
    .map((entry) => entry.split(":"))
    .filter(([runId, after]) => isId("run", runId) && /^\d{1,15}$/.test(after ?? ""))
    .map(([runId, after]) => ({ runId: runId!, after: Number(after) }));
}

export const liveEndpoints = endpoints("visitor", {
  "live.follow": {
    request: "GET /v1/live",
    summary: "Follow the changes of the workspace and the events of runs",
    description:
      "One stream for a whole browser: the changes of the workspace after the number `after`, and the events of the given runs.",
    query: liveQuery,
    kind: "events",
    streamDescription:
      "Server-sent events; each `data` is one JSON message. The first is `hello` with the newest change number, followed by `change` and `run`. `reset` means that the changes after the requested number are no longer stored: reload everything and continue from the number in `reset`. For people of this server, `hello` and `access` have a value, `access`, that changes with what they may use.",
    errors: ["too-many-streams"],
    example: { query: { after: "0", runs: "$RUN_ID:0" } },
  },
});
