import type { Session } from "#contract/endpoints/auth.ts";
import { none, useResource } from "../resource.ts";

/** The sessions of this person, read again whenever they are shown. `end` and `endOthers` throw `CallError`. */
export function useOwnSessions() {
  const { data, change, ...list } = useResource(["sessions"], "auth.sessions", {});
  const sessions: Session[] = data?.sessions ?? none;
  return {
    ...list,
    sessions,
    end: async (id: string) => await change("auth.endSession", { params: { session_id: id } }),
    endOthers: async (): Promise<number> => (await change("auth.endOtherSessions", {})).ended,
  };
}
