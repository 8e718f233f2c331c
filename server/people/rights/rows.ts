import { defaultRights, type LimitedRole, type Rights } from "#contract/accounts/rights.ts";
import type { Tx } from "#storage/database/database.ts";
import type { Kysely } from "#storage/database/sql.ts";
import type { RowChange, Tables } from "#storage/database/tables.ts";

/** The SQL of the rights of roles, and what is read of groups to know a person's rights. */

/** Published when the rights of a role or a group change, and who belongs to a group that is deleted. */
export const rightsTopic = "rights";
/** Published when the role or the groups of anyone change. */
export const peopleTopic = "rights-of-people";
/** Published when the role or the groups of this person change. */
export const personTopic = (userId: string) => `rights:${userId}`;

/** In the transaction of a change of rights: every process reads them again. */
export function publishRightsChange(tx: Tx): void {
  tx.publishOnCommit.add(rightsTopic);
}

/** The same when only one person has other rights than before, so that only their pages read them again. */
export function publishRightsChangeOf(tx: Tx, userId: string): void {
  tx.publishOnCommit.add(peopleTopic).add(personTopic(userId));
}

export type AccessSettings = Record<LimitedRole, Rights> & { linkSharing: boolean };

export async function readAccessSettings(q: Kysely<Tables>): Promise<AccessSettings> {
  const row = await q.selectFrom("access_settings").selectAll().executeTakeFirst();
  if (row === undefined) return { ...defaultRights, linkSharing: true };
  return {
    member: JSON.parse(row.member_rights) as Rights,
    guest: JSON.parse(row.guest_rights) as Rights,
    linkSharing: row.link_sharing === 1,
  };
}

/** Changes what is given, and returns all settings. */
export async function changeAccessSettings(
  tx: Tx,
  { member, guest, linkSharing }: { [name in keyof AccessSettings]: AccessSettings[name] | undefined },
  nowMs: number,
): Promise<AccessSettings> {
  // Only what is changed, so that nothing is taken back that another transaction changes meanwhile.
  const changed = {
    ...(member === undefined ? {} : { member_rights: JSON.stringify(member) }),
    ...(guest === undefined ? {} : { guest_rights: JSON.stringify(guest) }),
    ...(linkSharing === undefined ? {} : { link_sharing: linkSharing ? 1 : 0 }),
    updated_at: nowMs,
  } satisfies RowChange<"access_settings">;
  const first = {
    id: "server" as const,
    member_rights: JSON.stringify(defaultRights.member),
    guest_rights: JSON.stringify(defaultRights.guest),
    link_sharing: 1,
  };
  await tx.q
    .insertInto("access_settings")
    .values({ ...first, ...changed })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(changed))
    .execute();
  publishRightsChange(tx);
  return await readAccessSettings(tx.q);
}

/** The models that visitors with an anonymous token may use, of the apps that have rules for them. */
export async function readModelsOfApps(q: Kysely<Tables>): Promise<ReadonlyMap<string, Rights["models"]>> {
  const found = await q
    .selectFrom("apps")
    .select(["id", "anonymous_models as models"])
    .where("anonymous_tokens", "is not", null)
    .execute();
  return new Map(
    found.map(({ id, models }) => [id, models === null ? null : (JSON.parse(models) as string[])]),
  );
}

/** The rights of all groups by id. */
export async function readGroupRights(q: Kysely<Tables>): Promise<ReadonlyMap<string, Rights>> {
  const groups = await q.selectFrom("user_groups").select(["id", "rights"]).execute();
  return new Map(groups.map(({ id, rights }) => [id, JSON.parse(rights) as Rights]));
}

export async function readGroupsOf(q: Kysely<Tables>, userId: string): Promise<string[]> {
  const found = await q
    .selectFrom("user_group_members")
    .select("group_id")
    .where("user_id", "=", userId)
    .execute();
  return found.map(({ group_id: id }) => id);
}
