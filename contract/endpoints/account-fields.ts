import * as z from "zod/mini";
import { isEmail } from "../accounts/email.ts";
import { languageTags } from "../i18n/languages.ts";
import { limits } from "../limits.ts";
import { me } from "./auth.ts";
import { described, secretToken } from "./fields.ts";
import { writtenText } from "./fields.ts";

/** The fields of accounts that several endpoints take. */

export const email = z
  .string()
  .check(
    z.maxLength(limits.emailCharacters, `must have at most ${limits.emailCharacters} characters`),
    z.refine(isEmail, "must be an e-mail address"),
    z.meta({ format: "email" }),
  );

/** A password that is being set. Long ones cost nothing, because only their hash is kept. */
export const newPassword = z.string().check(
  z.minLength(limits.passwordCharactersMin, `must have at least ${limits.passwordCharactersMin} characters`),
  z.maxLength(limits.passwordCharacters, `must have at most ${limits.passwordCharacters} characters`),
  z.refine((text) => text.isWellFormed(), "must be Unicode text"),
);

/** A password to check. It may violate today's rules for new passwords. */
export const password = z
  .string()
  .check(
    z.minLength(1, "must not be empty"),
    z.maxLength(limits.passwordCharacters, `must have at most ${limits.passwordCharacters} characters`),
  );

/** A code of an authenticator app, or a recovery code. */
export const secondFactorCode = described(
  z.string().check(z.minLength(1, "must not be empty"), z.maxLength(40, "must have at most 40 characters")),
  "A code of the authenticator app, or a recovery code.",
);

export const accountName = writtenText(limits.accountNameCharacters);

const waiting = "`waiting`: an administrator has to approve the account.";

/** Of people who wait for an account. */
export const confirmation = described(
  z.optional(secretToken),
  "The token of a link that confirms the e-mail address of somebody who waits for an account.",
);

export const confirmationLanguage = described(
  z.optional(z.enum(languageTags)),
  "The language of the e-mail with another such link, if one is sent.",
);

/** What became of creating an account. */
export const joinResult = z.object({
  status: described(z.enum(["joined", "waiting"]), waiting),
  me: described(z.nullable(me), "The account’s user; null while it waits."),
});

/** What became of creating an account with a password or a passkey. */
export const signUpResult = z.object({
  status: described(
    z.enum(["joined", "waiting", "confirm-email"]),
    `${waiting} \`confirm-email\`: a link was sent to the address; it or an administrator lets the person in.`,
  ),
  me: joinResult.shape.me,
});

/** What became of a sign-in with a provider or a directory. */
export const signInResult = z.object({
  status: described(z.enum(["signed-in", "connected", "waiting"]), waiting),
  me: described(z.nullable(me), "The user; null while the account waits."),
});

/** The errors of a sign-in at a provider or a directory, which creates an account or adds the identity to one. */
export const enterAccountErrors = [
  "not-allowed",
  "rate-limited",
  "sign-in-expired",
  "sign-in-failed",
  "sign-in-unavailable",
  "sign-in-provider-not-found",
  "email-not-verified",
  "email-domain-not-allowed",
  "account-exists",
  "identity-taken",
  "account-suspended",
  "approval-pending",
  "already-joined",
  "email-taken",
  "invitation-invalid",
  "invitation-needed",
  "owner-has-account",
  "quota-full",
] as const;
