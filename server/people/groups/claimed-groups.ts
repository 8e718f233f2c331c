import type { Tx } from "#storage/database/database.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import { publishRightsChange, publishRightsChangeOf, readGroupsOf } from "../rights/rows.ts";
import type { WatchReaders } from "./groups.ts";
import * as rows from "./rows.ts";

/** The groups whose people a sign-in provider names in a claim. */
export type ClaimedGroups = {
  /**
   * In the transaction of a sign-in: the person belongs to those groups of the provider whose value is in `values`, and
   * to no other group of it. All other groups stay as they are. Nothing is written if nothing changes.
   */
  follow(
    tx: Tx,
    claim: { userId: string; providerId: string; values: readonly string[] },
    actor: Actor,
    nowMs: number,
  ): Promise<void>;
  /** In the transaction of a change: empties the groups of the provider. */
  empty(tx: Tx, providerId: string): Promise<void>;
};

export function createClaimedGroups({ watchReaders }: { watchReaders: WatchReaders }): ClaimedGroups {
  return {
    async follow(tx, { userId, providerId, values }, actor, nowMs) {
      const groups = await rows.listGroupsOfProvider(tx.q, providerId);
      if (groups.length === 0) return;
      const now = new Set(await readGroupsOf(tx.q, userId));
      const named = new Set(values);
      const isNamed = ({ claim_value: value }: { claim_value: string | null }) =>
        value !== null && named.has(value);
      const added = groups.filter((group) => isNamed(group) && !now.has(group.id)).map(({ id }) => id);
      const removed = groups.filter((group) => !isNamed(group) && now.has(group.id)).map(({ id }) => id);
      if (added.length + removed.length === 0) return;
      const announcements = [];
      for (const groupId of [...added, ...removed])
        announcements.push(await watchReaders(tx, { groupId, userId }));
      for (const id of added) await rows.insertMember(tx, id, userId, nowMs);
      if (removed.length > 0) await rows.deleteMember(tx, removed, userId);
      publishRightsChangeOf(tx, userId);
      for (const announce of announcements) await announce();
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
    },

    async empty(tx, providerId) {
      const groups = await rows.listGroupsOfProvider(tx.q, providerId);
      const announcements = [];
      for (const { id } of groups) announcements.push(await watchReaders(tx, { groupId: id }));
      await rows.deleteMembersByProvider(tx, providerId);
      publishRightsChange(tx);
      for (const announce of announcements) await announce();
    },
  };
}
