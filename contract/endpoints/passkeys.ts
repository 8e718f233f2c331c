import * as z from "zod/mini";
import { endpoints } from "./endpoints.ts";
import { limits } from "../limits.ts";
import {
  accountName,
  confirmation,
  confirmationLanguage,
  email,
  password,
  secondFactorCode,
} from "./account-fields.ts";
import { me } from "./auth.ts";
import {
  described,
  emptyObject,
  jsonObject,
  namedObject,
  secretToken,
  timestamp,
  writtenText,
} from "./fields.ts";

const base64url = z.string().check(z.regex(/^[\w-]+$/, "must be base64url"));
/** What browsers know of their side: the server does not use it. */
const clientFacts = {
  type: z.literal("public-key"),
  clientExtensionResults: jsonObject,
  authenticatorAttachment: z.optional(z.string()),
};

/** `RegistrationResponseJSON` of the Web Authentication standard. */
export const newPasskey = namedObject(
  "NewPasskey",
  "A `RegistrationResponseJSON` of the Web Authentication standard, from the browser.",
  {
    id: base64url,
    rawId: base64url,
    response: z.object({
      clientDataJSON: base64url,
      attestationObject: base64url,
      transports: z.optional(z.array(z.string().check(z.maxLength(32))).check(z.maxLength(10))),
    }),
    ...clientFacts,
  },
);
export type NewPasskey = z.infer<typeof newPasskey>;

/** `AuthenticationResponseJSON` of the standard. */
const passkeyProof = namedObject(
  "PasskeyProof",
  "An `AuthenticationResponseJSON` of the Web Authentication standard, from the browser.",
  {
    id: base64url,
    rawId: base64url,
    response: z.object({
      clientDataJSON: base64url,
      authenticatorData: base64url,
      signature: base64url,
      userHandle: z.optional(z.nullable(base64url)),
    }),
    ...clientFacts,
  },
);
export type PasskeyProof = z.infer<typeof passkeyProof>;

export const passkey = namedObject("Passkey", "A passkey that somebody signs in with.", {
  id: z.string(),
  name: z.string(),
  host: described(z.nullable(z.string()), "The host name that it works at, if that is known."),
  created_at: timestamp,
  last_used_at: z.nullable(timestamp),
});
export type Passkey = z.infer<typeof passkey>;

const optionsResponse = z.object({
  options: described(jsonObject, "The options for the browser, in the standard’s JSON form."),
});
const webApp = "Only for the web app, from its own origin.";
const exampleCredential = { id: "AAAA", rawId: "AAAA", type: "public-key", clientExtensionResults: {} };

export const passkeyEndpoints = endpoints("account", {
  "accounts.startPasskeySignIn": {
    request: "POST /v1/auth/passkeys/start",
    caller: "anyone",
    audit: { none: "one-step" },
    summary: "Begin to sign in with a passkey",
    description: `${webApp} The options for \`navigator.credentials.get\`. Their challenge can be used once, within five minutes. Passkeys need https, or the host name localhost.`,
    body: emptyObject,
    requestsPerMinute: limits.passwordsPerMinute,
    response: optionsResponse,
    errors: ["not-allowed", "rate-limited", "passkeys-not-here"],
    example: { headers: { "Parlance-Client": "web" }, body: {} },
  },
  "accounts.passkeySignIn": {
    request: "POST /v1/auth/passkeys/sign-in",
    caller: "anyone",
    audit: ["signed-in", "account-created", "account-deletion-undone"],
    summary: "Sign in with a passkey",
    description: `${webApp} The threads and files of the guest who signs in become those of the account. \`confirmation-sent\` as for a sign-in with a password.`,
    body: z.object({
      credential: passkeyProof,
      confirmation,
      language: confirmationLanguage,
    }),
    requestsPerMinute: limits.passwordsPerMinute,
    response: me,
    errors: [
      "not-allowed",
      "rate-limited",
      "passkeys-not-here",
      "passkey-refused",
      "sign-in-expired",
      "account-suspended",
      "approval-pending",
      "confirmation-sent",
      "quota-full",
    ],
    example: {
      headers: { "Parlance-Client": "web" },
      body: {
        credential: {
          ...exampleCredential,
          response: { clientDataJSON: "AAAA", authenticatorData: "AAAA", signature: "AAAA" },
        },
      },
    },
  },
  "accounts.startPasskeySignUp": {
    request: "POST /v1/auth/passkeys/sign-up",
    caller: "anyone",
    audit: { none: "one-step" },
    summary: "Begin to create an account with a passkey",
    description: `${webApp} The options for \`navigator.credentials.create\`. Send its result to the endpoint that creates an account, instead of a password. Whether the person can get an account is checked first, so that no passkey is created that nobody can use.`,
    body: z.object({
      name: accountName,
      email,
      owner_secret: z.optional(secretToken),
      invitation: z.optional(secretToken),
    }),
    requestsPerMinute: limits.passwordsPerMinute,
    response: optionsResponse,
    errors: [
      "not-allowed",
      "rate-limited",
      "passkeys-not-here",
      "invalid-owner-link",
      "owner-has-account",
      "email-taken",
      "invitation-invalid",
      "invitation-needed",
    ],
    example: {
      headers: { "Parlance-Client": "web" },
      body: { name: "Ben", email: "ben@example.com" },
    },
  },
  "accounts.startPasskey": {
    request: "POST /v1/account/passkeys/start",
    audit: { none: "one-step" },
    summary: "Begin to add a passkey",
    description:
      "The options for `navigator.credentials.create`. Their challenge can be used once, within five minutes. Needs a sign-in or the password within the last ten minutes.",
    response: optionsResponse,
    errors: ["no-account", "confirmation-needed", "passkeys-not-here", "too-many-passkeys"],
  },
  "accounts.addPasskey": {
    request: "POST /v1/account/passkeys",
    audit: "passkey-added",
    summary: "Add a passkey",
    description: "From now on, you can sign in with it.",
    body: z.object({ name: writtenText(limits.accountNameCharacters), credential: newPasskey }),
    status: 201,
    response: passkey,
    errors: [
      "no-account",
      "confirmation-needed",
      "passkeys-not-here",
      "passkey-refused",
      "sign-in-expired",
      "too-many-passkeys",
    ],
    example: {
      body: {
        name: "Phone",
        credential: {
          ...exampleCredential,
          response: { clientDataJSON: "AAAA", attestationObject: "AAAA" },
        },
      },
    },
  },
  "accounts.removePasskey": {
    request: "DELETE /v1/account/passkeys/{passkey_id}",
    audit: "passkey-removed",
    summary: "Remove a passkey",
    description:
      "You can no longer sign in with it. The last way to sign in cannot be removed. Needs a sign-in or the password within the last ten minutes.",
    errors: ["confirmation-needed", "last-sign-in-method"],
  },
  "accounts.confirm": {
    request: "POST /v1/account/confirm",
    worksWithoutSecondFactor: true,
    audit: { none: "one-step" },
    summary: "Confirm who you are",
    description:
      "With the password, and a code if the account has a second factor, so that this session can change how you sign in for the next ten minutes. A new sign-in does the same.",
    body: z.object({ password, code: z.optional(secondFactorCode) }),
    requestsPerMinute: limits.passwordsPerMinute,
    errors: [
      "no-account",
      "wrong-password",
      "second-factor-needed",
      "wrong-code",
      "too-many-attempts",
      "rate-limited",
    ],
    example: { body: { password: "correct horse battery" } },
  },
});
