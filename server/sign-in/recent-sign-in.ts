import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Visitor } from "#server/lib/route.ts";
import { findSession } from "./rows.ts";

/**
 * Throws `confirmation-needed` unless the person has signed in, or entered the password, within the last ten minutes. So
 * a stranger at an open browser cannot change how the account is signed in to.
 */
export type RequireRecentSignIn = (visitor: Visitor) => Promise<void>;

export function createRequireRecentSignIn({
  db,
  clock,
}: {
  db: Database;
  clock: Clock;
}): RequireRecentSignIn {
  return async ({ credentialId }) => {
    const session = await findSession(db, { id: credentialId });
    const provedAt = Math.max(session?.created_at ?? 0, session?.confirmed_at ?? 0);
    if (provedAt <= clock.now() - limits.recentSignInMs) throw new AppError("confirmation-needed");
  };
}

/** Notes that the password of the session's account has just been entered. */
export async function confirmSession(tx: Tx, { credentialId }: Visitor, nowMs: number): Promise<void> {
  await tx.q.updateTable("sessions").set({ confirmed_at: nowMs }).where("id", "=", credentialId).execute();
}
