import { AppError } from "#server/lib/errors.ts";
import type { Routes } from "#server/lib/route.ts";
import type { ProjectRuns } from "./app-runs.ts";

type Names = "projects.runs" | "projects.run" | "projects.usage" | "projects.usagePeriod" | "mcp.call";

export function projectRoutes(runs: ProjectRuns): Routes<Names> {
  return {
    "projects.runs": async ({ key, query }) => await runs.list(key, query),
    "projects.run": async ({ key, params }) => await runs.get(key, params.run_id),
    "projects.usage": async ({ key, query }) => ({ days: await runs.usage(key, query) }),
    "projects.usagePeriod": async ({ key }) => await runs.usagePeriod(key),
    "mcp.call": async () => {
      throw new AppError("mcp-not-offered");
    },
  };
}
