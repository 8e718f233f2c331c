import type { Routes } from "#server/lib/route.ts";
import type { HealthReports } from "./health.ts";

export function healthRoutes(health: HealthReports): Routes<"health.report" | "health.check"> {
  return {
    "health.report": async () => await health.report(),
    "health.check": async () => ({ result: await health.check() }),
  };
}
