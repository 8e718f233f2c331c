import * as z from "zod/mini";
import { endpoints } from "./endpoints.ts";
import { limits } from "../limits.ts";
import { enterAccountErrors, signInResult } from "./account-fields.ts";
import { directory, isDirectoryUrl } from "./directories.ts";
import { described, emailDomains, namedObject, secretToken, timestamp, writtenText } from "./fields.ts";

export const signInProviderKinds = ["oidc", "github", "ldap"] as const;
export type SignInProviderKind = (typeof signInProviderKinds)[number];

const issuer = described(
  z
    .string()
    .check(
      z.trim(),
      z.maxLength(
        limits.providerUrlCharacters,
        `must have at most ${limits.providerUrlCharacters} characters`,
      ),
      z.refine(
        isIssuer,
        "must be an https URL such as https://id.example.com/realms/team; http only on this machine; ldaps: or ldap: for a directory",
      ),
    ),
  "The issuer's URL, below which `.well-known/openid-configuration` is; for GitHub, that of the GitHub server; for a directory, `ldaps://` or `ldap://` with its host.",
);

/** Passwords travel in the browser to this address, so that http is only for tests on the same machine. */
function isIssuer(text: string): boolean {
  if (isDirectoryUrl(text)) return true;
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (`${username}${password}${search}${hash}` !== "") return false;
  return (
    protocol === "https:" || (protocol === "http:" && ["127.0.0.1", "[::1]", "localhost"].includes(hostname))
  );
}

const clientText = (max: number) =>
  z.string().check(
    z.trim(),
    z.minLength(1, "must not be empty"),
    z.maxLength(max, `must have at most ${max} characters`),
    z.refine((text) => /^[\x20-\x7e]+$/.test(text), "must be one line of letters, digits and punctuation"),
  );

const fields = {
  name: described(writtenText(limits.providerNameCharacters), "The name on the button: Continue with …"),
  issuer,
  client_id: described(
    z.union([z.literal(""), clientText(limits.nameCharacters)]),
    "Empty for a directory only.",
  ),
  email_domains: described(
    emailDomains,
    "Only people with a verified address of these domains can sign in; empty for everyone.",
  ),
  trusts_email: described(
    z.boolean(),
    "Whether all addresses count as verified. Only for a provider that does not let people enter another person's address.",
  ),
  admits_everyone: described(
    z.boolean(),
    "Whether everyone who signs in with it gets an account, without an invitation.",
  ),
};

const claimsImports = described(
  z.boolean(),
  "Whether people with a verified address get what was imported for it, with an account if they have none. For a provider whose addresses belong to its people for ever.",
);

const groupsClaim = described(
  z.nullable(clientText(limits.nameCharacters)),
  "The claim that names a person's groups, such as `groups`. Groups with a claim follow it at every sign-in.",
);

const clientSecret = described(
  clientText(limits.providerKeyCharacters),
  "Stored encrypted and never returned. For a directory, the password of the account that searches.",
);

const provider = namedObject("SignInProvider", "A provider that people sign in with.", {
  id: z.string(),
  kind: z.enum(signInProviderKinds),
  ...fields,
  claims_imports: claimsImports,
  groups_claim: groupsClaim,
  directory: described(z.nullable(directory), "Null for all kinds but `ldap`."),
  has_secret: z.boolean(),
  is_usable: described(
    z.boolean(),
    "False if the secret was encrypted with another server's secret: enter it again.",
  ),
  redirect_uri: described(z.string(), "The redirect URI to enter at the provider."),
  people: described(z.number(), "How many accounts use it."),
  created_at: timestamp,
});
export type SignInProvider = z.infer<typeof provider>;

const permission = "people.manage" as const;
const webApp = "Only for the web app, from its own origin.";

export const signInProviderEndpoints = endpoints("account", {
  "signInProviders.list": {
    request: "GET /v1/sign-in-providers",
    permission,
    summary: "List sign-in providers",
    description: "The OpenID providers and GitHub servers that people can sign in with, by name.",
    response: z.object({ providers: z.array(provider) }),
  },
  "signInProviders.create": {
    request: "POST /v1/sign-in-providers",
    permission,
    audit: "sign-in-provider-added",
    summary: "Add a sign-in provider",
    description:
      "Reads the provider's discovery document first, so that an address that does not work is not stored.",
    body: z.object({
      kind: z.enum(signInProviderKinds),
      ...fields,
      claims_imports: z.optional(claimsImports),
      groups_claim: z.optional(groupsClaim),
      client_secret: z.optional(clientSecret),
      directory: described(z.optional(directory), "Required for the kind `ldap`, and only for it."),
    }),
    status: 201,
    response: provider,
    errors: ["too-many-providers", "secret-not-set", "provider-private", "provider-not-usable"],
    example: {
      body: {
        kind: "github",
        name: "GitHub",
        issuer: "https://github.com",
        client_id: "Iv1.0123456789abcdef",
        client_secret: "a-secret-of-github",
        email_domains: ["example.com"],
        trusts_email: false,
        admits_everyone: false,
      },
    },
  },
  "signInProviders.update": {
    request: "PUT /v1/sign-in-providers/{sign_in_provider_id}",
    permission,
    audit: "sign-in-provider-changed",
    summary: "Change a sign-in provider",
    description:
      "Absent fields stay as they are. With another issuer, the secret must be sent again. With another issuer, or another `base_dn`, `user_filter` or `id_attribute` of a directory, all connections of people to the provider end, and their addresses no longer count as verified. Only the owner can choose an issuer in the server’s own network.",
    body: z.object({
      name: z.optional(fields.name),
      issuer: z.optional(fields.issuer),
      client_id: z.optional(fields.client_id),
      client_secret: z.optional(z.nullable(clientSecret)),
      email_domains: z.optional(fields.email_domains),
      trusts_email: z.optional(fields.trusts_email),
      admits_everyone: z.optional(fields.admits_everyone),
      claims_imports: z.optional(claimsImports),
      groups_claim: z.optional(groupsClaim),
      directory: z.optional(directory),
    }),
    response: provider,
    errors: [
      "secret-not-set",
      "provider-private",
      "provider-not-usable",
      "provider-changed",
      "last-sign-in-method",
    ],
    example: { body: { name: "Work" } },
  },
  "accounts.startProvider": {
    request: "POST /v1/auth/providers/{provider}/start",
    caller: "anyone",
    audit: { none: "one-step" },
    summary: "Begin to sign in with a provider",
    description: `${webApp} Send the browser to \`url\`. It returns to \`/sign-in/callback/{provider}\`. Keep \`flow\` until then: this sign-in cannot be finished without it. With \`connect\`, the identity is added to the account that is signed in.`,
    body: z.object({ invitation: z.optional(secretToken), connect: z.optional(z.boolean()) }),
    requestsPerMinute: limits.passwordsPerMinute,
    response: z.object({ url: z.string(), flow: z.string() }),
    errors: [
      "not-allowed",
      "rate-limited",
      "not-signed-in",
      "confirmation-needed",
      "sign-in-provider-not-found",
      "sign-in-unavailable",
      "invitation-invalid",
    ],
    example: { headers: { "Parlance-Client": "web" }, body: {} },
  },
  "accounts.finishProvider": {
    request: "POST /v1/auth/providers/{provider}/finish",
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
    summary: "Sign in with a provider",
    description: `${webApp} \`response\` is the query with which the provider sent the browser back. Signs in, creates an account if the server's settings or an invitation allow it, or adds the identity to the account. The threads and files of the guest who signs in become those of the account.`,
    body: z.object({ flow: secretToken, response: z.string().check(z.maxLength(8_192, "is too long")) }),
    requestsPerMinute: limits.passwordsPerMinute,
    response: signInResult,
    errors: enterAccountErrors,
    example: {
      headers: { "Parlance-Client": "web" },
      body: { flow: "$FLOW", response: "?code=abc&state=def" },
    },
  },
  "signInProviders.remove": {
    request: "DELETE /v1/sign-in-providers/{sign_in_provider_id}",
    permission,
    audit: "sign-in-provider-removed",
    summary: "Remove a sign-in provider",
    description:
      "It can no longer be used to sign in. Sessions continue. People without a password need a link to set one. Refused if an owner could no longer sign in.",
    errors: ["last-sign-in-method"],
  },
});
