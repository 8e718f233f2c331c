import type { Routes } from "#server/lib/route.ts";
import type { Erasure } from "./erasure.ts";

export function erasureRoutes(erasure: Erasure): Routes<"projects.eraseUser" | "erasure.everything"> {
  return {
    "projects.eraseUser": async ({ key, params }) => await erasure.erase(key, params.user_id),
    "erasure.everything": async ({ visitor }) => await erasure.eraseOwn(visitor),
  };
}
