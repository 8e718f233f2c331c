import { useQuery } from "@tanstack/react-query";
import type { BodyInputOf } from "#contract/api.ts";
import type { Invitation } from "#contract/endpoints/accounts.ts";
import type { JoinRequest, Person, SignInSettings } from "#contract/endpoints/people.ts";
import { loadedOf } from "../load-state.ts";
import { usePagedList } from "../paged-list.ts";
import { useServices } from "../provider.tsx";
import { signInSettingsKey } from "../query-keys.ts";
import { refreshAfter } from "../refresh-after.ts";

/** What administrators see and change. Every list is read again whenever it is shown; changes throw `CallError`. */
const peopleKey = ["people"] as const;

/** People with an account whose name or address contains `search`, of one group if `groupId` is not empty. */
export function usePeople(search: string, groupId = "") {
  const { call, queries } = useServices();
  const query = { ...(search !== "" && { search }), ...(groupId !== "" && { group: groupId }) };
  const { pages, ...list } = usePagedList({
    key: [...peopleKey, "list", search, groupId],
    read: async (after, signal) => await call("people.list", { query: { ...query, ...after } }, signal),
    next: (page) => page.next,
  });
  const afterwards = async <T>(change: Promise<T>) => await refreshAfter(queries, [peopleKey], change);
  const params = (id: string) => ({ params: { person_id: id } });
  return {
    ...list,
    people: pages.flatMap(({ people }): Person[] => people),
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
  const { pages, ...list } = usePagedList({
    key: [...peopleKey, "requests"],
    read: async (after, signal) => await call("joinRequests.list", { query: after }, signal),
    next: (page) => page.next,
  });
  return { ...list, requests: pages.flatMap(({ requests }): JoinRequest[] => requests) };
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
      return await refreshAfter(queries, [queryKey], call("invitations.create", { body }));
    },
    async revoke(id: string) {
      await refreshAfter(queries, [queryKey], call("invitations.revoke", { params: { invitation_id: id } }));
    },
  };
}

const noInvitations: Invitation[] = [];

export function useSignInSettings() {
  const { call, queries } = useServices();
  const queryKey = signInSettingsKey;
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }) => await call("signInSettings.get", {}, signal),
    staleTime: 0,
  });
  return {
    ...loadedOf(query),
    stored: query.data,
    async save(body: SignInSettings) {
      await refreshAfter(queries, [queryKey], call("signInSettings.put", { body }));
    },
  };
}
