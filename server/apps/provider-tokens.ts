import { decodeJwt, errors as joseErrors, jwtVerify, type JWTPayload } from "jose";
import { limits } from "#contract/limits.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { JwtRule, JwtRules } from "./jwt-rules.ts";
import { isName } from "./protocol-names.ts";
import { KeysUnavailableError, type ProviderKeys } from "./provider-keys.ts";

/** The names in a provider's token. They never refer to accounts of this service. */
export type ProviderIdentity = { rule: JwtRule; userId: string; workspaceName: string };

/** Verifies JWTs of sign-in providers that a rule accepts. */
export type ProviderTokens = {
  /**
   * Throws `unknown-issuer`, `wrong-audience`, `token-expired` (also for a token that is not valid yet), `workspace-claim-missing`,
   * `invalid-token` for a bad signature or form, and `sign-in-unavailable` if the provider's keys are unavailable.
   */
  verify(token: string): Promise<ProviderIdentity>;
};

export function createProviderTokens(options: {
  rules: JwtRules;
  keys: ProviderKeys;
  clock: Clock;
}): ProviderTokens {
  const { rules, keys, clock } = options;

  async function verifySignature(token: string, rule: JwtRule): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(token, keys.finderFor(rule), {
        issuer: rule.issuer,
        ...(rule.audience === undefined ? {} : { audience: rule.audience }),
        // The token's header can only choose among these algorithms.
        algorithms: rule.algorithms,
        requiredClaims: ["exp", "sub"],
        clockTolerance: limits.clockSkewMs / 1000,
        currentDate: new Date(clock.now()),
      });
      return payload;
    } catch (cause) {
      throw toAppError(cause);
    }
  }

  return {
    async verify(token) {
      const issuer = issuerOf(token);
      const rulesOfIssuer = issuer === undefined ? [] : await rules.findByIssuer(issuer);
      if (rulesOfIssuer.length === 0) throw new AppError("unknown-issuer");
      const audiences = [decodeUnverified(token).aud].flat();
      const rule = rulesOfIssuer.find(
        ({ audience }) => audience === undefined || audiences.includes(audience),
      );
      if (rule === undefined) throw new AppError("wrong-audience");
      const payload = await verifySignature(token, rule);
      const userId = payload.sub;
      if (!isName(userId)) throw new AppError("invalid-token");
      const workspaceName =
        rule.workspaceClaim === undefined ? userId : claimOf(payload, rule.workspaceClaim);
      if (!isName(workspaceName)) throw new AppError("workspace-claim-missing");
      return { rule, userId, workspaceName };
    },
  };
}

/**
 * The issuer of a JWT before its signature is verified: only for choosing the keys that verify it. `undefined` if no
 * rule can match it. Throws `invalid-token` if it is not a JWT.
 */
export function issuerOf(token: string): string | undefined {
  const { iss } = decodeUnverified(token);
  return isName(iss) ? iss : undefined;
}

function decodeUnverified(token: string): JWTPayload {
  try {
    return decodeJwt(token);
  } catch (cause) {
    throw new AppError("invalid-token", { cause });
  }
}

function toAppError(cause: unknown): AppError {
  if (cause instanceof joseErrors.JWTExpired) return new AppError("token-expired", { cause });
  if (cause instanceof joseErrors.JWTClaimValidationFailed && cause.claim === "nbf")
    return new AppError("token-expired", { cause });
  if (cause instanceof joseErrors.JOSEError) return new AppError("invalid-token", { cause });
  // Anything else is a problem with the keys: they cannot be fetched, or they are unusable, such as too short.
  const keysError =
    cause instanceof KeysUnavailableError ? cause : new KeysUnavailableError(undefined, { cause });
  return new AppError("sign-in-unavailable", { cause: keysError, retryAfterSeconds: 5 });
}

/** The claim with this name, which can contain dots, or else the nested claim: `o.id`. */
function claimOf(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name];
  let value: unknown = payload;
  for (const part of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}
