import type { Routes } from "../route.ts";
import type { ProjectRuns } from "../runs/project-runs.ts";
import type { Erasure } from "./erasure.ts";

type Names = "projects.runs" | "projects.run" | "projects.usage" | "projects.eraseUser";

export function projectRoutes(runs: ProjectRuns, erasure: Erasure): Routes<Names> {
  return {
    "projects.runs": async ({ key, query }) => await runs.list(key, query),
    "projects.run": async ({ key, params }) => await runs.get(key, params.run_id),
    "projects.usage": async ({ key, query }) => ({ days: await runs.usage(key, query) }),
    "projects.eraseUser": async ({ key, params }) => await erasure.erase(key, params.user_id),
  };
}
