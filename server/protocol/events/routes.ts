import type { Routes } from "#server/lib/route.ts";
import type { Events } from "./events.ts";

export function eventRoutes(events: Events): Routes<"events.add"> {
  return {
    "events.add": async ({ visitor, body }) => ({ accepted: await events.add(visitor, body.events) }),
  };
}
