import * as z from "zod/mini";
import { limits } from "../limits.ts";
import { enterAccountErrors, password, signInResult } from "./account-fields.ts";
import { anyId, described, namedObject, secretToken, writtenText } from "./fields.ts";
import { endpoints } from "./endpoints.ts";

/** The place of a user name in the filters of a directory. */
export const usernamePlaceholder = "{username}";

const line = (max: number) =>
  writtenText(max).check(z.refine((text) => !/\p{Cc}/u.test(text), "must be on one line"));
const dn = line(limits.providerUrlCharacters);
const attribute = z
  .string()
  .check(z.regex(/^[A-Za-z][\w.;-]{0,99}$/, "must be the name of an attribute, such as mail"));

export const directory = namedObject(
  "Directory",
  "How people are found in an LDAP directory, or Active Directory.",
  {
    start_tls: described(z.boolean(), "Encrypts an `ldap:` connection before anything else is sent."),
    bind_dn: described(z.nullable(dn), "The account that searches; null searches without one."),
    base_dn: described(dn, "Where people are searched, at any depth below."),
    user_filter: described(
      line(1_000).check(
        z.refine((text) => text.includes(usernamePlaceholder), `must contain ${usernamePlaceholder}`),
      ),
      "The person who signs in, with `{username}` as the value of an attribute: `(&(objectClass=person)(uid={username}))`.",
    ),
    id_attribute: described(
      z.nullable(attribute),
      "What identifies a person for ever. Null: entryUUID or objectGUID, or the DN if the entry has neither.",
    ),
    name_attribute: attribute,
    email_attribute: attribute,
    group_base_dn: described(
      z.nullable(dn),
      "Where groups are searched, if people’s own entries do not name them. Then `groups_claim` is an attribute of the groups, such as `cn`.",
    ),
    group_filter: described(
      z.nullable(line(1_000)),
      "The groups of a person, with `{dn}` or `{username}` as a value: `(member={dn})`.",
    ),
  },
);
export type Directory = z.infer<typeof directory>;

const directoryUrl = z
  .string()
  .check(
    z.trim(),
    z.maxLength(limits.providerUrlCharacters, `must have at most ${limits.providerUrlCharacters} characters`),
    z.refine(
      isDirectoryUrl,
      "must be the address of a server, such as ldaps://ldap.example.com or ldap://ldap.example.com:389",
    ),
  );

export function isDirectoryUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, username, password, search, hash } = new URL(text);
  return (
    /^ldaps?:$/.test(protocol) &&
    hostname !== "" &&
    /^\/?$/.test(pathname) &&
    `${username}${password}${search}${hash}` === ""
  );
}

export const directoryProblems = [
  "address-not-allowed",
  "host-not-found",
  "connection-refused",
  "timeout",
  "certificate",
  "not-encrypted",
  "bind-refused",
  "base-not-found",
  "filter",
  "nobody-found",
  "several-found",
  "other",
] as const;
export type DirectoryProblem = (typeof directoryProblems)[number];

const webApp = "Only for the web app, from its own origin.";

export const directoryEndpoints = endpoints("account", {
  "directories.test": {
    request: "POST /v1/directories/test",
    permission: "people.manage",
    audit: { none: "no-change" },
    summary: "Test the connection to an LDAP directory",
    description:
      "Connects, signs in with the account that searches, and searches. With a user name, it also says what is found of that person; no password of theirs is needed. Without `bind_password`, the stored one of `sign_in_provider_id` is used if the address is the stored one; for administrators, only if all other fields are too.",
    body: z.object({
      sign_in_provider_id: z.optional(anyId),
      url: directoryUrl,
      bind_password: z.optional(z.string().check(z.maxLength(limits.providerKeyCharacters, "is too long"))),
      directory,
      groups_claim: z.optional(z.nullable(attribute)),
      username: z.optional(line(limits.nameCharacters)),
    }),
    requestsPerMinute: limits.passwordsPerMinute,
    response: z.object({
      problem: z.nullable(z.enum(directoryProblems)),
      server_text: described(z.nullable(z.string()), "What the directory said about the problem."),
      person: z.nullable(
        z.object({
          dn: z.string(),
          name: z.nullable(z.string()),
          email: z.nullable(z.string()),
          groups: z.array(z.string()),
        }),
      ),
    }),
    errors: ["provider-private", "rate-limited"],
    example: {
      body: {
        url: "ldaps://ldap.example.com",
        bind_password: "a-secret-of-the-directory",
        directory: {
          start_tls: false,
          bind_dn: "cn=parlance,dc=example,dc=com",
          base_dn: "ou=people,dc=example,dc=com",
          user_filter: "(&(objectClass=person)(uid={username}))",
          id_attribute: null,
          name_attribute: "cn",
          email_attribute: "mail",
          group_base_dn: null,
          group_filter: null,
        },
        username: "ada",
      },
    },
  },
  "accounts.directorySignIn": {
    request: "POST /v1/auth/directories/{provider}/sign-in",
    caller: "anyone",
    audit: [
      "signed-in",
      "account-created",
      "join-requested",
      "account-deletion-undone",
      "identity-connected",
      "group-member-added",
      "group-member-removed",
    ],
    summary: "Sign in with a user name and password of a directory",
    description: `${webApp} Signs in, creates an account if the server's settings or an invitation allow it, or with \`connect\` adds the identity to the account that is signed in. Unknown users, wrong passwords and accounts that are locked there get the same answer after the same time.`,
    body: z.object({
      username: line(limits.nameCharacters),
      password,
      code: z.optional(z.string().check(z.maxLength(32, "is too long"))),
      invitation: z.optional(secretToken),
      connect: z.optional(z.boolean()),
    }),
    requestsPerMinute: limits.passwordsPerMinute,
    response: signInResult,
    errors: [
      ...enterAccountErrors,
      "too-many-attempts",
      "directory-refused",
      "not-signed-in",
      "confirmation-needed",
      "second-factor-needed",
      "wrong-code",
    ],
    example: {
      headers: { "Parlance-Client": "web" },
      body: { username: "ada", password: "correct horse" },
    },
  },
});
