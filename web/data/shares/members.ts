import { useQuery } from "@tanstack/react-query";
import type { MemberAccess, MemberCandidate, ThreadMember } from "#contract/endpoints/thread-members.ts";
import type { Thread } from "#contract/endpoints/threads.ts";
import { loadedOf } from "../load-state.ts";
import { useServices } from "../provider.tsx";
import { refreshAfter } from "../refresh-after.ts";
import { threadListKey } from "../threads/thread-list.ts";

const membersKey = (threadId: string) => ["thread-members", threadId] as const;
const sharedByMeKey = ["shared-by-me"] as const;

/** Who a thread is shared with. Changes throw `CallError`. */
export function useThreadMembers(threadId: string) {
  const { call, queries } = useServices();
  const query = useQuery({
    queryKey: membersKey(threadId),
    queryFn: async ({ signal }) =>
      await call("threadMembers.list", { params: { thread_id: threadId } }, signal),
    staleTime: 0,
  });
  const keys = [membersKey(threadId), sharedByMeKey, threadListKey("shared")];
  const changing = async <T>(change: Promise<T>) => await refreshAfter(queries, keys, change);
  const paramsOf = (member_id: string) => ({ params: { thread_id: threadId, member_id } });
  return {
    ...loadedOf(query),
    members: query.data?.members ?? noMembers,
    put: async (id: string, access: MemberAccess) =>
      await changing(call("threadMembers.put", { ...paramsOf(id), body: { access } })),
    remove: async (id: string) => await changing(call("threadMembers.remove", paramsOf(id))),
  };
}

const noMembers: ThreadMember[] = [];

/** The people and groups whose name or address contains `search`; none for an empty one. */
export function useMemberCandidates(search: string) {
  const { call } = useServices();
  const query = useQuery({
    queryKey: ["member-candidates", search],
    queryFn: async ({ signal }) => await call("threadMembers.find", { query: { search } }, signal),
    enabled: search !== "",
    staleTime: 0,
  });
  return { ...loadedOf(query), candidates: query.data?.candidates ?? noCandidates };
}

const noCandidates: MemberCandidate[] = [];

/** The person's own threads that are shared with people or groups. */
export function useThreadsSharedByMe(isEnabled: boolean) {
  const { call } = useServices();
  const query = useQuery({
    queryKey: sharedByMeKey,
    queryFn: async ({ signal }) => await call("threadMembers.threads", { query: { by: "me" } }, signal),
    enabled: isEnabled,
    staleTime: 0,
  });
  return { ...loadedOf(query), threads: query.data?.threads ?? noThreads };
}

const noThreads: Thread[] = [];
