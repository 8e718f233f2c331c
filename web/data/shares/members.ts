import type { MemberAccess, MemberCandidate, ThreadMember } from "#contract/endpoints/thread-members.ts";
import type { Thread } from "#contract/endpoints/threads.ts";
import { none, useResource } from "../resource.ts";
import { threadListKey } from "../threads/thread-list.ts";

const sharedByMeKey = ["shared-by-me"] as const;

/** Who a thread is shared with. Changes throw `CallError`. */
export function useThreadMembers(threadId: string) {
  const thread = { thread_id: threadId };
  const { data, change, ...list } = useResource(
    ["thread-members", threadId],
    "threadMembers.list",
    { params: thread },
    { others: [sharedByMeKey, threadListKey("shared")] },
  );
  const members: ThreadMember[] = data?.members ?? none;
  return {
    ...list,
    members,
    put: async (id: string, access: MemberAccess) =>
      await change("threadMembers.put", { params: { ...thread, member_id: id }, body: { access } }),
    remove: async (id: string) =>
      await change("threadMembers.remove", { params: { ...thread, member_id: id } }),
  };
}

/** The people and groups whose name or address contains `search`; none for an empty one. */
export function useMemberCandidates(search: string) {
  const { data, ...list } = useResource(
    ["member-candidates", search],
    "threadMembers.find",
    { query: { search } },
    { enabled: search !== "" },
  );
  const candidates: MemberCandidate[] = data?.candidates ?? none;
  return { ...list, candidates };
}

/** The person's own threads that are shared with people or groups. */
export function useThreadsSharedByMe(isEnabled: boolean) {
  const { data, ...list } = useResource(
    sharedByMeKey,
    "threadMembers.threads",
    { query: { by: "me" } },
    { enabled: isEnabled },
  );
  const threads: Thread[] = data?.threads ?? none;
  return { ...list, threads };
}
