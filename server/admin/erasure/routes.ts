import { actorOf } from "#server/audit/audit.ts";
import type { Routes } from "#server/lib/route.ts";
import type { Erasure } from "./erasure.ts";

export function erasureRoutes(erasure: Erasure): Routes<"apps.eraseUser" | "erasure.everything"> {
  return {
    "apps.eraseUser": async ({ key, params, request }) =>
      await erasure.erase(key, params.user_id, { id: key.credentialId, address: request.limitKey }),
    "erasure.everything": async (call) => await erasure.eraseOwn(call.visitor, actorOf(call)),
  };
}
