import type { Routes } from "#server/lib/route.ts";
import type { Labels } from "./labels.ts";

export function labelRoutes(labels: Labels): Routes<"labels.list" | "labels.put" | "labels.remove"> {
  return {
    "labels.list": async ({ visitor }) => ({ labels: await labels.list(visitor) }),
    "labels.put": async ({ visitor, params, body }) => ({
      label: await labels.put(visitor, params.label_id, body),
    }),
    "labels.remove": async ({ visitor, params }) => {
      await labels.remove(visitor, params.label_id);
      return {};
    },
  };
}
