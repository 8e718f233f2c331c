import { decodeJwt, errors as joseErrors, jwtVerify, type JWTPayload } from "jose";
import { limits } from "#contract/limits.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { JwtRule, JwtRules } from "./jwt-rules.ts";
import { isName } from "../names.ts";
import { KeysUnavailableError, type ProviderKeys } from "./provider-keys.ts";

/** Whom a provider's token stands for: the names that it gives, which open nothing of ours by themselves. */
export type ProviderIdentity = { rule: JwtRule; userId: string; workspaceName: string };

/** The tokens of an operator's own sign-in: JWTs that their provider signs and that a rule here admits. */
export type ProviderTokens = {
  /**
   * Throws `unknown-issuer`, `wrong-audience`, `token-expired` (also for one that is not valid yet),
   * `workspace-claim-missing`, `invalid-token` for a bad signature or form, and `sign-in-unavailable` where the
   * provider's keys are not to be had.
   */
  verify(token: string): Promise<ProviderIdentity>;
};

export function createProviderTokens(options: {
  rules: JwtRules;
  keys: ProviderKeys;
  clock: Clock;
}): ProviderTokens {
  const { rules, keys, clock } = options;

  async function checked(token: string, rule: JwtRule): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(token, keys.at(rule.jwksUrl), {
        issuer: rule.issuer,
        ...(rule.audience === undefined ? {} : { audience: rule.audience }),
        // Pinned: a token's own word for how it is signed only chooses among these.
        algorithms: rule.algorithms,
        requiredClaims: ["exp", "sub"],
        clockTolerance: limits.clockSkewMs / 1000,
        currentDate: new Date(clock.now()),
      });
      return payload;
    } catch (cause) {
      throw refusal(cause);
    }
  }

  return {
    async verify(token) {
      const issuer = issuerOf(token);
      const ofIssuer = issuer === undefined ? [] : await rules.of(issuer);
      if (ofIssuer.length === 0) throw new AppError("unknown-issuer");
      const audiences = [readUnchecked(token).aud].flat();
      const rule = ofIssuer.find(({ audience }) => audience === undefined || audiences.includes(audience));
      if (rule === undefined) throw new AppError("wrong-audience");
      const payload = await checked(token, rule);
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
 * The issuer that a JWT names, unchecked: only good for choosing whose keys are to check it. `undefined` for one that
 * no rule could name. Throws `invalid-token` for what is no JWT.
 */
export function issuerOf(token: string): string | undefined {
  const { iss } = readUnchecked(token);
  return isName(iss) ? iss : undefined;
}

function readUnchecked(token: string): JWTPayload {
  try {
    return decodeJwt(token);
  } catch (cause) {
    throw new AppError("invalid-token", { cause });
  }
}

function refusal(cause: unknown): AppError {
  if (cause instanceof joseErrors.JWTExpired) return new AppError("token-expired", { cause });
  if (cause instanceof joseErrors.JWTClaimValidationFailed && cause.claim === "nbf")
    return new AppError("token-expired", { cause });
  if (cause instanceof joseErrors.JOSEError) return new AppError("invalid-token", { cause });
  // What is left is no fault of the token: keys that were not to be had, or that are none, such as too short ones.
  const keys = cause instanceof KeysUnavailableError ? cause : new KeysUnavailableError(undefined, { cause });
  return new AppError("sign-in-unavailable", { cause: keys, retryAfterSeconds: 5 });
}

/** A claim of this very name, which may have dots in it, or one within others: `o.id`. */
function claimOf(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name];
  let value: unknown = payload;
  for (const part of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}
