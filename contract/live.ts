import * as z from "zod/mini";
import { isId } from "./ids.ts";
import { queryNumber } from "./shapes.ts";

/** `runs` is `run_id:after,run_id:after…`: the runs in view, each from the last number that was seen of it. */
export const liveQuery = z.object({
  after: z.optional(queryNumber(0, Number.MAX_SAFE_INTEGER)),
  runs: z.optional(z.string()),
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
