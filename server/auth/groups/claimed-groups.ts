import type { Tx } from "#storage/database/database.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import { publishRightsChange, readGroupsOf } from "../rights/rows.ts";
import * as rows from "./rows.ts";

/**
 * In the transaction of a sign-in: the person belongs to those groups of the provider whose value is in `values`, and to
 * no other group of it. All other groups stay as they are. Nothing is written if nothing changes.
 */
export async function followClaim(
  tx: Tx,
  { userId, providerId, values }: { userId: string; providerId: string; values: readonly string[] },
  actor: Actor,
  nowMs: number,
): Promise<void> {
  const groups = await rows.listGroupsOfProvider(tx.q, providerId);
  if (groups.length === 0) return;
  const now = new Set(await readGroupsOf(tx.q, userId));
  const named = new Set(values);
  const isNamed = ({ claim_value: value }: { claim_value: string | null }) =>
    value !== null && named.has(value);
  const added = groups.filter((group) => isNamed(group) && !now.has(group.id)).map(({ id }) => id);
  const removed = groups.filter((group) => !isNamed(group) && now.has(group.id)).map(({ id }) => id);
  if (added.length + removed.length === 0) return;
  for (const id of added) await rows.insertMember(tx, id, userId, nowMs);
  if (removed.length > 0) await rows.deleteMember(tx, removed, userId);
  publishRightsChange(tx);
  for (const [action, ids] of [
    ["group-member-added", added],
    ["group-member-removed", removed],
  ] as const)
    for (const group of ids)
      await recordAudit(
        tx,
        { action, actor, target: userId, details: { group, provider: providerId } },
        nowMs,
      );
}

/** In the transaction of a change: nobody belongs to the groups of the provider any more. */
export async function emptyClaimedGroups(tx: Tx, providerId: string): Promise<void> {
  await rows.deleteMembersByProvider(tx, providerId);
  publishRightsChange(tx);
}
