import type { Tokens } from "#contract/endpoints/auth.ts";
import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import { recordAudit } from "../audit/audit.ts";
import { isoTime, type SteadyClock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import { createRateLimiter } from "../lib/rate-limit.ts";
import type { Visitor } from "../lib/route.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { sessionUserOf } from "#server/people/accounts/account-session.ts";
import type { PolicyStore } from "#server/people/accounts/policy.ts";
import type { AnonymousTokens } from "#server/apps/anonymous-tokens.ts";
import { findFirstOwner, hasOwnerAccount, lockUsers } from "#server/people/accounts/rows.ts";
import { isSameSecret } from "./secrets.ts";
import type { OpenSession, Sessions, TokenUse } from "./sessions.ts";

/** Where a sign-in comes from. `key` is for the limit per network address. */
type SignInFrom = { key: string; device: string | undefined };

/** Opens, extends and closes sessions of guests and of an owner without an account. */
export function createSignIn(options: {
  clock: SteadyClock;
  sessions: Sessions;
  tokens: AccessTokens;
  ownerSecret: string;
  db: Database;
  policy: PolicyStore;
  anonymousTokens: AnonymousTokens;
  /** Throws `anonymous-off`. */
  requireAllowed: (visitor: Visitor) => Promise<Visitor>;
}) {
  const { db, clock, sessions, tokens, policy, anonymousTokens } = options;
  const signUps = createRateLimiter({ clock, points: limits.anonymousSignUpsPerMinute, seconds: 60 });

  async function openGuestSession({ key, device }: SignInFrom): Promise<OpenSession> {
    if (!(await policy.get()).guests) throw new AppError("anonymous-off");
    signUps.spend(key);
    return await sessions.openAnonymous("cookie", { device, address: key });
  }

  async function signUpAnonymous(
    { key, device }: SignInFrom,
    pageOrigin: string | undefined,
  ): Promise<OpenSession> {
    const appId = await anonymousTokens.appOf(pageOrigin);
    if (!(await anonymousTokens.areOn(appId))) throw new AppError("anonymous-off");
    signUps.spend(key);
    return await sessions.openAnonymous("refresh", { device, address: key }, appId);
  }

  async function openOwnerSession(ownerSecret: string, { key, device }: SignInFrom): Promise<OpenSession> {
    signUps.spend(key);
    if (!isSameSecret(ownerSecret, options.ownerSecret)) throw new AppError("invalid-owner-link");
    return await db.write(async (tx) => {
      const first = await findFirstOwner(tx.q);
      const account = first && (await lockUsers(tx, [first.id])).get(first.id);
      // The link works only until the owner has an account: otherwise anybody who saw it could become the owner.
      if (account === undefined || (await hasOwnerAccount(tx.q))) throw new AppError("owner-has-account");
      const method = "owner-link";
      const actor = { id: account.id, address: key };
      await recordAudit(tx, { action: "signed-in", actor, details: { method } }, clock.now());
      return await sessions.openIn(tx, sessionUserOf(account), { device, address: key, method });
    });
  }

  /** Extends the session of `token`. Throws `anonymous-off`, without extending it. */
  async function extend(use: TokenUse, token: string): Promise<OpenSession> {
    await options.requireAllowed(await sessions.visitorOf(use, token));
    return await sessions.extend(use, token);
  }

  async function issueTokens({ visitor, token, expiresAt }: OpenSession): Promise<Tokens> {
    return {
      access_token: await tokens.sign(visitor),
      refresh_token: { token, expires_at: isoTime(expiresAt) },
    };
  }

  return {
    /** Creates a visitor of the app that the page belongs to. Throws `anonymous-off`. */
    signUpAnonymous: async (from: SignInFrom, pageOrigin: string | undefined) =>
      await issueTokens(await signUpAnonymous(from, pageOrigin)),
    refresh: async (refreshToken: string) => await issueTokens(await extend("refresh", refreshToken)),
    /** An access token for the visitor that an API key named. */
    mint: async (visitor: Visitor) => await tokens.sign({ ...visitor, kind: "external" }),
    /** The visitor of a refresh token, without extending its session. Throws `invalid-refresh-token`. */
    visitorOfRefreshToken: async (refreshToken: string) => await sessions.visitorOf("refresh", refreshToken),

    /**
     * Opens the web app's session: the owner's with `ownerSecret`, else that of `token`, else a new anonymous one. Throws
     * `anonymous-off`, `invalid-owner-link` and `owner-has-account`, and `signed-out` if the session of an account has
     * ended: a person does not become a guest unnoticed.
     */
    async openSession({
      token,
      ownerSecret,
      ...from
    }: SignInFrom & { token: string | undefined; ownerSecret: string | undefined }): Promise<OpenSession> {
      if (ownerSecret !== undefined) return await openOwnerSession(ownerSecret, from);
      const session = token === undefined ? undefined : await extend("cookie", token).catch(ignoreEnded);
      if (session !== undefined) return session;
      if (token !== undefined && (await sessions.isOfAccount(token))) throw new AppError("signed-out");
      return await openGuestSession(from);
    },

    closeSession: sessions.close,
  };
}

function ignoreEnded(error: unknown): undefined {
  if (error instanceof AppError && error.code === "invalid-refresh-token") return undefined;
  throw error;
}
