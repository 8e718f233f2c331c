import * as z from "zod/mini";
import { limits } from "../limits.ts";
import { endpoints } from "./endpoints.ts";
import { described, namedObject, queryName } from "./fields.ts";
import { thread } from "./threads.ts";

/** What somebody may do in a thread of another person. */
export const memberAccess = described(
  z.enum(["read", "write"], 'must be "read" or "write"'),
  "Whether they only read the thread, or also ask in it.",
);
export type MemberAccess = z.infer<typeof memberAccess>;

/** The person who wrote a message. */
export const asker = z.object({
  user_id: z.string(),
  name: z.nullable(z.string()),
  picture_url: z.nullable(z.string()),
});
export type Asker = z.infer<typeof asker>;

const member = namedObject("ThreadMember", "A person or a group that a thread is shared with.", {
  id: described(z.string(), "The id of the person or of the group."),
  kind: z.enum(["person", "group"]),
  name: z.nullable(z.string()),
  picture_url: described(z.nullable(z.string()), "Of a person who has one."),
  access: memberAccess,
});
export type ThreadMember = z.infer<typeof member>;

const candidate = namedObject("MemberCandidate", "A person or a group to share threads with.", {
  id: z.string(),
  kind: z.enum(["person", "group"]),
  name: z.nullable(z.string()),
  email: described(z.nullable(z.string()), "Of a person; null for a group."),
});
export type MemberCandidate = z.infer<typeof candidate>;

export const threadMemberEndpoints = endpoints("account", {
  "threadMembers.list": {
    request: "GET /v1/threads/{thread_id}/members",
    members: "read",
    summary: "List who a thread is shared with",
    description: "People and groups of this server. The thread's owner is not in the list.",
    response: z.object({ members: z.array(member) }),
  },
  "threadMembers.put": {
    request: "PUT /v1/threads/{thread_id}/members/{member_id}",
    permission: "threads.invite",
    audit: "thread-member-set",
    summary: "Share a thread with a person or a group",
    description:
      "They see the thread in the web app as it changes, and may ask in it with `write`. Clients of the protocol never see it. Repeating it with another `access` changes that. Only people with an account, and groups that you belong to or manage.",
    body: z.object({ access: memberAccess }),
    errors: ["thread-temporary", "too-many-members"],
    example: { body: { access: "write" } },
  },
  "threadMembers.remove": {
    request: "DELETE /v1/threads/{thread_id}/members/{member_id}",
    members: "read",
    audit: "thread-member-removed",
    summary: "Stop sharing a thread with a person or a group",
    description:
      "Takes effect at once, also for what they have open. Members can remove themselves. Removing somebody again changes nothing.",
  },
  "threadMembers.find": {
    request: "GET /v1/thread-members",
    permission: "threads.invite",
    summary: "Find people and groups to share with",
    description:
      "The first ones whose name, or a person's e-mail address, contains `search`. Groups are those that you belong to; administrators find all.",
    query: z.object({ search: queryName(254) }),
    response: z.object({ candidates: z.array(candidate) }),
    example: { query: { search: "ada" } },
  },
  "threadMembers.threads": {
    request: "GET /v1/shared-threads",
    summary: "List shared threads, newest message first",
    description:
      "The threads that others share with you, or with `by=me` those that you share with people and groups. Up to 200.",
    query: z.object({
      by: described(z.optional(z.enum(["others", "me"], "must be others or me")), "Default: others."),
    }),
    response: z.object({ threads: z.array(thread) }),
  },
  "threadMembers.typing": {
    request: "POST /v1/threads/{thread_id}/typing",
    members: "write",
    audit: { none: "no-change" },
    summary: "Say that you are typing",
    description: `The others who have the thread open see it for some seconds. Does nothing in a thread that is not shared. At most ${limits.typingPerMinute} times a minute, which count for nothing else.`,
    errors: ["rate-limited"],
  },
});
