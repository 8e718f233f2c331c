import type { QueryOf } from "#contract/api.ts";
import type { JoinRequest } from "#contract/endpoints/people.ts";
import type { Database } from "#storage/database/database.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import { type Clock, isoTime } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { pageOf, positionCursor, readPosition } from "#server/lib/page.ts";
import { forgetAccount } from "./accounts/forget-account.ts";
import * as rows from "./accounts/rows.ts";
import { publishRightsChangeOf } from "./rights/rows.ts";
import { listJoinRequests } from "./rows.ts";

const pageLimit = 50;

/** Requests of guests to become members. */
export type JoinRequests = ReturnType<typeof createJoinRequests>;

export function createJoinRequests({ db, clock }: { db: Database; clock: Clock }) {
  return {
    /** Throws `bad-cursor`. */
    async list({
      after,
      limit = pageLimit,
    }: QueryOf<"joinRequests.list">): Promise<{ requests: JoinRequest[]; next: string | null }> {
      // The time and the id: the request itself may have been decided meanwhile.
      const found = await listJoinRequests(db, {
        after: after === undefined ? undefined : readPosition(after),
        limit: limit + 1,
      });
      const { page, next } = pageOf(found, limit, ({ created_at: atMs, id }) => positionCursor({ atMs, id }));
      return {
        requests: page.map(({ id, name, email, created_at }) => ({
          user_id: id,
          name,
          email,
          created_at: isoTime(created_at),
        })),
        next,
      };
    },

    /**
     * Makes the guest a member, or denies it: then the name, address and password are forgotten. Throws `person-not-found`.
     */
    async decide(actor: Actor, id: string, isApproved: boolean): Promise<void> {
      await db.write(async (tx) => {
        const nowMs = clock.now();
        await rows.lockUsers(tx, [id]);
        if (!(await rows.deleteJoinRequest(tx, id))) throw new AppError("person-not-found");
        if (isApproved) await rows.changeUser(tx, id, { kind: "member", joined_at: nowMs });
        else await forgetAccount(tx, id);
        await rows.endTokensOf(tx, id, nowMs);
        publishRightsChangeOf(tx, id);
        const action = isApproved ? "join-approved" : "join-denied";
        await recordAudit(tx, { action, actor, target: id }, nowMs);
      });
    },
  };
}
