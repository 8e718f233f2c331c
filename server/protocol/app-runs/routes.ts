import { AppError } from "#server/lib/errors.ts";
import type { Routes } from "#server/lib/route.ts";
import type { AppRuns } from "./app-runs.ts";

type Names = "apps.runs" | "apps.run" | "apps.usage" | "apps.usagePeriod" | "mcp.call";

export function appRoutes(runs: AppRuns): Routes<Names> {
  return {
    "apps.runs": async ({ key, query }) => await runs.list(key, query),
    "apps.run": async ({ key, params }) => await runs.get(key, params.run_id),
    "apps.usage": async ({ key, query }) => ({ days: await runs.usage(key, query) }),
    "apps.usagePeriod": async ({ key }) => await runs.usagePeriod(key),
    "mcp.call": async () => {
      throw new AppError("mcp-not-offered");
    },
  };
}
