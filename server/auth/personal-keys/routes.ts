import type { Routes } from "#server/lib/route.ts";
import type { PersonalKeys } from "./personal-keys.ts";

export function personalKeyRoutes(keys: PersonalKeys): Routes<"keys.list" | "keys.create" | "keys.revoke"> {
  return {
    "keys.list": async ({ visitor }) => ({ keys: await keys.list(visitor.userId) }),
    "keys.create": async ({ visitor, body, request }) =>
      await keys.create({ id: visitor.userId, address: request.limitKey }, body),
    "keys.revoke": async ({ visitor, params, request }) => {
      await keys.revoke({ id: visitor.userId, address: request.limitKey }, params.key_id);
      return {};
    },
  };
}
