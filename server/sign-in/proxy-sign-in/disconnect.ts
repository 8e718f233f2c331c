import type { Database, Tx } from "#storage/database/database.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import { AppError } from "#server/lib/errors.ts";
import { changeUser } from "#server/people/accounts/rows.ts";
import { revokeProxySessions } from "../rows.ts";
import { deleteProxyIdentityOf } from "./rows.ts";

/**
 * With the user locked: the proxy no longer signs them in, and the sessions that it opened end, except the one of this id.
 * Throws `proxy-identity-not-found`.
 */
export async function disconnectProxy(
  tx: Tx,
  userId: string,
  actor: Actor,
  nowMs: number,
  exceptSessionId?: string,
): Promise<void> {
  if (!(await deleteProxyIdentityOf(tx, userId))) throw new AppError("proxy-identity-not-found");
  // The proxy may later give the address to another person, who must not get this account.
  await changeUser(tx, userId, { email_verified_at: null });
  await revokeProxySessions(tx, { userId, exceptSessionId }, nowMs);
  const target = actor.id === userId ? {} : { target: userId };
  await recordAudit(
    tx,
    { action: "identity-removed", actor, ...target, details: { provider: "proxy" } },
    nowMs,
  );
}

/** When the server starts without a trusted proxy: ends the sessions that a former one opened. */
export async function endProxySessions(db: Database, nowMs: number): Promise<void> {
  await db.write(async (tx) => await revokeProxySessions(tx, {}, nowMs));
}
