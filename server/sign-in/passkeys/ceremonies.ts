import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import type { NewPasskey, PasskeyProof } from "#contract/endpoints/passkeys.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Logger } from "#server/lib/logger.ts";
import { hashOf } from "../secrets.ts";
import * as rows from "./rows.ts";

/** What a challenge is for. It cannot be used for anything else, or by another account. */
type Purpose = { purpose: "sign-in" | "sign-up" } | { purpose: "add"; userId: string };

/** A passkey that a browser has just created, before it belongs to an account. */
export type CreatedPasskey = Pick<
  rows.PasskeyRow,
  "credential_id" | "public_key" | "counter" | "transports" | "rp_id"
>;

/** The exchanges of the Web Authentication standard. Each has a challenge that can be used once. */
export type Ceremonies = ReturnType<typeof createCeremonies>;

export function createCeremonies({ db, clock, logger }: { db: Database; clock: Clock; logger: Logger }) {
  async function newChallenge(purpose: Purpose): Promise<Uint8Array<ArrayBuffer>> {
    const challenge = new Uint8Array(randomBytes(32));
    const nowMs = clock.now();
    await db.write(
      async (tx) =>
        await rows.insertChallenge(
          tx,
          {
            challenge_hash: hashOf(Buffer.from(challenge).toString("base64url")),
            purpose: purpose.purpose,
            user_id: purpose.purpose === "add" ? purpose.userId : null,
            expires_at: nowMs + limits.passkeyChallengeMs,
          },
          nowMs,
        ),
    );
    return challenge;
  }

  /** Takes the challenge that the response answers. Throws `sign-in-expired`. */
  async function takeChallenge(clientDataJSON: string, purpose: Purpose): Promise<string> {
    const challenge = challengeIn(clientDataJSON);
    const taken = challenge === undefined ? undefined : await rows.takeChallenge(db, hashOf(challenge));
    const userId = purpose.purpose === "add" ? purpose.userId : null;
    const isValid =
      taken !== undefined &&
      taken.purpose === purpose.purpose &&
      taken.user_id === userId &&
      taken.expires_at > clock.now();
    if (!isValid) throw new AppError("sign-in-expired");
    return challenge!;
  }

  /** Throws `passkey-refused`, whatever is wrong. The log has the reason. */
  function refuse(cause: unknown): never {
    logger.warn({ err: cause }, "a passkey was refused");
    throw new AppError("passkey-refused", { cause });
  }

  return {
    /** Throws `passkeys-not-here`. */
    requirePossible(webUrl: string): void {
      relyingPartyOf(webUrl);
    },

    /** The options with which a browser creates a passkey. Throws `passkeys-not-here`. */
    async creationOptions(
      purpose: Purpose,
      person: { name: string; email: string },
      existing: readonly rows.PasskeyRow[],
      webUrl: string,
    ): Promise<JsonObject> {
      const { id, name } = relyingPartyOf(webUrl);
      const { generateRegistrationOptions } = await library();
      const options = await generateRegistrationOptions({
        rpName: name,
        rpID: id,
        userName: person.email,
        userDisplayName: person.name,
        ...(purpose.purpose === "add" ? { userID: new TextEncoder().encode(purpose.userId) } : {}),
        challenge: await newChallenge(purpose),
        timeout: limits.passkeyChallengeMs,
        excludeCredentials: existing.map((passkey) => ({
          id: passkey.credential_id,
          transports: JSON.parse(passkey.transports) as string[],
        })),
        // With the person's PIN, fingerprint or face, a passkey is two factors.
        supportedAlgorithmIDs: algorithms,
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
      });
      return asJson(options);
    },

    /** The passkey that a browser created. Throws `passkeys-not-here`, `sign-in-expired` and `passkey-refused`. */
    async verifyCreated(purpose: Purpose, credential: NewPasskey, webUrl: string): Promise<CreatedPasskey> {
      const { id, origin } = relyingPartyOf(webUrl);
      const expectedChallenge = await takeChallenge(credential.response.clientDataJSON, purpose);
      const { verifyRegistrationResponse } = await library();
      const { registrationInfo } = await verifyRegistrationResponse({
        response: credential as Parameters<typeof verifyRegistrationResponse>[0]["response"],
        expectedChallenge,
        expectedOrigin: origin,
        expectedRPID: id,
        requireUserVerification: true,
        supportedAlgorithmIDs: algorithms,
      }).catch(refuse);
      const created = registrationInfo?.credential ?? refuse(new Error("The attestation is not valid."));
      if ((await rows.findPasskey(db.read, created.id)) !== undefined)
        refuse(new Error("This passkey is known already."));
      return {
        credential_id: created.id,
        public_key: Buffer.from(created.publicKey).toString("base64url"),
        counter: created.counter,
        transports: JSON.stringify(created.transports ?? []),
        rp_id: id,
      };
    },

    /** The options with which a browser lets a person choose a passkey. Throws `passkeys-not-here`. */
    async signInOptions(webUrl: string): Promise<JsonObject> {
      const { id } = relyingPartyOf(webUrl);
      const { generateAuthenticationOptions } = await library();
      const options = await generateAuthenticationOptions({
        rpID: id,
        challenge: await newChallenge({ purpose: "sign-in" }),
        timeout: limits.passkeyChallengeMs,
        userVerification: "required",
      });
      return asJson(options);
    },

    /**
     * The passkey that somebody has proved to have, with its new counter. Throws `passkeys-not-here`, `sign-in-expired` and
     * `passkey-refused`.
     */
    async verifyProof(proof: PasskeyProof, webUrl: string): Promise<rows.PasskeyRow> {
      const { id, origin } = relyingPartyOf(webUrl);
      const expectedChallenge = await takeChallenge(proof.response.clientDataJSON, { purpose: "sign-in" });
      const passkey = await rows.findPasskey(db.read, proof.id);
      if (passkey === undefined) return refuse(new Error("No account has this passkey."));
      const { verifyAuthenticationResponse } = await library();
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: proof as Parameters<typeof verifyAuthenticationResponse>[0]["response"],
        expectedChallenge,
        expectedOrigin: origin,
        expectedRPID: id,
        credential: {
          id: passkey.credential_id,
          publicKey: new Uint8Array(Buffer.from(passkey.public_key, "base64url")),
          counter: passkey.counter,
        },
        requireUserVerification: true,
      }).catch(refuse);
      if (!verified) refuse(new Error("The signature is wrong."));
      return { ...passkey, counter: authenticationInfo.newCounter, rp_id: id };
    },
  };
}

/**
 * EdDSA, ES256 and RS256, in the numbers of COSE: every authenticator has one. Those with ML-DSA sign with 2.4 KB, which would
 * not fit in the bodies of people who are not signed in.
 */
const algorithms = [-8, -7, -257];

/** Loaded at the first use: it takes longer than everything else that starts. */
async function library() {
  return await import("@simplewebauthn/server");
}

/** The site that browsers bind passkeys to. Throws `passkeys-not-here`: they refuse addresses and unencrypted connections. */
function relyingPartyOf(webUrl: string): { id: string; name: string; origin: string } {
  const { protocol, hostname, origin } = new URL(webUrl);
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  const isAddress = isIP(hostname.replace(/^\[(.*)\]$/, "$1")) !== 0;
  if (isAddress || (protocol !== "https:" && !isLocal)) throw new AppError("passkeys-not-here");
  return { id: hostname, name: "Parlance", origin };
}

function challengeIn(clientDataJSON: string): string | undefined {
  try {
    const data = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString()) as { challenge?: unknown };
    return typeof data.challenge === "string" ? data.challenge : undefined;
  } catch {
    return undefined;
  }
}

function asJson(options: object): JsonObject {
  return JSON.parse(JSON.stringify(options)) as JsonObject;
}
