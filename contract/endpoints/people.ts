import * as z from "zod/mini";
import { auditActions } from "../accounts/audit-actions.ts";
import type { Endpoints } from "../endpoint.ts";
import { joiningModes } from "./accounts.ts";
import { anyId, emailDomains, emptyObject, queryFlag, queryName, queryNumber, timestamp } from "./fields.ts";

const person = z
  .object({
    id: z.string(),
    name: z.nullable(z.string()),
    email: z.nullable(z.string()),
    role: z.enum(["owner", "admin", "member"]),
    joined_at: timestamp,
    last_seen_at: timestamp.check(z.describe("Exact to ten minutes.")),
    is_suspended: z.boolean(),
    deletes_at: z
      .nullable(timestamp)
      .check(z.describe("When the account will be deleted, if the person or an administrator wants that.")),
    groups: z.array(z.string()).check(z.describe("The names of the person's groups, at most ten.")),
    has_second_factor: z.boolean(),
    proxy_email: z
      .nullable(z.string())
      .check(z.describe("Who the person is to the proxy that signs people in.")),
    storage_bytes: z.number().check(z.describe("Their files and the text of their threads.")),
  })
  .check(z.meta({ id: "Person", description: "Somebody with an account." }));
export type Person = z.infer<typeof person>;

const joinRequest = z
  .object({
    user_id: z.string(),
    name: z.nullable(z.string()),
    email: z.nullable(z.string()),
    created_at: timestamp,
  })
  .check(z.meta({ id: "JoinRequest", description: "Somebody who asks for an account." }));
export type JoinRequest = z.infer<typeof joinRequest>;

/** Who must have a second factor. */
export const secondFactorRules = ["optional", "admins", "everyone"] as const;
export type SecondFactorRule = (typeof secondFactorRules)[number];

const signInSettings = z
  .object({
    joining: z.enum(joiningModes),
    guests: z
      .boolean()
      .check(
        z.describe(
          "Whether people can chat in the web app without an account. Each app has its own setting for anonymous tokens.",
        ),
      ),
    email_domains: emailDomains.check(
      z.describe(
        "People with an address of these domains can sign up without an invitation. They get the account at once if a sign-in provider has verified the address, else when they open the link in an e-mail and sign in. If the server sends no e-mail, an administrator approves them.",
      ),
    ),
    second_factor: z
      .optional(z.enum(secondFactorRules))
      .check(
        z.describe(
          "Who must have a second factor, if they sign in with a password: nobody, administrators and owners, everyone. Only owners can change it. If it is absent, it stays as it is.",
        ),
      ),
  })
  .check(z.meta({ id: "SignInSettings", description: "Who may use this server." }));
export type SignInSettings = z.infer<typeof signInSettings>;

const storedSettings = z.object({
  settings: signInSettings,
  guests_allowed: z
    .boolean()
    .check(z.describe("Whether the operator allows guests. If not, `guests` has no effect.")),
  anonymous_projects: z
    .array(
      z.object({
        id: z.string(),
        name: z.string(),
        has_budget: z
          .boolean()
          .check(z.describe("Whether a budget limits what their visitors use together.")),
      }),
    )
    .check(z.describe("The apps that issue anonymous tokens.")),
});

const auditEntry = z
  .object({
    id: z.string(),
    at: timestamp,
    action: z.enum(auditActions),
    actor: z
      .string()
      .check(
        z.describe(
          "A user's id, the id of an API key, `operator` for commands on the server's machine, or `unknown` for failed sign-ins.",
        ),
      ),
    actor_name: z.nullable(z.string()),
    target: z.nullable(z.string()).check(z.describe("The person or thing that it was done to.")),
    target_name: z.nullable(z.string()),
    address: z.nullable(z.string()).check(z.describe("The network address, or its network.")),
    details: z.nullable(z.record(z.string(), z.unknown())),
  })
  .check(z.meta({ id: "AuditEntry", description: "Something that a person did to accounts or settings." }));
export type AuditEntry = z.infer<typeof auditEntry>;

const auditSettings = z.object({
  keep_days: z
    .nullable(z.int().check(z.gte(30), z.lte(36_500)))
    .check(z.describe("How many days entries are kept; `null` keeps them forever.")),
});

const instant = z.iso.datetime({ offset: true, error: "must be a time such as 2026-01-31T00:00:00Z" });

const params = z.object({ person_id: anyId });
const permission = "people.manage" as const;

export const peopleEndpoints = {
  "people.list": {
    method: "GET",
    path: "/v1/people",
    caller: "account",
    permission,
    summary: "List people",
    description: "Everyone with an account, the newest first. `next` is `after` of the next page.",
    query: z.object({
      search: z.optional(queryName(254)),
      group: z.optional(anyId).check(z.describe("Only the members of the group with this id.")),
      after: z.optional(anyId),
      limit: z.optional(queryNumber(1, 100)),
    }),
    kind: "json",
    status: 200,
    response: z.object({ people: z.array(person), next: z.nullable(z.string()) }),
    errors: ["bad-cursor"],
  },
  "people.update": {
    method: "PUT",
    path: "/v1/people/{person_id}",
    caller: "account",
    permission,
    audit: ["role-changed", "person-suspended", "person-restored"],
    summary: "Change a person's role, or suspend them",
    description:
      "Only owners can change owners or name one, and the last owner cannot be changed. Suspending a person ends their sessions and streams and stops their answers.",
    params,
    body: z.object({
      role: z.optional(z.enum(["owner", "admin", "member"])),
      is_suspended: z.optional(z.boolean()),
    }),
    kind: "json",
    status: 200,
    response: emptyObject,
    errors: ["last-owner"],
    example: { body: { role: "member" } },
  },
  "people.remove": {
    method: "DELETE",
    path: "/v1/people/{person_id}",
    caller: "account",
    permission,
    audit: ["person-deleted", "person-deletion-scheduled"],
    summary: "Delete a person's account",
    description:
      "Permanently deletes the account with all its threads, files and sessions: at once, or in seven days with `after_export`. Only owners can delete owners, and the last owner cannot be deleted.",
    params,
    query: z.object({
      after_export: z
        .optional(queryFlag)
        .check(
          z.describe(
            "Ends all sessions now, and deletes the account in seven days. Until then the person can sign in, but only to export their data. No one else can export it. If the server sends e-mail, it says so to the person.",
          ),
        ),
    }),
    kind: "json",
    status: 200,
    response: z.object({
      is_mailed: z.boolean().check(z.describe("Whether the person got an e-mail about it.")),
    }),
    errors: ["last-owner"],
  },
  "people.endSessions": {
    method: "DELETE",
    path: "/v1/people/{person_id}/sessions",
    caller: "account",
    permission,
    audit: "sessions-ended",
    summary: "Sign a person out everywhere",
    description: "Ends all sessions of the person and their streams.",
    params,
    kind: "json",
    status: 200,
    response: z.object({ ended: z.number() }),
  },
  "people.createResetLink": {
    method: "POST",
    path: "/v1/people/{person_id}/reset-link",
    caller: "account",
    permission,
    audit: "reset-link-created",
    summary: "Create a link to set a new password",
    description:
      "If the server can send e-mail, it sends the link only to the person's address; it works once, for an hour. Otherwise it works once, for a day, and is in this response only: send it to the person. Older ones end. Only owners can create one for an owner.",
    params,
    kind: "json",
    status: 201,
    response: z.object({
      link: z.nullable(z.string()).check(z.describe("The link, if the server cannot send e-mail.")),
      is_mailed: z.boolean().check(z.describe("Whether the mail server took the message.")),
    }),
  },
  "joinRequests.list": {
    method: "GET",
    path: "/v1/join-requests",
    caller: "account",
    permission,
    summary: "List the people who ask for an account",
    description: "The newest first. `next` is `after` of the next page.",
    query: z.object({ after: z.optional(anyId), limit: z.optional(queryNumber(1, 100)) }),
    kind: "json",
    status: 200,
    response: z.object({ requests: z.array(joinRequest), next: z.nullable(z.string()) }),
    errors: ["bad-cursor"],
  },
  "joinRequests.approve": {
    method: "POST",
    path: "/v1/join-requests/{person_id}",
    caller: "account",
    permission,
    audit: "join-approved",
    summary: "Approve an account",
    description: "The person can sign in from now on, as a member.",
    params,
    kind: "json",
    status: 200,
    response: emptyObject,
  },
  "joinRequests.deny": {
    method: "DELETE",
    path: "/v1/join-requests/{person_id}",
    caller: "account",
    permission,
    audit: "join-denied",
    summary: "Deny an account",
    description: "The person stays a guest, and can ask again.",
    params,
    kind: "json",
    status: 200,
    response: emptyObject,
  },
  "signInSettings.get": {
    method: "GET",
    path: "/v1/sign-in-settings",
    caller: "account",
    permission,
    summary: "Get the settings of sign-in",
    description: "Who may use this server.",
    kind: "json",
    status: 200,
    response: storedSettings,
  },
  "signInSettings.put": {
    method: "PUT",
    path: "/v1/sign-in-settings",
    caller: "account",
    permission,
    audit: "sign-in-settings-changed",
    summary: "Change the settings of sign-in",
    description: "They apply at once, in every process. Without guests, the streams of guests close.",
    body: signInSettings,
    kind: "json",
    status: 200,
    response: emptyObject,
    errors: ["secret-not-set"],
    example: { body: { joining: "approval", guests: true, email_domains: ["example.com"] } },
  },
  "audit.list": {
    method: "GET",
    path: "/v1/audit",
    caller: "account",
    permission,
    summary: "List the audit log",
    description:
      "Changes to accounts and settings, newest first. All filters apply together. `next` is `after` of the next page.",
    query: z.object({
      person: z
        .optional(anyId)
        .check(z.describe("The id of a person: only what they did or what was done to them.")),
      search: z
        .optional(queryName(254))
        .check(
          z.describe(
            "Part of the name or e-mail address of such a person, of the name of a group or app that was changed, or of the network address.",
          ),
        ),
      action: z.optional(z.enum(auditActions)),
      from: z.optional(instant).check(z.describe("Only entries at this time or later.")),
      before: z.optional(instant).check(z.describe("Only entries before this time.")),
      after: z.optional(anyId),
      limit: z.optional(queryNumber(1, 200)),
    }),
    kind: "json",
    status: 200,
    response: z.object({ entries: z.array(auditEntry), next: z.nullable(z.string()) }),
  },
  "audit.settings": {
    method: "GET",
    path: "/v1/audit/settings",
    caller: "account",
    permission,
    summary: "Get how long the audit log is kept",
    description: "Until somebody changes it, this is the operator's setting `KEEP_AUDIT_DAYS`.",
    kind: "json",
    status: 200,
    response: auditSettings,
  },
  "audit.changeSettings": {
    method: "PUT",
    path: "/v1/audit/settings",
    caller: "account",
    permission,
    audit: "audit-retention-changed",
    summary: "Set how long the audit log is kept",
    description:
      "Older entries are deleted within some minutes, on all servers. The change is in the audit log.",
    body: auditSettings,
    kind: "json",
    status: 200,
    response: emptyObject,
    example: { body: { keep_days: 365 } },
  },
} as const satisfies Endpoints;
