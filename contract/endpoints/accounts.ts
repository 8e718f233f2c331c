import * as z from "zod/mini";
import { endpoints } from "./endpoints.ts";
import { limits } from "../limits.ts";
import {
  accountName,
  confirmation,
  confirmationLanguage,
  email,
  newPassword,
  password,
  secondFactorCode,
  signUpResult,
} from "./account-fields.ts";
import { me } from "./auth.ts";
import { described, namedObject, secretToken, timestamp, wholeNumber } from "./fields.ts";
import { mailLanguage } from "./mail.ts";
import { newPasskey, passkey } from "./passkeys.ts";

/** How people get an account, apart from an invitation, which always works. */
export const joiningModes = ["invitation", "approval", "open"] as const;
export type Joining = (typeof joiningModes)[number];

/** Who may use the server, as the first account decides: people with an account, or also guests. */
export const openToChoices = ["invited", "anyone"] as const;
export type OpenTo = (typeof openToChoices)[number];

const options = namedObject("SignInOptions", "How people sign in to this server.", {
  has_accounts: described(z.boolean(), "Whether anyone has an account."),
  joining: described(
    z.enum(joiningModes),
    "Who can sign up: people with an invitation, people approved by an administrator, everyone.",
  ),
  has_domains: described(
    z.boolean(),
    "Whether people with an e-mail address of certain domains can sign up in any case.",
  ),
  guests: described(z.boolean(), "Whether people can chat in the web app without an account."),
  mails: described(z.boolean(), "Whether people can request a link to set a new password by e-mail."),
  providers: described(
    z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        asks_password: described(z.boolean(), "A directory: the sign-in page asks for the password."),
      }),
    ),
    "The providers that people can sign in with.",
  ),
});
export type SignInOptions = z.infer<typeof options>;

const invitationFacts = namedObject("InvitationFacts", "What an invitation offers.", {
  role: z.enum(["admin", "member"]),
  invited_by: z.nullable(z.string()),
});
export type InvitationFacts = z.infer<typeof invitationFacts>;

const invitation = namedObject("Invitation", "A link with which one person can create an account.", {
  id: z.string(),
  role: z.enum(["admin", "member"]),
  note: described(z.nullable(z.string()), "The name of the invited person, as the inviter wrote it."),
  invited_by: z.nullable(z.string()),
  created_at: timestamp,
  expires_at: timestamp,
});
export type Invitation = z.infer<typeof invitation>;

const signInMethods = namedObject("SignInMethods", "How somebody signs in.", {
  has_password: z.boolean(),
  identities: z.array(
    z.object({
      provider_id: z.string(),
      provider_name: z.string(),
      email: z.nullable(z.string()),
      last_used_at: timestamp,
    }),
  ),
  proxy: described(
    z.nullable(z.object({ email: z.string(), last_used_at: timestamp })),
    "Who the person is to the proxy that signs people in; null if it does not sign them in.",
  ),
  passkeys: z.array(passkey),
  second_factor: described(
    z.nullable(z.object({ created_at: timestamp, recovery_codes_left: z.number() })),
    "The second factor of the password, if there is one.",
  ),
});
export type SignInMethods = z.infer<typeof signInMethods>;

const secondFactorErrors = ["second-factor-needed", "wrong-code", "too-many-attempts"] as const;
const ownPageErrors = ["not-allowed", "rate-limited"] as const;
const webApp = "Only for the web app, from its own origin: it sets the session's cookie.";

export const accountEndpoints = endpoints("account", {
  "accounts.options": {
    request: "GET /v1/auth/options",
    caller: "anyone",
    summary: "Get the ways to sign in",
    description: "How people sign in to this server, and who can get an account.",
    requestsPerMinute: limits.sessionsPerMinute,
    response: options,
    errors: ["rate-limited"],
  },
  "accounts.signUp": {
    request: "POST /v1/auth/sign-up",
    caller: "anyone",
    audit: ["account-created", "join-requested"],
    summary: "Create an account",
    description: `${webApp} With a password, or with a new passkey instead. A guest's threads, files and user id become those of the account. \`owner_secret\`, the secret of the owner link, or the session that it opened, creates the first account, for the owner, and decides who may use the server from then on: without \`open_to\`, only people with an account. \`invitation\` is the token of an invitation. Without either, the server's settings decide; if the account waits, the person stays a guest until an administrator approves it or, with an address of an allowed domain, until they open the link that was mailed to them and sign in.`,
    body: z.object({
      name: accountName,
      email,
      password: z.optional(newPassword),
      passkey: z.optional(newPasskey),
      owner_secret: z.optional(secretToken),
      invitation: z.optional(secretToken),
      open_to: described(
        z.optional(z.enum(openToChoices)),
        "Only counts for the first account. Who may use this server: people with an account (the default), or anyone who can open it, as a guest of the web app. Neither lets apps issue anonymous tokens: `PUT /v1/admin/apps/{app_id}/anonymous-tokens` does.",
      ),
      guest_tokens_per_day: described(
        z.optional(wholeNumber(1, limits.budgetTokensMax)),
        `With \`open_to: "anyone"\`: how many tokens a day all guests may use together. Default: ${limits.guestTokensPerDay}.`,
      ),
      language: described(z.optional(mailLanguage), "The language of the e-mail."),
    }),
    requestsPerMinute: limits.passwordsPerMinute,
    response: signUpResult,
    errors: [
      ...ownPageErrors,
      "invalid-owner-link",
      "owner-has-account",
      "already-joined",
      "email-taken",
      "invitation-invalid",
      "invitation-needed",
      "anonymous-off",
      "quota-full",
      "passkeys-not-here",
      "passkey-refused",
      "sign-in-expired",
    ],
    example: {
      headers: { "Parlance-Client": "web" },
      body: {
        name: "Ben",
        email: "ben@example.com",
        password: "correct horse battery",
        invitation: "$INVITATION",
      },
    },
  },
  "accounts.signIn": {
    request: "POST /v1/auth/sign-in",
    caller: "anyone",
    audit: ["signed-in", "account-created", "account-deletion-undone"],
    summary: "Sign in with a password",
    description: `${webApp} The threads and files of the guest who signs in become those of the account. If the account has a second factor, \`code\` is needed too: the same request with it follows \`second-factor-needed\`. To somebody with an address of an allowed domain who waits for an account, the server sends a new link that lets them in, and answers \`confirmation-sent\`.`,
    body: z.object({
      email: z.string().check(z.maxLength(limits.emailCharacters)),
      password,
      code: z.optional(secondFactorCode),
      confirmation,
      language: confirmationLanguage,
    }),
    requestsPerMinute: limits.passwordsPerMinute,
    response: me,
    errors: [
      ...ownPageErrors,
      "wrong-password",
      ...secondFactorErrors,
      "account-suspended",
      "approval-pending",
      "confirmation-sent",
      "quota-full",
    ],
    example: {
      headers: { "Parlance-Client": "web" },
      body: { email: "ada@example.com", password: "correct horse battery" },
    },
  },
  "accounts.resetPassword": {
    request: "POST /v1/auth/password-reset",
    caller: "anyone",
    audit: ["password-reset", "signed-in", "account-deletion-undone"],
    summary: "Set a new password with a reset link",
    description: `${webApp} \`token\` comes from the link, which works once. Ends all other sessions of the account. If it has a second factor, \`code\` is needed too. The threads and files of the guest who opens the link become those of the account.`,
    body: z.object({
      token: secretToken,
      password: newPassword,
      code: z.optional(secondFactorCode),
      removes_other_methods: described(
        z.optional(z.boolean()),
        "Also removes the passkeys and disconnects the sign-in providers.",
      ),
    }),
    requestsPerMinute: limits.passwordsPerMinute,
    response: me,
    errors: [
      ...ownPageErrors,
      "reset-link-invalid",
      ...secondFactorErrors,
      "account-suspended",
      "approval-pending",
      "quota-full",
    ],
    example: {
      headers: { "Parlance-Client": "web" },
      body: { token: "$RESET_TOKEN", password: "correct horse battery" },
    },
  },
  "accounts.checkInvitation": {
    request: "POST /v1/auth/invitations/check",
    caller: "anyone",
    audit: { none: "no-change" },
    summary: "Read an invitation",
    description: "What the invitation with this token offers, if it can still be used.",
    body: z.object({ token: secretToken }),
    requestsPerMinute: limits.passwordsPerMinute,
    response: invitationFacts,
    errors: ["invitation-invalid", "rate-limited"],
    example: { body: { token: "$INVITATION" } },
  },
  "invitations.list": {
    request: "GET /v1/invitations",
    permission: "people.manage",
    summary: "List invitations",
    description: "The invitations that can still be used, newest first, at most 200.",
    response: z.object({ invitations: z.array(invitation) }),
  },
  "invitations.create": {
    request: "POST /v1/invitations",
    permission: "people.manage",
    audit: "invitation-created",
    summary: "Invite a person",
    description:
      "Creates a link with which one person can create an account within seven days. The link is in this response only: send it to the person. With `email`, the server sends it, if it has a mail server.",
    body: z.object({
      role: z.enum(["admin", "member"]),
      note: z.optional(z.string().check(z.maxLength(limits.accountNameCharacters))),
      email: z.optional(email),
      language: described(z.optional(mailLanguage), "The language of the e-mail."),
    }),
    status: 201,
    response: z.object({
      invitation,
      link: z.string(),
      is_mailed: described(z.boolean(), "Whether the mail server took the message."),
    }),
    errors: ["mail-not-set"],
    example: { body: { role: "member", note: "Ben" } },
  },
  "invitations.revoke": {
    request: "DELETE /v1/invitations/{invitation_id}",
    permission: "people.manage",
    audit: "invitation-revoked",
    summary: "Revoke an invitation",
    description: "Its link can no longer be used to join.",
  },
  "accounts.methods": {
    request: "GET /v1/account/sign-in-methods",
    worksWithoutSecondFactor: true,
    summary: "List your ways to sign in",
    description:
      "The password and its second factor, the passkeys, the providers that the account is connected to, and the proxy that signs the person in.",
    response: signInMethods,
  },
  "accounts.removeIdentity": {
    request: "DELETE /v1/account/identities/{sign_in_provider_id}",
    audit: "identity-removed",
    summary: "Disconnect from a sign-in provider",
    description: "You can no longer sign in with it. The last way to sign in cannot be removed.",
    errors: ["confirmation-needed", "last-sign-in-method"],
  },
  "accounts.update": {
    request: "PUT /v1/account",
    audit: "account-changed",
    summary: "Change your name or e-mail address",
    description:
      "Absent fields stay as they are. A new e-mail address needs the password; without one, a sign-in within the last ten minutes.",
    body: z.object({
      name: z.optional(accountName),
      email: z.optional(email),
      password: z.optional(password),
    }),
    requestsPerMinute: limits.passwordsPerMinute,
    response: me,
    errors: [
      "email-taken",
      "no-account",
      "wrong-password",
      "too-many-attempts",
      "confirmation-needed",
      "rate-limited",
    ],
    example: { body: { name: "Ada" } },
  },
  "accounts.remove": {
    request: "DELETE /v1/account",
    audit: "account-deletion-requested",
    summary: "Delete your account",
    description:
      "Ends all your sessions, and stops answers in progress. After seven days, the account is permanently deleted with all its threads and files. To undo it, sign in before then; until you do, your keys are refused. Requires a recent sign-in. The last owner cannot leave.",
    response: z.object({ deletes_at: timestamp }),
    errors: ["confirmation-needed", "last-owner", "no-account"],
  },
  "accounts.changePassword": {
    request: "PUT /v1/account/password",
    audit: "password-changed",
    summary: "Change or set your password",
    description:
      "Ends all your other sessions and their streams. Somebody without a password sets one after a sign-in within the last ten minutes.",
    body: z.object({ current_password: z.optional(password), password: newPassword }),
    requestsPerMinute: limits.passwordsPerMinute,
    errors: ["no-account", "wrong-password", "too-many-attempts", "confirmation-needed", "rate-limited"],
    example: { body: { current_password: "correct horse battery", password: "a longer horse battery" } },
  },
});
