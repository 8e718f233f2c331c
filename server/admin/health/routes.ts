import { actorOf } from "#server/audit/audit.ts";
import type { Routes } from "#server/lib/route.ts";
import type { UpdateChecks } from "../updates/updates.ts";
import type { HealthReports } from "./health.ts";

type HealthEndpoints = "health.report" | "health.check" | "health.updates" | "health.lookForUpdates";

export function healthRoutes(health: HealthReports, updates: UpdateChecks): Routes<HealthEndpoints> {
  return {
    "health.report": async () => await health.report(),
    "health.check": async () => ({ result: await health.check() }),
    "health.updates": async () => await updates.report(),
    "health.lookForUpdates": async ({ body, visitor, request }) =>
      await updates.change(body.is_on, actorOf({ visitor, request })),
  };
}
