import * as z from "zod/mini";
import { grantedPermissions } from "../accounts/permissions.ts";
import type { Endpoints } from "../endpoint.ts";
import { limits } from "../limits.ts";
import { anyId, emptyObject, queryName, queryNumber, writtenText } from "./fields.ts";

const allowed = (what: string) =>
  z
    .nullable(z.array(anyId).check(z.maxLength(limits.allowedMax, `must have at most ${limits.allowedMax}`)))
    .check(z.describe(`The ids of the ${what}; null allows all, also those that are added later.`));

const rights = z
  .object({
    models: allowed("models"),
    assistants: allowed("assistants").check(
      z.describe("The ids of the assistants; null allows all. Everyone may use `default`."),
    ),
    tools: z
      .nullable(
        z.array(anyId).check(z.maxLength(limits.allowedMax, `must have at most ${limits.allowedMax}`)),
      )
      .check(z.describe("The names of the tools that assistants may use for them; null allows all.")),
    permissions: z
      .array(z.enum(grantedPermissions))
      .check(
        z.maxLength(grantedPermissions.length),
        z.describe("Whether they may upload files, share threads by link, and use keys in other programs."),
      ),
  })
  .check(
    z.meta({
      id: "Rights",
      description: "What people may use. Somebody has the rights of their role and of all their groups.",
    }),
  );

const claim = z
  .object({
    provider_id: z.string(),
    value: z.string(),
  })
  .check(
    z.meta({
      id: "GroupClaim",
      description:
        "People belong to the group if the sign-in provider names this value when they sign in, and no longer if it does not.",
    }),
  );

const group = z
  .object({
    id: z.string(),
    name: z.string(),
    people: z.number().check(z.describe("How many people belong to it.")),
    claim: z.nullable(claim).check(z.describe("Null for a group whose members administrators choose.")),
    rights,
  })
  .check(z.meta({ id: "Group", description: "People who have rights and budgets in common." }));
export type Group = z.infer<typeof group>;

const groupMember = z
  .object({ id: z.string(), name: z.nullable(z.string()), email: z.nullable(z.string()) })
  .check(z.meta({ id: "GroupMember", description: "Somebody who belongs to a group." }));
export type GroupMember = z.infer<typeof groupMember>;

const accessSettings = z
  .object({
    member: rights,
    guest: rights,
    link_sharing: z.boolean().check(z.describe("Whether links to threads work, for anyone.")),
  })
  .check(z.meta({ id: "AccessSettings", description: "What people may use without belonging to a group." }));
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
const params = z.object({ group_id: anyId });
const memberParams = z.object({ group_id: anyId, person_id: anyId });
const permission = "people.manage" as const;
const engineers = {
  name: "Engineers",
  rights: { models: null, assistants: null, tools: ["calculate"], permissions: ["files.upload"] },
};

export const groupEndpoints = {
  "groups.list": {
    method: "GET",
    path: "/v1/groups",
    caller: "account",
    permission,
    summary: "List groups",
    description: "The groups of people, by name. `next` is `after` of the next page.",
    query: z.object(page),
    kind: "json",
    status: 200,
    response: z.object({ groups: z.array(group), next: z.nullable(z.string()) }),
    errors: ["bad-cursor"],
  },
  "groups.get": {
    method: "GET",
    path: "/v1/groups/{group_id}",
    caller: "account",
    permission,
    summary: "Get a group",
    description: "The group with its rights.",
    params,
    kind: "json",
    status: 200,
    response: group,
  },
  "groups.create": {
    method: "POST",
    path: "/v1/groups",
    caller: "account",
    permission,
    audit: "group-created",
    summary: "Create a group",
    description:
      "Its members may use what its rights allow, besides what their role allows. Absent rights add nothing. With `claim`, the sign-in provider decides who belongs to it, and only people who sign in from then on do.",
    body: z.object(fields),
    kind: "json",
    status: 201,
    response: group,
    errors: ["group-exists", "too-many-groups", "sign-in-provider-not-found"],
    example: { body: engineers },
  },
  "groups.update": {
    method: "PUT",
    path: "/v1/groups/{group_id}",
    caller: "account",
    permission,
    audit: "group-changed",
    summary: "Change a group",
    description:
      "Absent fields stay as they are. With another claim, the group loses its members, and gets those who sign in from then on. Takes effect at once, also for people who are signed in.",
    params,
    body: z.object({ ...fields, name: z.optional(fields.name) }),
    kind: "json",
    status: 200,
    response: group,
    errors: ["group-exists", "sign-in-provider-not-found"],
    example: { body: { name: "Engineering" } },
  },
  "groups.remove": {
    method: "DELETE",
    path: "/v1/groups/{group_id}",
    caller: "account",
    permission,
    audit: "group-removed",
    summary: "Delete a group",
    description: "Its members lose the rights that only this group gave them. Their accounts stay.",
    params,
    kind: "json",
    status: 200,
    response: emptyObject,
  },
  "groups.members": {
    method: "GET",
    path: "/v1/groups/{group_id}/members",
    caller: "account",
    permission,
    summary: "List the members of a group",
    description: "By name. `next` is `after` of the next page.",
    params,
    query: z.object(page),
    kind: "json",
    status: 200,
    response: z.object({ members: z.array(groupMember), next: z.nullable(z.string()) }),
    errors: ["bad-cursor"],
  },
  "groups.addMember": {
    method: "PUT",
    path: "/v1/groups/{group_id}/members/{person_id}",
    caller: "account",
    permission,
    audit: "group-member-added",
    summary: "Add a person to a group",
    description: "Only to a group without a claim. Adding somebody again changes nothing.",
    params: memberParams,
    kind: "json",
    status: 200,
    response: emptyObject,
    errors: ["group-has-claim"],
  },
  "groups.removeMember": {
    method: "DELETE",
    path: "/v1/groups/{group_id}/members/{person_id}",
    caller: "account",
    permission,
    audit: "group-member-removed",
    summary: "Remove a person from a group",
    description:
      "Removing somebody again changes nothing. In a group with a claim, they belong again if the provider names it at their next sign-in.",
    params: memberParams,
    kind: "json",
    status: 200,
    response: emptyObject,
  },
  "accessSettings.get": {
    method: "GET",
    path: "/v1/access-settings",
    caller: "account",
    permission,
    summary: "Get the rights of members and guests",
    description: "What people may use without belonging to a group, and whether links to threads work.",
    kind: "json",
    status: 200,
    response: accessSettings,
  },
  "accessSettings.put": {
    method: "PUT",
    path: "/v1/access-settings",
    caller: "account",
    permission,
    audit: "access-settings-changed",
    summary: "Change the rights of members and guests",
    description:
      "Absent fields stay as they are. Only the owner can change whether links to threads work. Takes effect at once.",
    body: z.object({
      member: z.optional(rights),
      guest: z.optional(rights),
      link_sharing: z.optional(z.boolean()),
    }),
    kind: "json",
    status: 200,
    response: accessSettings,
    example: { body: { link_sharing: true } },
  },
} as const satisfies Endpoints;
