import { actorOf } from "#server/audit/audit.ts";
import type { Routes } from "#server/lib/route.ts";
import type { Alerts } from "./alerts.ts";

type Names = "alerts.list" | "alerts.create" | "alerts.change" | "alerts.remove";

export function alertRoutes(alerts: Alerts): Routes<Names> {
  return {
    "alerts.list": async ({ params }) => await alerts.list(params.app_id),
    "alerts.create": async ({ visitor, params, body, request }) => ({
      rule: await alerts.create(params.app_id, body, actorOf({ visitor, request })),
    }),
    "alerts.change": async ({ visitor, params, body, request }) => ({
      rule: await alerts.change(params.app_id, params.alert_rule_id, body, actorOf({ visitor, request })),
    }),
    "alerts.remove": async ({ visitor, params, request }) => {
      await alerts.remove(params.app_id, params.alert_rule_id, actorOf({ visitor, request }));
      return {};
    },
  };
}
