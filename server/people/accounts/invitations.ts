import type { Invitation, InvitationFacts } from "#contract/endpoints/accounts.ts";
import { newId, randomCharacters } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import { type Clock, isoTime } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { hashOf } from "#server/sign-in/secrets.ts";
import * as rows from "./invitation-rows.ts";

/** Further invitations are not listed. They expire after a week. */
const listMax = 200;

/** Links with which people create an account. */
export type Invitations = {
  /** The invitations that can still be used, newest first. */
  list(): Promise<Invitation[]>;
  /** Returns the invitation with its token, which is not stored. */
  create(
    actor: Actor,
    offer: { role: "admin" | "member"; note?: string | undefined },
  ): Promise<{ invitation: Invitation; token: string }>;
  /** Throws `invitation-not-found`. */
  revoke(actor: Actor, id: string): Promise<void>;
  /** What the invitation with this token offers. Throws `invitation-invalid`. */
  check(token: string): Promise<InvitationFacts>;
};

export function createInvitations({ db, clock }: { db: Database; clock: Clock }): Invitations {
  return {
    list: async () => (await rows.listOpenInvitations(db, clock.now(), listMax)).map(present),

    async create(actor, { role, note }) {
      // 48 characters of 5 bits: 240 random bits.
      const token = `invite_0${randomCharacters(48)}`;
      const nowMs = clock.now();
      const id = newId("invitation", nowMs);
      await db.write(async (tx) => {
        await rows.insertInvitation(tx, {
          id,
          token_hash: hashOf(token),
          role,
          note: note?.trim() ?? null,
          created_by: actor.id,
          created_at: nowMs,
          expires_at: nowMs + limits.invitationMs,
        });
        await recordAudit(tx, { action: "invitation-created", actor, target: id, details: { role } }, nowMs);
      });
      const row = (await rows.findInvitation(db.read, hashOf(token)))!;
      return { invitation: present(row), token };
    },

    async revoke(actor, id) {
      await db.write(async (tx) => {
        const nowMs = clock.now();
        if (!(await rows.revokeInvitation(tx, id, nowMs))) throw new AppError("invitation-not-found");
        await recordAudit(tx, { action: "invitation-revoked", actor, target: id }, nowMs);
      });
    },

    async check(token) {
      const row = await rows.findInvitation(db.read, hashOf(token));
      if (!isUsable(row, clock.now())) throw new AppError("invitation-invalid");
      return { role: row.role, invited_by: row.inviter_name };
    },
  };
}

/** Whether somebody can still join with the invitation. It is valid only while its creator may invite. */
export function isUsable(row: rows.InvitationRow | undefined, nowMs: number): row is rows.InvitationRow {
  return (
    row !== undefined &&
    row.used_at === null &&
    row.revoked_at === null &&
    row.expires_at > nowMs &&
    row.inviter_kind === "admin" &&
    row.inviter_disabled_at === null &&
    row.inviter_deletion_due_at === null
  );
}

function present(row: rows.InvitationRow): Invitation {
  return {
    id: row.id,
    role: row.role,
    note: row.note,
    invited_by: row.inviter_name,
    created_at: isoTime(row.created_at),
    expires_at: isoTime(row.expires_at),
  };
}
