import * as z from "zod/mini";
import { grantedPermissions } from "../accounts/permissions.ts";
import { endpoints } from "./endpoints.ts";
import { limits } from "../limits.ts";
import { anyId, described, namedObject, queryName, queryNumber, writtenText } from "./fields.ts";

const allowed = (what: string) =>
  described(
    z.nullable(
      z.array(anyId).check(z.maxLength(limits.allowedMax, `must have at most ${limits.allowedMax}`)),
    ),
    `The ids of the ${what}; null allows all, also those that are added later.`,
  );

const rights = namedObject(
  "Rights",
  "What people may use. Somebody has the rights of their role and of all their groups.",
  {
    models: allowed("models"),
    assistants: described(
      allowed("assistants"),
      "The ids of the assistants; null allows all. Everyone may use `default`.",
    ),
    tools: described(
      z.nullable(
        z.array(anyId).check(z.maxLength(limits.allowedMax, `must have at most ${limits.allowedMax}`)),
      ),
      "The names of the tools that assistants may use for them; null allows all.",
    ),
    permissions: described(
      z.array(z.enum(grantedPermissions)).check(z.maxLength(grantedPermissions.length)),
      "Whether they may upload files, share threads by link, and use keys in other programs.",
    ),
  },
);

const claim = namedObject(
  "GroupClaim",
  "People belong to the group if the sign-in provider names this value when they sign in, and no longer if it does not.",
  {
    provider_id: z.string(),
    value: z.string(),
  },
);

const group = namedObject("Group", "People who have rights and budgets in common.", {
  id: z.string(),
  name: z.string(),
  people: described(z.number(), "How many people belong to it."),
  claim: described(z.nullable(claim), "Null for a group whose members administrators choose."),
  rights,
});
export type Group = z.infer<typeof group>;

const groupMember = namedObject("GroupMember", "Somebody who belongs to a group.", {
  id: z.string(),
  name: z.nullable(z.string()),
  email: z.nullable(z.string()),
});
export type GroupMember = z.infer<typeof groupMember>;

const accessSettings = namedObject("AccessSettings", "What people may use without belonging to a group.", {
  member: rights,
  guest: rights,
  link_sharing: described(z.boolean(), "Whether links to threads work, for anyone."),
});
export type AccessSettings = z.infer<typeof accessSettings>;

const fields = {
  name: writtenText(limits.accountNameCharacters),
  claim: z.optional(z.nullable(z.object({ provider_id: anyId, value: writtenText(limits.nameCharacters) }))),
  rights: z.optional(rights),
};

const page = {
  search: z.optional(queryName(254)),
  after: z.optional(anyId),
  limit: z.optional(queryNumber(1, 100)),
};
const engineers = {
  name: "Engineers",
  rights: { models: null, assistants: null, tools: ["calculate"], permissions: ["files.upload"] },
};

const common = { caller: "account", permission: "people.manage" } as const;

export const groupEndpoints = endpoints(common, {
  "groups.list": {
    request: "GET /v1/groups",
    summary: "List groups",
    description: "The groups of people, by name. `next` is `after` of the next page.",
    query: z.object(page),
    response: z.object({ groups: z.array(group), next: z.nullable(z.string()) }),
    errors: ["bad-cursor"],
  },
  "groups.get": {
    request: "GET /v1/groups/{group_id}",
    summary: "Get a group",
    description: "The group with its rights.",
    response: group,
  },
  "groups.create": {
    request: "POST /v1/groups",
    audit: "group-created",
    summary: "Create a group",
    description:
      "Its members may use what its rights allow, besides what their role allows. Absent rights add nothing. With `claim`, the sign-in provider decides who belongs to it, and only people who sign in from then on do.",
    body: z.object(fields),
    status: 201,
    response: group,
    errors: ["group-exists", "too-many-groups", "sign-in-provider-not-found"],
    example: { body: engineers },
  },
  "groups.update": {
    request: "PUT /v1/groups/{group_id}",
    audit: "group-changed",
    summary: "Change a group",
    description:
      "Absent fields stay as they are. With another claim, the group loses its members, and gets those who sign in from then on. Takes effect at once, also for people who are signed in.",
    body: z.object({ ...fields, name: z.optional(fields.name) }),
    response: group,
    errors: ["group-exists", "sign-in-provider-not-found"],
    example: { body: { name: "Engineering" } },
  },
  "groups.remove": {
    request: "DELETE /v1/groups/{group_id}",
    audit: "group-removed",
    summary: "Delete a group",
    description: "Its members lose the rights that only this group gave them. Their accounts stay.",
  },
  "groups.members": {
    request: "GET /v1/groups/{group_id}/members",
    summary: "List the members of a group",
    description: "By name. `next` is `after` of the next page.",
    query: z.object(page),
    response: z.object({ members: z.array(groupMember), next: z.nullable(z.string()) }),
    errors: ["bad-cursor"],
  },
  "groups.addMember": {
    request: "PUT /v1/groups/{group_id}/members/{person_id}",
    audit: "group-member-added",
    summary: "Add a person to a group",
    description: "Only to a group without a claim. Adding somebody again changes nothing.",
    errors: ["group-has-claim"],
  },
  "groups.removeMember": {
    request: "DELETE /v1/groups/{group_id}/members/{person_id}",
    audit: "group-member-removed",
    summary: "Remove a person from a group",
    description:
      "Removing somebody again changes nothing. In a group with a claim, they belong again if the provider names it at their next sign-in.",
  },
  "accessSettings.get": {
    request: "GET /v1/access-settings",
    summary: "Get the rights of members and guests",
    description: "What people may use without belonging to a group, and whether links to threads work.",
    response: accessSettings,
  },
  "accessSettings.put": {
    request: "PUT /v1/access-settings",
    audit: "access-settings-changed",
    summary: "Change the rights of members and guests",
    description:
      "Absent fields stay as they are. Only the owner can change whether links to threads work. Takes effect at once.",
    body: z.object({
      member: z.optional(rights),
      guest: z.optional(rights),
      link_sharing: z.optional(z.boolean()),
    }),
    response: accessSettings,
    example: { body: { link_sharing: true } },
  },
});
