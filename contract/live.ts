import * as z from "zod/mini";
import { isId } from "./ids.ts";
import { queryNumber } from "./shapes.ts";

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
