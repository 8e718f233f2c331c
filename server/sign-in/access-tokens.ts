import { errors as joseErrors, jwtVerify, SignJWT } from "jose";
import { limits } from "#contract/limits.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Visitor } from "../lib/route.ts";

/** The `iss` claim of our own tokens. */
export const ourIssuer = "parlance";

/** What an access token says about its visitor. The role is not in it, because it can change. */
export type Claims = Omit<Visitor, "role">;

/** Short-lived JWTs that identify a visitor. Only this service signs and verifies them (HS256); clients read `exp`. */
export type AccessTokens = {
  sign(visitor: Claims): Promise<string>;
  /** Throws `token-expired` (401, also for a token that is not valid yet), and `invalid-token` (403) for tokens that are not ours. */
  verify(token: string): Promise<Claims>;
};

export function createAccessTokens(options: { secret: string; clock: Clock }): AccessTokens {
  const key = new TextEncoder().encode(options.secret);
  return {
    async sign(visitor) {
      const nowSeconds = Math.floor(options.clock.now() / 1000);
      return await new SignJWT({
        workspace_id: visitor.workspaceName,
        project_id: visitor.appId,
        wid: visitor.workspaceId,
        kind: visitor.kind,
        cid: visitor.credentialId,
      })
        .setProtectedHeader({ alg: "HS256", typ: "JWT" })
        .setIssuer(ourIssuer)
        .setSubject(visitor.userId)
        .setIssuedAt(nowSeconds)
        .setNotBefore(nowSeconds - limits.clockSkewMs / 1000)
        .setExpirationTime(nowSeconds + limits.accessTokenMs / 1000)
        .sign(key);
    },
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, key, {
          issuer: ourIssuer,
          algorithms: ["HS256"],
          currentDate: new Date(options.clock.now()),
        });
        return {
          userId: text(payload.sub),
          kind: text(payload.kind) as Visitor["kind"],
          appId: text(payload.project_id),
          workspaceId: text(payload.wid),
          workspaceName: text(payload.workspace_id),
          credentialId: text(payload.cid),
        };
      } catch (cause) {
        const isOutsideValidity =
          cause instanceof joseErrors.JWTExpired ||
          (cause instanceof joseErrors.JWTClaimValidationFailed && cause.claim === "nbf");
        throw new AppError(isOutsideValidity ? "token-expired" : "invalid-token", { cause });
      }
    },
  };
}

function text(claim: unknown): string {
  if (typeof claim !== "string") throw new AppError("invalid-token");
  return claim;
}
