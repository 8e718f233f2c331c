import { randomCharacters, newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { UserKind } from "#contract/endpoints/auth.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Visitor } from "../lib/route.ts";
import * as rows from "./rows.ts";
import { hashOf } from "./secrets.ts";

/** A session that was just opened or extended. */
export type OpenSession = { token: string; expiresAt: number; visitor: Visitor };

/** Sessions are extended by use. Their token never changes, so that a client can retry after a lost response. */
export type Sessions = {
  /** Creates an anonymous user with a workspace and a session. */
  openAnonymous(device: string | undefined): Promise<OpenSession>;
  /** Opens a session for an existing user. */
  openFor(
    user: { id: string; kind: UserKind; workspaceId: string; workspaceName: string },
    device: string | undefined,
  ): Promise<OpenSession>;
  /** Extends the session to 30 days from now. Throws `invalid-refresh-token` if it has ended. */
  extend(token: string): Promise<OpenSession>;
  /** The session's visitor, without extending it. Throws `invalid-refresh-token`. */
  visitorOf(token: string): Promise<Visitor>;
  close(token: string): Promise<void>;
};

export function createSessions(options: { db: Database; clock: Clock; projectId: string }): Sessions {
  const { db, clock, projectId } = options;

  async function findActive(token: string): Promise<rows.SessionWithUser> {
    const session = await rows.findSession(db, hashOf(token));
    const hasEnded =
      session === undefined ||
      session.revoked_at !== null ||
      session.user_disabled_at !== null ||
      session.expires_at <= clock.now();
    if (hasEnded) throw new AppError("invalid-refresh-token");
    return session;
  }

  return {
    async openAnonymous(device) {
      const nowMs = clock.now();
      const userId = newId("anonymous", nowMs);
      const workspaceId = newId("workspace", nowMs);
      const token = newToken();
      const session = sessionRow(userId, token, device, nowMs);
      await db.write(async (tx) => {
        await rows.insertWorkspace(tx, {
          id: workspaceId,
          project_id: projectId,
          realm: "own",
          name: userId,
          created_at: nowMs,
        });
        await rows.insertUser(tx, {
          id: userId,
          kind: "anonymous",
          workspace_id: workspaceId,
          email: null,
          name: null,
          created_at: nowMs,
          last_seen_at: nowMs,
          disabled_at: null,
        });
        await rows.insertSession(tx, session);
      });
      const visitor: Visitor = {
        userId,
        kind: "anonymous",
        projectId,
        workspaceId,
        workspaceName: userId,
        credentialId: session.id,
      };
      return { token, expiresAt: session.expires_at, visitor };
    },

    async openFor(user, device) {
      const token = newToken();
      const session = sessionRow(user.id, token, device, clock.now());
      await db.write(async (tx) => await rows.insertSession(tx, session));
      return {
        token,
        expiresAt: session.expires_at,
        visitor: {
          userId: user.id,
          kind: user.kind,
          projectId,
          workspaceId: user.workspaceId,
          workspaceName: user.workspaceName,
          credentialId: session.id,
        },
      };
    },

    async extend(token) {
      const session = await findActive(token);
      const nowMs = clock.now();
      const expiresAt = nowMs + limits.refreshTokenMs;
      await db.write(async (tx) => {
        await rows.extendSession(tx, session.id, expiresAt);
        await rows.touchUser(tx, session.user_id, nowMs);
      });
      return { token, expiresAt, visitor: visitorFrom(session) };
    },

    async visitorOf(token) {
      return visitorFrom(await findActive(token));
    },

    async close(token) {
      const session = await rows.findSession(db, hashOf(token));
      if (session === undefined) return;
      await db.write(async (tx) => await rows.revokeSession(tx, session.id, clock.now()));
    },
  };
}

function visitorFrom(session: rows.SessionWithUser): Visitor {
  return {
    userId: session.user_id,
    kind: session.user_kind,
    projectId: session.project_id,
    workspaceId: session.workspace_id,
    workspaceName: session.workspace_name,
    credentialId: session.id,
  };
}

function newToken(): string {
  // 48 characters of 5 bits: 240 random bits.
  return `refresh_0${randomCharacters(48)}`;
}

function sessionRow(userId: string, token: string, device: string | undefined, nowMs: number) {
  return {
    id: newId("session", nowMs),
    token_hash: hashOf(token),
    user_id: userId,
    device: device?.slice(0, limits.nameCharacters) ?? null,
    created_at: nowMs,
    expires_at: nowMs + limits.refreshTokenMs,
    revoked_at: null,
  };
}
