import * as z from "zod/mini";
import { limits } from "../limits.ts";
import type { Endpoints } from "../endpoint.ts";
import { anyId, emptyObject, queryName, threadParams } from "./fields.ts";
import { thread } from "./threads.ts";

/** What somebody may do in a thread of another person. */
export const memberAccess = z
  .enum(["read", "write"], 'must be "read" or "write"')
  .check(z.describe("Whether they only read the thread, or also ask in it."));
export type MemberAccess = z.infer<typeof memberAccess>;

/** The person who wrote a message. */
export const asker = z.object({
  user_id: z.string(),
  name: z.nullable(z.string()),
  picture_url: z.nullable(z.string()),
});
export type Asker = z.infer<typeof asker>;

const member = z
  .object({
    id: z.string().check(z.describe("The id of the person or of the group.")),
    kind: z.enum(["person", "group"]),
    name: z.nullable(z.string()),
    picture_url: z.nullable(z.string()).check(z.describe("Of a person who has one.")),
    access: memberAccess,
  })
  .check(z.meta({ id: "ThreadMember", description: "A person or a group that a thread is shared with." }));
export type ThreadMember = z.infer<typeof member>;

const candidate = z
  .object({
    id: z.string(),
    kind: z.enum(["person", "group"]),
    name: z.nullable(z.string()),
    email: z.nullable(z.string()).check(z.describe("Of a person; null for a group.")),
  })
  .check(z.meta({ id: "MemberCandidate", description: "A person or a group to share threads with." }));
export type MemberCandidate = z.infer<typeof candidate>;

const memberParams = z.object({ thread_id: anyId, member_id: anyId });

export const threadMemberEndpoints = {
  "threadMembers.list": {
    method: "GET",
    path: "/v1/threads/{thread_id}/members",
    caller: "account",
    members: "read",
    summary: "List who a thread is shared with",
    description: "People and groups of this server. The thread's owner is not in the list.",
    params: threadParams,
    kind: "json",
    status: 200,
    response: z.object({ members: z.array(member) }),
  },
  "threadMembers.put": {
    method: "PUT",
    path: "/v1/threads/{thread_id}/members/{member_id}",
    caller: "account",
    permission: "threads.invite",
    audit: "thread-member-set",
    summary: "Share a thread with a person or a group",
    description:
      "They see the thread in the web app as it changes, and may ask in it with `write`. Clients of the protocol never see it. Repeating it with another `access` changes that. Only people with an account, and groups that you belong to or manage.",
    params: memberParams,
    body: z.object({ access: memberAccess }),
    kind: "json",
    status: 200,
    response: emptyObject,
    errors: ["thread-temporary", "too-many-members"],
    example: { body: { access: "write" } },
  },
  "threadMembers.remove": {
    method: "DELETE",
    path: "/v1/threads/{thread_id}/members/{member_id}",
    caller: "account",
    members: "read",
    audit: "thread-member-removed",
    summary: "Stop sharing a thread with a person or a group",
    description:
      "Takes effect at once, also for what they have open. Members can remove themselves. Removing somebody again changes nothing.",
    params: memberParams,
    kind: "json",
    status: 200,
    response: emptyObject,
  },
  "threadMembers.find": {
    method: "GET",
    path: "/v1/thread-members",
    caller: "account",
    permission: "threads.invite",
    summary: "Find people and groups to share with",
    description:
      "The first ones whose name, or a person's e-mail address, contains `search`. Groups are those that you belong to; administrators find all.",
    query: z.object({ search: queryName(254) }),
    kind: "json",
    status: 200,
    response: z.object({ candidates: z.array(candidate) }),
    example: { query: { search: "ada" } },
  },
  "threadMembers.threads": {
    method: "GET",
    path: "/v1/shared-threads",
    caller: "account",
    summary: "List shared threads, newest message first",
    description:
      "The threads that others share with you, or with `by=me` those that you share with people and groups. Up to 200.",
    query: z.object({
      by: z.optional(z.enum(["others", "me"], "must be others or me")).check(z.describe("Default: others.")),
    }),
    kind: "json",
    status: 200,
    response: z.object({ threads: z.array(thread) }),
  },
  "threadMembers.typing": {
    method: "POST",
    path: "/v1/threads/{thread_id}/typing",
    caller: "account",
    members: "write",
    audit: { none: "no-change" },
    summary: "Say that you are typing",
    description: `The others who have the thread open see it for some seconds. Does nothing in a thread that is not shared. At most ${limits.typingPerMinute} times a minute, which count for nothing else.`,
    params: threadParams,
    kind: "json",
    status: 200,
    response: emptyObject,
    errors: ["rate-limited"],
  },
} as const satisfies Endpoints;
