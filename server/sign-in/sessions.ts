import { randomCharacters, newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { UserKind } from "#contract/endpoints/auth.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { StorageUnavailableError } from "#storage/lib/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Visitor } from "../lib/route.ts";
import * as rows from "./rows.ts";
import { insertOwnUser, touchUser } from "#server/people/users/rows.ts";
import { roleOf } from "#server/people/accounts/roles.ts";
import type { KnownBrowsers } from "./attempts/known-browsers.ts";
import { hashOf } from "./secrets.ts";
import { needsSecondFactor } from "./second-factor/methods.ts";
import { findSecondFactor } from "./second-factor/rows.ts";

/** 10 minutes: the last use need not be known more exactly, and most requests write nothing. */
const touchEveryMs = 10 * 60_000;

/** A session that was just opened or extended. */
export type OpenSession = {
  token: string;
  expiresAt: number;
  visitor: Visitor;
  /** By which the browser is recognized after the session, if an account was just signed in to. */
  browserToken?: string;
};

/**
 * What a session's token is for: a client of the protocol refreshes its access token with it, or it is the web app's
 * cookie. Neither is accepted as the other, because every port of a host receives the cookie.
 */
export type TokenUse = "refresh" | "cookie";

const prefixes: Record<TokenUse, string> = { refresh: "refresh_0", cookie: "session_0" };

type SessionUser = Pick<Visitor, "userId" | "role" | "workspaceId" | "workspaceName"> & { kind: UserKind };

/** How somebody signed in. */
export type SessionMethod = NonNullable<rows.SessionWithUser["method"]>;

/** How a session was opened. */
type SessionOrigin = { device: string | undefined; address?: string; method?: SessionMethod };

export type Sessions = ReturnType<typeof createSessions>;

/** Sessions are extended by use. Their token never changes, so that a client can retry after a lost response. */
export function createSessions(options: {
  db: Database;
  clock: Clock;
  appId: string;
  browsers: KnownBrowsers;
}) {
  const { db, clock, appId, browsers } = options;

  async function findActive(use: TokenUse, token: string): Promise<rows.SessionWithUser> {
    if (!token.startsWith(prefixes[use])) throw new AppError("invalid-refresh-token");
    const session = await rows.findSession(db, { tokenHash: hashOf(token) });
    const hasEnded =
      session === undefined ||
      session.revoked_at !== null ||
      session.user_disabled_at !== null ||
      session.expires_at <= clock.now();
    if (hasEnded) throw new AppError("invalid-refresh-token");
    // Only visitors of apps have refresh tokens. Those of versions before are not marked yet.
    return use === "refresh" ? { ...session, user_is_app_visitor: 1 } : session;
  }

  async function extendActive(session: rows.SessionWithUser): Promise<number> {
    const nowMs = clock.now();
    const expiresAt = nowMs + limits.refreshTokenMs;
    await db.write(async (tx) => {
      await rows.extendSession(tx, session.id, expiresAt);
      await touchUser(tx, session.user_id, session.user_is_app_visitor === 1, nowMs);
    });
    return expiresAt;
  }

  async function openIn(
    tx: Tx,
    use: TokenUse,
    user: SessionUser & Pick<Visitor, "appId" | "isAppVisitor">,
    { device, address, method }: SessionOrigin,
  ): Promise<OpenSession> {
    const nowMs = clock.now();
    // 48 characters of 5 bits: 240 random bits.
    const token = `${prefixes[use]}${randomCharacters(48)}`;
    const id = newId("session", nowMs);
    const expiresAt = nowMs + limits.refreshTokenMs;
    await rows.insertSession(tx, {
      id,
      token_hash: hashOf(token),
      user_id: user.userId,
      device: device?.slice(0, limits.nameCharacters) ?? null,
      address: address ?? null,
      method: method ?? null,
      created_at: nowMs,
      expires_at: expiresAt,
    });
    const isWithout =
      user.role !== "guest" &&
      needsSecondFactor(method ?? null) &&
      (await findSecondFactor(tx.q, user.userId)) === undefined;
    const visitor = { ...user, credentialId: id, ...(isWithout ? withoutSecondFactor : {}) };
    const browserToken = user.role === "guest" ? undefined : browsers.tokenFor(user.userId);
    return { token, expiresAt, visitor, ...(browserToken === undefined ? {} : { browserToken }) };
  }

  return {
    /** Creates an anonymous user with a workspace and a session, in the web app or with a token of this app. */
    async openAnonymous(use: TokenUse, origin: SessionOrigin, ofApp = appId): Promise<OpenSession> {
      const nowMs = clock.now();
      const isAppVisitor = use === "refresh";
      const userId = newId("anonymous", nowMs);
      const workspaceId = newId("workspace", nowMs);
      const user = {
        userId,
        kind: "anonymous",
        role: "guest",
        appId: ofApp,
        workspaceId,
        workspaceName: userId,
        ...(isAppVisitor ? appVisitor : {}),
      } as const;
      return await db.write(async (tx) => {
        await insertOwnUser(tx, { ...user, isAppVisitor }, ofApp, nowMs);
        return await openIn(tx, use, user, origin);
      });
    },

    /** Opens a session of the web app for an existing user, in the transaction of the sign-in. */
    openIn: async (tx: Tx, user: SessionUser, origin: SessionOrigin) =>
      await openIn(tx, "cookie", { ...user, appId }, origin),

    /** Extends the session to 30 days from now. Throws `invalid-refresh-token` if it has ended or has another use. */
    async extend(use: TokenUse, token: string): Promise<OpenSession> {
      const session = await findActive(use, token);
      return { token, expiresAt: await extendActive(session), visitor: visitorFrom(session) };
    },

    /** The visitor of a request with a cookie. Extends the session if its last use is some minutes ago. Throws as `extend`. */
    async useCookie(token: string): Promise<Visitor> {
      const session = await findActive("cookie", token);
      if (clock.now() - lastUseOf(session) > touchEveryMs)
        await extendActive(session).catch((error: unknown) => {
          // Reads still work while nothing can be stored.
          if (!(error instanceof StorageUnavailableError)) throw error;
        });
      return visitorFrom(session);
    },

    /** The session's visitor, without extending it. Throws `invalid-refresh-token`, as `extend` does. */
    visitorOf: async (use: TokenUse, token: string) => visitorFrom(await findActive(use, token)),

    /**
     * The visitor of a session as its user is stored now; `undefined` if it was revoked or the user disabled. Access tokens
     * and open streams outlive the session's expiry.
     */
    async findVisitor(id: string): Promise<Visitor | undefined> {
      const session = await rows.findSession(db, { id });
      if (session === undefined || session.revoked_at !== null || session.user_disabled_at !== null)
        return undefined;
      return visitorFrom(session);
    },

    /** The visitor of an active session; `undefined` without a token, and for one that has ended. */
    async findByToken(use: TokenUse, token: string | undefined): Promise<Visitor | undefined> {
      if (token === undefined) return undefined;
      return await findActive(use, token).then(visitorFrom, (error: unknown) => {
        if (error instanceof AppError) return undefined;
        throw error;
      });
    },

    /** Whether the token belongs to a session of an account, even one that has ended. */
    async isOfAccount(token: string): Promise<boolean> {
      const session = await rows.findSession(db, { tokenHash: hashOf(token) });
      return session !== undefined && session.user_joined_at !== null;
    },

    async close(token: string): Promise<void> {
      const session = await rows.findSession(db, { tokenHash: hashOf(token) });
      if (session === undefined) return;
      await db.write(async (tx) => await rows.revokeSession(tx, session.id, clock.now()));
    },
  };
}

/** When the session was last extended, in milliseconds since 1970: each use extends it by the same time. */
export function lastUseOf({ expires_at: expiresAt }: { expires_at: number }): number {
  return expiresAt - limits.refreshTokenMs;
}

const appVisitor = { isAppVisitor: true } as const;
const withoutSecondFactor = { isWithoutSecondFactor: true } as const;

function visitorFrom(session: rows.SessionWithUser): Visitor {
  const isWithout =
    session.user_joined_at !== null && session.second_factor_of === null && needsSecondFactor(session.method);
  return {
    ...(isWithout ? withoutSecondFactor : {}),
    ...(session.user_is_app_visitor === 1 ? appVisitor : {}),
    ...(session.user_deletion_by === null ? {} : { isLeaving: true }),
    userId: session.user_id,
    kind: session.user_kind,
    role: roleOf({ kind: session.user_kind, is_owner: session.user_is_owner }),
    appId: session.app_id,
    workspaceId: session.workspace_id,
    workspaceName: session.workspace_name,
    credentialId: session.id,
  };
}
