import * as z from "zod/mini";
import { auditActions } from "../accounts/audit-actions.ts";
import { endpoints } from "./endpoints.ts";
import { joiningModes } from "./accounts.ts";
import {
  anyId,
  described,
  emailDomains,
  namedObject,
  queryFlag,
  queryName,
  queryNumber,
  timestamp,
} from "./fields.ts";

const person = namedObject("Person", "Somebody with an account.", {
  id: z.string(),
  name: z.nullable(z.string()),
  email: z.nullable(z.string()),
  role: z.enum(["owner", "admin", "member"]),
  joined_at: timestamp,
  last_seen_at: described(timestamp, "Exact to ten minutes."),
  is_suspended: z.boolean(),
  deletes_at: described(
    z.nullable(timestamp),
    "When the account will be deleted, if the person or an administrator wants that.",
  ),
  groups: described(z.array(z.string()), "The names of the person's groups, at most ten."),
  has_second_factor: z.boolean(),
  proxy_email: described(z.nullable(z.string()), "Who the person is to the proxy that signs people in."),
  storage_bytes: described(z.number(), "Their files and the text of their threads."),
});
export type Person = z.infer<typeof person>;

const joinRequest = namedObject("JoinRequest", "Somebody who asks for an account.", {
  user_id: z.string(),
  name: z.nullable(z.string()),
  email: z.nullable(z.string()),
  created_at: timestamp,
});
export type JoinRequest = z.infer<typeof joinRequest>;

/** Who must have a second factor. */
export const secondFactorRules = ["optional", "admins", "everyone"] as const;
export type SecondFactorRule = (typeof secondFactorRules)[number];

const signInSettings = namedObject("SignInSettings", "Who may use this server.", {
  joining: z.enum(joiningModes),
  guests: described(
    z.boolean(),
    "Whether people can chat in the web app without an account. Each app has its own setting for anonymous tokens.",
  ),
  email_domains: described(
    emailDomains,
    "People with an address of these domains can sign up without an invitation. They get the account at once if a sign-in provider has verified the address, else when they open the link in an e-mail and sign in. If the server sends no e-mail, an administrator approves them.",
  ),
  second_factor: described(
    z.optional(z.enum(secondFactorRules)),
    "Who must have a second factor, if they sign in with a password: nobody, administrators and owners, everyone. Only owners can change it. If it is absent, it stays as it is.",
  ),
});
export type SignInSettings = z.infer<typeof signInSettings>;

const storedSettings = z.object({
  settings: signInSettings,
  guests_allowed: described(
    z.boolean(),
    "Whether the operator allows guests. If not, `guests` has no effect.",
  ),
  anonymous_projects: described(
    z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        has_budget: described(z.boolean(), "Whether a budget limits what their visitors use together."),
      }),
    ),
    "The apps that issue anonymous tokens.",
  ),
});

const auditEntry = namedObject("AuditEntry", "Something that a person did to accounts or settings.", {
  id: z.string(),
  at: timestamp,
  action: z.enum(auditActions),
  actor: described(
    z.string(),
    "A user's id, the id of an API key, `operator` for commands on the server's machine, or `unknown` for failed sign-ins.",
  ),
  actor_name: z.nullable(z.string()),
  target: described(z.nullable(z.string()), "The person or thing that it was done to."),
  target_name: z.nullable(z.string()),
  address: described(z.nullable(z.string()), "The network address, or its network."),
  details: z.nullable(z.record(z.string(), z.unknown())),
});
export type AuditEntry = z.infer<typeof auditEntry>;

const auditSettings = z.object({
  keep_days: described(
    z.nullable(z.int().check(z.gte(30), z.lte(36_500))),
    "How many days entries are kept; `null` keeps them forever.",
  ),
});

const instant = z.iso.datetime({ offset: true, error: "must be a time such as 2026-01-31T00:00:00Z" });

const common = { caller: "account", permission: "people.manage" } as const;

export const peopleEndpoints = endpoints(common, {
  "people.list": {
    request: "GET /v1/people",
    summary: "List people",
    description: "Everyone with an account, the newest first. `next` is `after` of the next page.",
    query: z.object({
      search: z.optional(queryName(254)),
      group: described(z.optional(anyId), "Only the members of the group with this id."),
      after: z.optional(anyId),
      limit: z.optional(queryNumber(1, 100)),
    }),
    response: z.object({ people: z.array(person), next: z.nullable(z.string()) }),
    errors: ["bad-cursor"],
  },
  "people.update": {
    request: "PUT /v1/people/{person_id}",
    audit: ["role-changed", "person-suspended", "person-restored"],
    summary: "Change a person's role, or suspend them",
    description:
      "Only owners can change owners or name one, and the last owner cannot be changed. Suspending a person ends their sessions and streams and stops their answers.",
    body: z.object({
      role: z.optional(z.enum(["owner", "admin", "member"])),
      is_suspended: z.optional(z.boolean()),
    }),
    errors: ["last-owner"],
    example: { body: { role: "member" } },
  },
  "people.remove": {
    request: "DELETE /v1/people/{person_id}",
    audit: ["person-deleted", "person-deletion-scheduled"],
    summary: "Delete a person's account",
    description:
      "Permanently deletes the account with all its threads, files and sessions: at once, or in seven days with `after_export`. Only owners can delete owners, and the last owner cannot be deleted.",
    query: z.object({
      after_export: described(
        z.optional(queryFlag),
        "Ends all sessions now, and deletes the account in seven days. Until then the person can sign in, but only to export their data. No one else can export it. If the server sends e-mail, it says so to the person.",
      ),
    }),
    response: z.object({
      is_mailed: described(z.boolean(), "Whether the person got an e-mail about it."),
    }),
    errors: ["last-owner"],
  },
  "people.endSessions": {
    request: "DELETE /v1/people/{person_id}/sessions",
    audit: "sessions-ended",
    summary: "Sign a person out everywhere",
    description: "Ends all sessions of the person and their streams.",
    response: z.object({ ended: z.number() }),
  },
  "people.createResetLink": {
    request: "POST /v1/people/{person_id}/reset-link",
    audit: "reset-link-created",
    summary: "Create a link to set a new password",
    description:
      "If the server can send e-mail, it sends the link only to the person's address; it works once, for an hour. Otherwise it works once, for a day, and is in this response only: send it to the person. Older ones end. Only owners can create one for an owner.",
    status: 201,
    response: z.object({
      link: described(z.nullable(z.string()), "The link, if the server cannot send e-mail."),
      is_mailed: described(z.boolean(), "Whether the mail server took the message."),
    }),
  },
  "joinRequests.list": {
    request: "GET /v1/join-requests",
    summary: "List the people who ask for an account",
    description: "The newest first. `next` is `after` of the next page.",
    query: z.object({ after: z.optional(anyId), limit: z.optional(queryNumber(1, 100)) }),
    response: z.object({ requests: z.array(joinRequest), next: z.nullable(z.string()) }),
    errors: ["bad-cursor"],
  },
  "joinRequests.approve": {
    request: "POST /v1/join-requests/{person_id}",
    audit: "join-approved",
    summary: "Approve an account",
    description: "The person can sign in from now on, as a member.",
  },
  "joinRequests.deny": {
    request: "DELETE /v1/join-requests/{person_id}",
    audit: "join-denied",
    summary: "Deny an account",
    description: "The person stays a guest, and can ask again.",
  },
  "signInSettings.get": {
    request: "GET /v1/sign-in-settings",
    summary: "Get the settings of sign-in",
    description: "Who may use this server.",
    response: storedSettings,
  },
  "signInSettings.put": {
    request: "PUT /v1/sign-in-settings",
    audit: "sign-in-settings-changed",
    summary: "Change the settings of sign-in",
    description: "They apply at once, in every process. Without guests, the streams of guests close.",
    body: signInSettings,
    errors: ["secret-not-set"],
    example: { body: { joining: "approval", guests: true, email_domains: ["example.com"] } },
  },
  "audit.list": {
    request: "GET /v1/audit",
    summary: "List the audit log",
    description:
      "Changes to accounts and settings, newest first. All filters apply together. `next` is `after` of the next page.",
    query: z.object({
      person: described(
        z.optional(anyId),
        "The id of a person: only what they did or what was done to them.",
      ),
      search: described(
        z.optional(queryName(254)),
        "Part of the name or e-mail address of such a person, of the name of a group or app that was changed, or of the network address.",
      ),
      action: z.optional(z.enum(auditActions)),
      from: described(z.optional(instant), "Only entries at this time or later."),
      before: described(z.optional(instant), "Only entries before this time."),
      after: z.optional(anyId),
      limit: z.optional(queryNumber(1, 200)),
    }),
    response: z.object({ entries: z.array(auditEntry), next: z.nullable(z.string()) }),
  },
  "audit.settings": {
    request: "GET /v1/audit/settings",
    summary: "Get how long the audit log is kept",
    description: "Until somebody changes it, this is the operator's setting `KEEP_AUDIT_DAYS`.",
    response: auditSettings,
  },
  "audit.changeSettings": {
    request: "PUT /v1/audit/settings",
    audit: "audit-retention-changed",
    summary: "Set how long the audit log is kept",
    description:
      "Older entries are deleted within some minutes, on all servers. The change is in the audit log.",
    body: auditSettings,
    example: { body: { keep_days: 365 } },
  },
});
