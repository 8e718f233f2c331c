import type { BodyInputOf } from "#contract/api.ts";
import type { Profile } from "#contract/endpoints/auth.ts";
import { useServices } from "../provider.tsx";
import { useSession } from "./session.ts";

/** What this person set about themselves on every device; null for guests, and until it is known. */
export function useProfile(): {
  profile: Profile | null;
  /** Throws `CallError`. */
  update(change: BodyInputOf<"profile.update">): Promise<void>;
} {
  const { call, session } = useServices();
  const { me } = useSession();
  return {
    profile: me?.profile ?? null,
    update: async (change) => session.changed(await call("profile.update", { body: change })),
  };
}
