import { actorOf } from "#server/audit/audit.ts";
import type { Routes } from "../../lib/route.ts";
import type { ThreadMembers } from "./members.ts";

type Names =
  | "threadMembers.list"
  | "threadMembers.put"
  | "threadMembers.remove"
  | "threadMembers.find"
  | "threadMembers.threads"
  | "threadMembers.typing";

export function threadMemberRoutes(members: ThreadMembers): Routes<Names> {
  return {
    "threadMembers.list": async ({ visitor, params }) => ({
      members: await members.list(visitor, params.thread_id),
    }),
    "threadMembers.put": async ({ visitor, params, body, request }) => {
      const member = { threadId: params.thread_id, memberId: params.member_id, access: body.access };
      await members.put(visitor, member, actorOf({ visitor, request }));
      return {};
    },
    "threadMembers.remove": async ({ visitor, params, request }) => {
      const member = { threadId: params.thread_id, memberId: params.member_id };
      await members.remove(visitor, member, actorOf({ visitor, request }));
      return {};
    },
    "threadMembers.find": async ({ visitor, query }) => ({
      candidates: await members.find(visitor, query.search),
    }),
    "threadMembers.threads": async ({ visitor, query }) => ({
      threads: query.by === "me" ? await members.sharedBy(visitor) : await members.sharedWith(visitor),
    }),
    "threadMembers.typing": async ({ visitor, params }) => {
      await members.showTyping(visitor, params.thread_id);
      return {};
    },
  };
}
