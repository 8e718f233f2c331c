import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { BodyInputOf } from "#contract/api.ts";
import type { Group, GroupMember } from "#contract/endpoints/groups.ts";
import { loadedOf, loadedPagesOf } from "../load-state.ts";
import { useServices } from "../provider.tsx";
import { peopleKey } from "./people.ts";

const groupsKey = [...peopleKey, "groups"] as const;

/** What a page of a list is asked with. */
function pageQuery(search: string, after: string | null) {
  return { ...(search === "" ? {} : { search }), ...(after === null ? {} : { after }) };
}

/** The groups whose name contains `search`. */
export function useGroups(search: string) {
  const { call } = useServices();
  const query = useInfiniteQuery({
    queryKey: [...groupsKey, "list", search],
    queryFn: async ({ signal, pageParam }) =>
      await call("groups.list", { query: pageQuery(search, pageParam) }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  return {
    ...loadedPagesOf(query),
    groups: query.data?.pages.flatMap(({ groups }): Group[] => groups) ?? [],
  };
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
  const afterwards = async <T>(action: Promise<T>): Promise<T> => {
    const result = await action;
    await queries.invalidateQueries({ queryKey: groupsKey });
    return result;
  };
  return {
    ...loadedOf({ ...query, data: group }),
    group,
    create: async (body: BodyInputOf<"groups.create">) => await afterwards(call("groups.create", { body })),
    update: async (body: BodyInputOf<"groups.update">) =>
      await afterwards(call("groups.update", { params: { group_id: id! }, body })),
    remove: async () => {
      await call("groups.remove", { params: { group_id: id! } });
      await queries.invalidateQueries({ queryKey: [...groupsKey, "list"] });
    },
  };
}

/** The members of a group whose name or address contains `search`. */
export function useGroupMembers(groupId: string, search: string) {
  const { call, queries } = useServices();
  const params = { group_id: groupId };
  const query = useInfiniteQuery({
    queryKey: [...groupsKey, "members", groupId, search],
    queryFn: async ({ signal, pageParam }) =>
      await call("groups.members", { params, query: pageQuery(search, pageParam) }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  const change = async (name: "groups.addMember" | "groups.removeMember", personId: string) => {
    try {
      await call(name, { params: { ...params, person_id: personId } });
    } finally {
      await queries.invalidateQueries({ queryKey: [...groupsKey, "members", groupId] });
    }
  };
  return {
    ...loadedPagesOf(query),
    members: query.data?.pages.flatMap(({ members }): GroupMember[] => members) ?? [],
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
