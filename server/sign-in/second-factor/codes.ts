import { Secret, TOTP } from "otpauth";
import { randomCharacters } from "#contract/ids.ts";
import { hashOf } from "../secrets.ts";

/** Codes of authenticator apps (RFC 6238) and recovery codes. */

/** What every authenticator app supports. */
const parameters = { algorithm: "SHA1", digits: 6, period: 30 } as const;
/** 160 bits: the length that RFC 4226 recommends. */
const secretBytes = 20;
/** Codes of the previous and the next 30 s are accepted too: the clocks of phones differ. */
const window = 1;
const recoveryCodes = 10;

/** A new secret, in base32. */
export function newTotpSecret(): string {
  return new Secret({ size: secretBytes }).base32;
}

/** The URI that authenticator apps read from a QR code. */
export function totpUri(secret: string, { issuer, label }: { issuer: string; label: string }): string {
  return new TOTP({ ...parameters, secret: Secret.fromBase32(secret), issuer, label }).toString();
}

/** The 30 seconds that the code belongs to, counted from 1970; `undefined` if it is wrong at this time. */
export function counterOf(secret: string, code: string, nowMs: number): number | undefined {
  const totp = new TOTP({ ...parameters, secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token: code, timestamp: nowMs, window });
  return delta === null ? undefined : totp.counter({ timestamp: nowMs }) + delta;
}

/** Spaces and hyphens are only for reading. */
export function plainCode(code: string): string {
  return code.toLowerCase().replaceAll(/[\s-]/g, "");
}

export function isTotpCode(plain: string): boolean {
  return /^\d{6}$/.test(plain);
}

/** Codes of 80 random bits, so that their hashes need no password hash. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodes }, () =>
    Array.from({ length: 4 }, () => randomCharacters(4)).join("-"),
  );
}

export function hashOfRecoveryCode(code: string): string {
  return hashOf(`recovery code ${plainCode(code)}`);
}
