import { actorOf } from "#server/audit/audit.ts";
import type { Routes } from "#server/lib/route.ts";
import type { Retention } from "./app-retention.ts";

type Names = "console.retention" | "console.putRetention" | "console.previewRetention";

export function retentionRoutes(retention: Retention): Routes<Names> {
  return {
    "console.retention": async ({ params }) => await retention.get(params.app_id),
    "console.putRetention": async ({ visitor, params, body, request }) =>
      await retention.put(params.app_id, body, actorOf({ visitor, request })),
    "console.previewRetention": async ({ params, query }) => await retention.preview(params.app_id, query),
  };
}
