import type { Session } from "#contract/endpoints/auth.ts";
import type { Database } from "#storage/database/database.ts";
import { recordAudit, type Actor } from "../audit/audit.ts";
import { type Clock, isoTime } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import { isOwnUser, type Visitor } from "../lib/route.ts";
import * as rows from "./rows.ts";
import { lastUseOf } from "./sessions.ts";

/** More sessions are not listed. They can be ended together. */
const listMax = 200;

/** A visitor's own sessions. Users of API keys and sign-in providers have none. */
export function createOwnSessions({ db, clock }: { db: Database; clock: Clock }) {
  return {
    /** The active sessions, the last used first. */
    async list(visitor: Visitor): Promise<Session[]> {
      if (!isOwnUser(visitor)) return [];
      const found = await rows.listActiveSessions(db, visitor.userId, clock.now(), listMax);
      return found.map((session) => ({
        id: session.id,
        user_agent: session.device,
        address: session.address,
        created_at: isoTime(session.created_at),
        last_used_at: isoTime(lastUseOf(session)),
        is_current: session.id === visitor.credentialId,
      }));
    },

    /** Ends one session and its streams. Throws `session-not-found`. */
    async end(visitor: Visitor, id: string, actor: Actor): Promise<void> {
      if ((await revoke(visitor, { id }, actor)) === 0) throw new AppError("session-not-found");
    },

    /** Ends all sessions except that of the request. Returns how many. */
    endOthers: async (visitor: Visitor, actor: Actor) =>
      await revoke(visitor, { exceptId: visitor.credentialId }, actor),
  };

  async function revoke(
    visitor: Visitor,
    which: { id: string } | { exceptId: string },
    actor: Actor,
  ): Promise<number> {
    if (!isOwnUser(visitor)) return 0;
    return await db.write(async (tx) => {
      const nowMs = clock.now();
      const ended = await rows.revokeSessionsOf(tx, visitor.userId, which, nowMs);
      if (ended > 0 && visitor.role !== "guest")
        await recordAudit(tx, { action: "own-sessions-ended", actor, details: { ended } }, nowMs);
      return ended;
    });
  }
}
