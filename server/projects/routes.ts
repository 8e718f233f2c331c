import { AppError } from "../errors.ts";
import type { Routes } from "../route.ts";
import type { ProjectRuns } from "../runs/project-runs.ts";
import type { Erasure } from "./erasure.ts";

type Names =
  | "projects.runs"
  | "projects.run"
  | "projects.usage"
  | "projects.usagePeriod"
  | "projects.eraseUser"
  | "mcp.call";

export function projectRoutes(runs: ProjectRuns, erasure: Erasure): Routes<Names> {
  return {
    "projects.runs": async ({ key, query }) => await runs.list(key, query),
    "projects.run": async ({ key, params }) => await runs.get(key, params.run_id),
    "projects.usage": async ({ key, query }) => ({ days: await runs.usage(key, query) }),
    "projects.usagePeriod": async ({ key }) => await runs.usagePeriod(key),
    "mcp.call": async () => {
      throw new AppError("mcp-not-offered");
    },
    "projects.eraseUser": async ({ key, params }) => await erasure.erase(key, params.user_id),
  };
}
