import type { BodyInputOf, ResponseOf } from "#contract/api.ts";
import type { Group, GroupMember } from "#contract/endpoints/groups.ts";
import { useServices } from "../provider.tsx";
import { searchFor, useChange, usePages, useStored } from "../resource.ts";

type AccessSettings = ResponseOf<"accessSettings.get">;

const groupsKey = ["groups"] as const;

/** The groups whose name contains `search`. */
export function useGroups(search: string) {
  const { pages, ...list } = usePages([...groupsKey, "list", search], "groups.list", (after) => ({
    query: { ...searchFor(search), ...after },
  }));
  return { ...list, groups: pages.flatMap(({ groups }): Group[] => groups) };
}

/** One group; none while `id` is undefined. Changes throw `CallError`. */
export function useGroup(id: string | undefined) {
  const change = useChange(groupsKey);
  const changeList = useChange([...groupsKey, "list"]);
  const params = { params: { group_id: id! } };
  const { data: group, ...loaded } = useStored([...groupsKey, "one", id], "groups.get", params, {
    enabled: id !== undefined,
  });
  return {
    ...loaded,
    group,
    create: async (body: BodyInputOf<"groups.create">) => await change("groups.create", { body }),
    update: async (body: BodyInputOf<"groups.update">) => await change("groups.update", { ...params, body }),
    remove: async () => await changeList("groups.remove", params),
  };
}

/** The members of a group whose name or address contains `search`. */
export function useGroupMembers(groupId: string, search: string) {
  const params = { group_id: groupId };
  const key = [...groupsKey, "members", groupId];
  const change = useChange(key);
  const { pages, ...list } = usePages([...key, search], "groups.members", (after) => ({
    params,
    query: { ...searchFor(search), ...after },
  }));
  const one = (personId: string) => ({ params: { ...params, person_id: personId } });
  return {
    ...list,
    members: pages.flatMap(({ members }): GroupMember[] => members),
    add: async (personId: string) => await change("groups.addMember", one(personId)),
    remove: async (personId: string) => await change("groups.removeMember", one(personId)),
  };
}

/** What members and guests may use, and whether links work. */
export function useAccessSettings() {
  const { call, queries } = useServices();
  const queryKey = [...groupsKey, "access"];
  const { data: settings, ...loaded } = useStored(queryKey, "accessSettings.get", {});
  return {
    ...loaded,
    settings,
    /** Shows the change at once, and takes it back if it fails. */
    async save(body: BodyInputOf<"accessSettings.put">) {
      const before = queries.getQueryData<AccessSettings>(queryKey);
      if (before !== undefined) queries.setQueryData(queryKey, { ...before, ...body });
      try {
        queries.setQueryData(queryKey, await call("accessSettings.put", { body }));
      } catch (error) {
        queries.setQueryData(queryKey, before);
        throw error;
      }
    },
  };
}
