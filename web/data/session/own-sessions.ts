import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Session } from "#contract/endpoints/auth.ts";
import { loadedOf } from "../load-state.ts";
import { useServices } from "../provider.tsx";

const sessionsKey = ["sessions"] as const;

/** The sessions of this person, read again whenever they are shown. `end` and `endOthers` throw `CallError`. */
export function useOwnSessions() {
  const { call } = useServices();
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: sessionsKey,
    queryFn: async ({ signal }) => await call("auth.sessions", {}, signal),
    staleTime: 0,
  });
  const refresh = async () => await queries.invalidateQueries({ queryKey: sessionsKey });
  return {
    ...loadedOf(query),
    sessions: query.data?.sessions ?? none,
    async end(id: string) {
      try {
        await call("auth.endSession", { params: { session_id: id } });
      } finally {
        await refresh();
      }
    },
    async endOthers(): Promise<number> {
      try {
        return (await call("auth.endOtherSessions", {})).ended;
      } finally {
        await refresh();
      }
    },
  };
}

const none: Session[] = [];
