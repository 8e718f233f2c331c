import type { Tx } from "#storage/database/database.ts";
import { emailKey } from "#contract/accounts/email.ts";
import { revokeInvitation } from "../accounts/invitation-rows.ts";
import type { Adopt } from "../accounts/account-session.ts";
import * as accounts from "../accounts/rows.ts";
import { moveMemberships } from "../groups/rows.ts";
import { publishRightsChangeOf } from "../rights/rows.ts";
import { visitorOf } from "./prepare-person.ts";
import * as rows from "./rows.ts";

/**
 * In a transaction: gives the account what was imported for an address, which the caller knows to be proved by the account's
 * owner.
 */
export type ClaimPrepared = (tx: Tx, accountId: string, email: string, nowMs: number) => Promise<void>;

export function createClaimPrepared({ adopt }: { adopt: Adopt }): ClaimPrepared {
  return async (tx, accountId, email, nowMs) => {
    const found = await rows.findPrepared(tx.q, { emailKey: emailKey(email) });
    if (found === undefined || found.user_id === accountId) return;
    const locked = await accounts.lockUsers(tx, [accountId, found.user_id]);
    const [account, person] = [locked.get(accountId), locked.get(found.user_id)];
    // Somebody may have used the invitation meanwhile.
    const prepared = await rows.takePrepared(tx, { userId: found.user_id });
    if (prepared === undefined || account === undefined || person === undefined) return;
    if (prepared.invitation_id !== null) await revokeInvitation(tx, prepared.invitation_id, nowMs);
    await moveMemberships(tx, person.id, account.id);
    publishRightsChangeOf(tx, account.id);
    await adopt(tx, visitorOf(person), visitorOf(account));
    await accounts.changeUser(tx, person.id, { merged_into: account.id });
  };
}
