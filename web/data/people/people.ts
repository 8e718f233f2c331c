import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { BodyInputOf } from "#contract/api.ts";
import type { Invitation } from "#contract/endpoints/accounts.ts";
import type { JoinRequest, Person, SignInSettings } from "#contract/endpoints/people.ts";
import { loadedOf, loadedPagesOf } from "../load-state.ts";
import { useServices } from "../provider.tsx";

/** What administrators see and change. Every list is read again whenever it is shown; changes throw `CallError`. */
export const peopleKey = ["people"] as const;

/** People with an account whose name or address contains `search`, of one group if `groupId` is not empty. */
export function usePeople(search: string, groupId = "") {
  const { call, queries } = useServices();
  const query = useInfiniteQuery({
    queryKey: [...peopleKey, "list", search, groupId],
    queryFn: async ({ signal, pageParam }) =>
      await call(
        "people.list",
        {
          query: {
            ...(search === "" ? {} : { search }),
            ...(groupId === "" ? {} : { group: groupId }),
            ...(pageParam === null ? {} : { after: pageParam }),
          },
        },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  const afterwards = async <T>(action: Promise<T>): Promise<T> => {
    try {
      return await action;
    } finally {
      await queries.invalidateQueries({ queryKey: peopleKey });
    }
  };
  const params = (id: string) => ({ params: { person_id: id } });
  return {
    ...loadedPagesOf(query),
    people: query.data?.pages.flatMap(({ people }): Person[] => people) ?? [],
    update: async (id: string, body: BodyInputOf<"people.update">) =>
      await afterwards(call("people.update", { ...params(id), body })),
    remove: async (id: string, afterExport = false) =>
      await afterwards(
        call("people.remove", { ...params(id), query: afterExport ? { after_export: "true" } : {} }),
      ),
    endSessions: async (id: string) => await afterwards(call("people.endSessions", params(id))),
    removeProxyIdentity: async (id: string) =>
      await afterwards(call("people.removeProxyIdentity", params(id))),
    resetSecondFactor: async (id: string) => await afterwards(call("people.resetSecondFactor", params(id))),
    createResetLink: async (id: string) => await call("people.createResetLink", params(id)),
    approve: async (id: string) => await afterwards(call("joinRequests.approve", params(id))),
    deny: async (id: string) => await afterwards(call("joinRequests.deny", params(id))),
  };
}

/** The people who ask for an account, the newest first. */
export function useJoinRequests() {
  const { call } = useServices();
  const query = useInfiniteQuery({
    queryKey: [...peopleKey, "requests"],
    queryFn: async ({ signal, pageParam }) =>
      await call("joinRequests.list", { query: pageParam === null ? {} : { after: pageParam } }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    staleTime: 0,
  });
  return {
    ...loadedPagesOf(query),
    requests: query.data?.pages.flatMap(({ requests }): JoinRequest[] => requests) ?? [],
  };
}

/** The invitations that can still be used. */
export function useInvitations() {
  const { call, queries } = useServices();
  const queryKey = [...peopleKey, "invitations"];
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }) => await call("invitations.list", {}, signal),
    staleTime: 0,
  });
  return {
    ...loadedOf(query),
    invitations: query.data?.invitations ?? noInvitations,
    async create(body: BodyInputOf<"invitations.create">): Promise<{ link: string; is_mailed: boolean }> {
      const created = await call("invitations.create", { body });
      await queries.invalidateQueries({ queryKey });
      return created;
    },
    async revoke(id: string) {
      try {
        await call("invitations.revoke", { params: { invitation_id: id } });
      } finally {
        await queries.invalidateQueries({ queryKey });
      }
    },
  };
}

const noInvitations: Invitation[] = [];

export function useSignInSettings() {
  const { call, queries } = useServices();
  const queryKey = [...peopleKey, "settings"];
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }) => await call("signInSettings.get", {}, signal),
    staleTime: 0,
  });
  return {
    ...loadedOf(query),
    stored: query.data,
    async save(body: SignInSettings) {
      await call("signInSettings.put", { body });
      await queries.invalidateQueries({ queryKey });
    },
  };
}
