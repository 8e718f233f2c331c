import type { BodyInputOf } from "#contract/api.ts";
import type { Invitation } from "#contract/endpoints/accounts.ts";
import type { JoinRequest, Person, SignInSettings } from "#contract/endpoints/people.ts";
import type { PreparedPerson } from "#contract/prepared-people/endpoints.ts";
import { useServices } from "../provider.tsx";
import { signInSettingsKey } from "../query-keys.ts";
import { none, searchFor, useChange, usePages, useResource } from "../resource.ts";

/** What administrators see and change. Every list is read again whenever it is shown; changes throw `CallError`. */
const peopleKey = ["people"] as const;

/** People with an account whose name or address contains `search`, of one group if `groupId` is not empty. */
export function usePeople(search: string, groupId = "") {
  const { call } = useServices();
  const change = useChange(peopleKey);
  const { pages, ...list } = usePages([...peopleKey, "list", search, groupId], "people.list", (after) => ({
    query: { ...searchFor(search), ...(groupId !== "" && { group: groupId }), ...after },
  }));
  const params = (id: string) => ({ params: { person_id: id } });
  return {
    ...list,
    people: pages.flatMap(({ people }): Person[] => people),
    update: async (id: string, body: BodyInputOf<"people.update">) =>
      await change("people.update", { ...params(id), body }),
    remove: async (id: string, afterExport = false) =>
      await change("people.remove", { ...params(id), query: afterExport ? { after_export: "true" } : {} }),
    endSessions: async (id: string) => await change("people.endSessions", params(id)),
    removeProxyIdentity: async (id: string) => await change("people.removeProxyIdentity", params(id)),
    resetSecondFactor: async (id: string) => await change("people.resetSecondFactor", params(id)),
    createResetLink: async (id: string) => await call("people.createResetLink", params(id)),
    approve: async (id: string) => await change("joinRequests.approve", params(id)),
    deny: async (id: string) => await change("joinRequests.deny", params(id)),
  };
}

/** The people who ask for an account, the newest first. */
export function useJoinRequests() {
  const { pages, ...list } = usePages([...peopleKey, "requests"], "joinRequests.list", (after) => ({
    query: after,
  }));
  return { ...list, requests: pages.flatMap(({ requests }): JoinRequest[] => requests) };
}

/** The invitations that can still be used. */
export function useInvitations() {
  const { data, change, ...list } = useResource([...peopleKey, "invitations"], "invitations.list", {});
  const invitations: Invitation[] = data?.invitations ?? none;
  return {
    ...list,
    invitations,
    create: async (body: BodyInputOf<"invitations.create">) => await change("invitations.create", { body }),
    revoke: async (id: string) => await change("invitations.revoke", { params: { invitation_id: id } }),
  };
}

/** The people whose threads were imported, and who have no account yet. */
export function usePreparedPeople() {
  const change = useChange(peopleKey);
  const { pages, ...list } = usePages([...peopleKey, "prepared"], "preparedPeople.list", (after) => ({
    query: { ...after, limit: "200" },
  }));
  const params = (id: string) => ({ params: { person_id: id } });
  return {
    ...list,
    people: pages.flatMap(({ people }): PreparedPerson[] => people),
    invite: async (id: string, body: BodyInputOf<"preparedPeople.invite">) =>
      await change("preparedPeople.invite", { ...params(id), body }),
    remove: async (id: string) => await change("preparedPeople.remove", params(id)),
  };
}

export function useSignInSettings() {
  const { data: stored, change, ...loaded } = useResource(signInSettingsKey, "signInSettings.get", {});
  return {
    ...loaded,
    stored,
    save: async (body: SignInSettings) => await change("signInSettings.put", { body }),
  };
}
