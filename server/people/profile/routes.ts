import type { Me } from "#contract/endpoints/auth.ts";
import type { Routes, Visitor } from "#server/lib/route.ts";
import type { Profiles } from "./profiles.ts";

export function profileRoutes(
  profiles: Profiles,
  { me }: { me: (visitor: Visitor) => Promise<Me> },
): Routes<"profile.update" | "profile.picture"> {
  return {
    "profile.update": async ({ visitor, body }) => {
      await profiles.update(visitor, body);
      return await me(visitor);
    },
    "profile.picture": async ({ params, request }) => await profiles.readPicture(params.picture_id, request),
  };
}
