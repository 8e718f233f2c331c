import { useQuery } from "@tanstack/react-query";
import type { BodyInputOf } from "#contract/api.ts";
import type { Group, GroupMember } from "#contract/endpoints/groups.ts";
import { loadedOf } from "../load-state.ts";
import { usePagedList } from "../paged-list.ts";
import { useServices } from "../provider.tsx";
import { refreshAfter } from "../refresh-after.ts";

const groupsKey = ["groups"] as const;

/** The groups whose name contains `search`. */
export function useGroups(search: string) {
  const { call } = useServices();
  const { pages, ...list } = usePagedList({
    key: [...groupsKey, "list", search],
    read: async (after, signal) =>
      await call("groups.list", { query: { ...(search !== "" && { search }), ...after } }, signal),
    next: (page) => page.next,
  });
  return { ...list, groups: pages.flatMap(({ groups }): Group[] => groups) };
}

/** One group; none while `id` is undefined. Changes throw `CallError`. */
export function useGroup(id: string | undefined) {
  const { call, queries } = useServices();
  const query = useQuery({
    queryKey: [...groupsKey, "one", id],
    queryFn: async ({ signal }) => await call("groups.get", { params: { group_id: id! } }, signal),
    enabled: id !== undefined,
    staleTime: 0,
    // No background refresh, which would overwrite a form that is being edited.
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  // A form that opened with what was read before would save it again.
  const group = query.isFetchedAfterMount ? query.data : undefined;
  return {
    ...loadedOf({ ...query, data: group }),
    group,
    create: async (body: BodyInputOf<"groups.create">) =>
      await refreshAfter(queries, [groupsKey], call("groups.create", { body })),
    update: async (body: BodyInputOf<"groups.update">) =>
      await refreshAfter(queries, [groupsKey], call("groups.update", { params: { group_id: id! }, body })),
    remove: async () =>
      await refreshAfter(
        queries,
        [[...groupsKey, "list"]],
        call("groups.remove", { params: { group_id: id! } }),
      ),
  };
}

/** The members of a group whose name or address contains `search`. */
export function useGroupMembers(groupId: string, search: string) {
  const { call, queries } = useServices();
  const params = { group_id: groupId };
  const key = [...groupsKey, "members", groupId];
  const { pages, ...list } = usePagedList({
    key: [...key, search],
    read: async (after, signal) =>
      await call("groups.members", { params, query: { ...(search !== "" && { search }), ...after } }, signal),
    next: (page) => page.next,
  });
  const change = async (name: "groups.addMember" | "groups.removeMember", personId: string) =>
    await refreshAfter(queries, [key], call(name, { params: { ...params, person_id: personId } }));
  return {
    ...list,
    members: pages.flatMap(({ members }): GroupMember[] => members),
    add: async (personId: string) => await change("groups.addMember", personId),
    remove: async (personId: string) => await change("groups.removeMember", personId),
  };
}

/** What members and guests may use, and whether links work. */
export function useAccessSettings() {
  const { call, queries } = useServices();
  const queryKey = [...groupsKey, "access"];
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }) => await call("accessSettings.get", {}, signal),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  // The page of groups may have read them long before a form opens.
  const settings = query.isFetchedAfterMount ? query.data : undefined;
  return {
    ...loadedOf({ ...query, data: settings }),
    settings,
    /** Shows the change at once, and takes it back if it fails. */
    async save(body: BodyInputOf<"accessSettings.put">) {
      const before = query.data;
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
