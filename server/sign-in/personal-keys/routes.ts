import { actorOf } from "#server/audit/audit.ts";
import type { Routes } from "#server/lib/route.ts";
import type { PersonalKeys } from "./personal-keys.ts";

export function personalKeyRoutes(keys: PersonalKeys): Routes<"keys.list" | "keys.create" | "keys.revoke"> {
  return {
    "keys.list": async ({ visitor }) => ({ keys: await keys.list(visitor.userId) }),
    "keys.create": async (call) => await keys.create(actorOf(call), call.body),
    "keys.revoke": async (call) => {
      await keys.revoke(actorOf(call), call.params.key_id);
      return {};
    },
  };
}
