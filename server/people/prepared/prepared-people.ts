import type { QueryOf } from "#contract/api.ts";
import type { PreparedPerson } from "#contract/prepared-people/endpoints.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import { isoTime, type Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { pageOf, positionCursor, readPosition } from "#server/lib/page.ts";
import { revokeInvitation } from "../accounts/invitation-rows.ts";
import * as accounts from "../accounts/rows.ts";
import { invite, type Inviter } from "./prepare-person.ts";
import * as rows from "./rows.ts";

const pageLimit = 50;

/** People whose chats wait for them, as administrators see them. */
export type PreparedPeople = ReturnType<typeof createPreparedPeople>;

export function createPreparedPeople({
  db,
  clock,
  erase,
}: {
  db: Database;
  clock: Clock;
  /** Deletes the person and everything in their workspace. */
  erase: (tx: Tx, person: { appId: string; userId: string; workspaceId: string }) => Promise<void>;
}) {
  return {
    /** Throws `bad-cursor`. */
    async list({
      after,
      limit = pageLimit,
    }: QueryOf<"preparedPeople.list">): Promise<{ people: PreparedPerson[]; next: string | null }> {
      const found = await rows.listPrepared(db.read, {
        after: after === undefined ? undefined : readPosition(after),
        limit: limit + 1,
        nowMs: clock.now(),
      });
      const { page, next } = pageOf(
        found.map((row) => ({ ...row, id: row.user_id })),
        limit,
        ({ created_at: atMs, id }) => positionCursor({ atMs, id }),
      );
      return { people: page.map(present), next };
    },

    /** A new invitation, and where to send it. The earlier one ends. Throws `person-not-found`. */
    invite: async (
      inviter: Inviter,
      id: string,
    ): Promise<{ token: string; email: string; inviterName: string | null }> =>
      await db.write(async (tx) => {
        const nowMs = clock.now();
        await accounts.lockUsers(tx, [id]);
        const token = await invite(tx, inviter, id, nowMs);
        const { email } = (await rows.findPrepared(tx.q, { userId: id }))!;
        const inviterName = (await accounts.findAccount(tx.q, { id: inviter.id }))?.name ?? null;
        return { token, email, inviterName };
      }),

    /** The invitation was sent: a later import leaves it as it is. */
    setMailed: async (id: string): Promise<void> =>
      await db.write(async (tx) => await rows.changePrepared(tx, id, { mailed_at: clock.now() })),

    /** Deletes what waits for the person, for ever. Throws `person-not-found`. */
    async remove(actor: Actor, id: string): Promise<void> {
      await db.write(async (tx) => {
        const nowMs = clock.now();
        const person = (await accounts.lockUsers(tx, [id])).get(id);
        const prepared = await rows.takePrepared(tx, { userId: id });
        if (person === undefined || prepared === undefined) throw new AppError("person-not-found");
        if (prepared.invitation_id !== null) await revokeInvitation(tx, prepared.invitation_id, nowMs);
        await erase(tx, { appId: person.app_id, userId: id, workspaceId: person.workspace_id });
        await recordAudit(tx, { action: "person-deleted", actor, target: id }, nowMs);
      });
    },
  };
}

function present(row: rows.ListedRow): PreparedPerson {
  return {
    id: row.user_id,
    name: row.name,
    email: row.email,
    threads: Number(row.threads),
    imported_at: isoTime(row.created_at),
    mailed_at: isoTime(row.mailed_at),
    invitation_expires_at: isoTime(row.expires_at),
  };
}
