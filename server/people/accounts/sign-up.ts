import type { OpenTo } from "#contract/endpoints/accounts.ts";
import type { LanguageTag } from "#contract/i18n/languages.ts";
import type { NewPasskey } from "#contract/endpoints/passkeys.ts";
import { badRequest } from "#server/lib/errors.ts";
import type { Ceremonies } from "#server/sign-in/passkeys/ceremonies.ts";
import { storePasskey } from "#server/sign-in/passkeys/passkeys.ts";
import { hashOf } from "#server/sign-in/secrets.ts";
import type { OpenSession } from "#server/sign-in/sessions.ts";
import { asEmailTaken, type RequestSource } from "./account-session.ts";
import type { EmailConfirmations } from "../mail/email-confirmations.ts";
import type { Join, NewAccountProof } from "./join.ts";
import type { PasswordHasher } from "./password-hash.ts";
import { putPassword } from "./rows.ts";

type SignUpRequest = {
  name: string;
  email: string;
  password?: string | undefined;
  passkey?: NewPasskey | undefined;
  owner_secret?: string | undefined;
  invitation?: string | undefined;
  open_to?: OpenTo | undefined;
  guest_tokens_per_day?: number | undefined;
  language?: LanguageTag | undefined;
};

/**
 * Creates accounts with a password or a passkey. Without a `session` an administrator has to approve the account, or the
 * person opens the link that was mailed.
 *
 * Throws `invalid-owner-link`, `owner-has-account`, `invitation-invalid`, `invitation-needed`, `already-joined`,
 * `email-taken` and `server-busy`, and with a passkey `passkeys-not-here`, `sign-in-expired` and `passkey-refused`.
 */
export type SignUp = (
  request: SignUpRequest,
  from: RequestSource,
  webUrl: string,
) => Promise<{ session: OpenSession | undefined; isMailed: boolean }>;

export function createSignUp(options: {
  join: Join;
  hasher: PasswordHasher;
  ceremonies: Ceremonies;
  confirmations: EmailConfirmations;
}): SignUp {
  const { join, hasher, ceremonies, confirmations } = options;

  async function proofOf({ password, passkey }: SignUpRequest, webUrl: string): Promise<NewAccountProof> {
    if (password !== undefined && passkey === undefined) {
      const hash = await hasher.hash(password);
      const store: NewAccountProof["store"] = async (tx, userId, nowMs) =>
        await putPassword(tx, userId, hash, nowMs);
      return { method: "password", store };
    }
    if (passkey === undefined || password !== undefined)
      throw badRequest("body.password", "must be set, or `passkey`, but not both");
    const created = await ceremonies.verifyCreated({ purpose: "sign-up" }, passkey, webUrl);
    return {
      method: "passkey",
      store: async (tx, userId, nowMs) => void (await storePasskey(tx, userId, created, "Passkey", nowMs)),
    };
  }

  return async (given, from, webUrl) => {
    const { name, email, owner_secret: ownerSecret, invitation } = given;
    const request = {
      name,
      email,
      isEmailVerified: false,
      ownerSecret,
      invitationHash: invitation === undefined ? undefined : hashOf(invitation),
      openTo: given.open_to,
      guestTokensPerDay: given.guest_tokens_per_day,
    };
    // Before the password is hashed, which is expensive.
    const entitlement = await join.entitlementOf(request, from);
    const proof = await proofOf(given, webUrl);
    const method = entitlement.by === "owner-link" ? "owner-link" : proof.method;
    const made = await join.create(request, entitlement, from, { ...proof, method }).catch(asEmailTaken);
    const { session, userId } = made;
    const canConfirm = session === undefined && entitlement.by === "settings" && entitlement.isKnownDomain;
    const isMailed =
      canConfirm &&
      (await confirmations.send(userId, email.trim(), { language: given.language ?? "en", webUrl }));
    return { session, isMailed };
  };
}
