import { unverifyEmails } from "#server/people/users/rows.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { forUpdate } from "#storage/database/portable-sql.ts";
import type { Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, Tables } from "#storage/database/tables.ts";

import { worksAt } from "../passkeys/rows.ts";

/** The SQL of who accounts are at sign-in providers, and of sign-ins that have begun. */

export async function findIdentity(
  q: Kysely<Tables>,
  providerId: string,
  by: { subject: string } | { userId: string },
): Promise<Row<"identities"> | undefined> {
  return await q
    .selectFrom("identities")
    .selectAll()
    .where("provider_id", "=", providerId)
    .where("subject" in by ? "subject" : "user_id", "=", "subject" in by ? by.subject : by.userId)
    .executeTakeFirst();
}

/** An account's identities, with the names of their providers. */
export async function listIdentities(
  q: Kysely<Tables>,
  userId: string,
): Promise<(Row<"identities"> & { provider_name: string })[]> {
  return await q
    .selectFrom("identities")
    .innerJoin("sign_in_providers", "sign_in_providers.id", "identities.provider_id")
    .selectAll("identities")
    .select("sign_in_providers.name as provider_name")
    .where("user_id", "=", userId)
    .orderBy("sign_in_providers.name")
    .execute();
}

export async function insertIdentity(tx: Tx, identity: NewRow<"identities">): Promise<void> {
  await tx.q.insertInto("identities").values(identity).execute();
}

export async function touchIdentity(
  tx: Tx,
  { provider_id: providerId, subject }: Row<"identities">,
  email: string | null,
  nowMs: number,
): Promise<void> {
  await tx.q
    .updateTable("identities")
    .set({ last_used_at: nowMs, email })
    .where("provider_id", "=", providerId)
    .where("subject", "=", subject)
    .execute();
}

/** Returns whether there was one. */
export async function deleteIdentity(tx: Tx, userId: string, providerId: string): Promise<boolean> {
  const { numDeletedRows } = await tx.q
    .deleteFrom("identities")
    .where("user_id", "=", userId)
    .where("provider_id", "=", providerId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteIdentitiesOf(tx: Tx, userId: string): Promise<void> {
  await tx.q.deleteFrom("identities").where("user_id", "=", userId).execute();
}

/**
 * Deletes the identities at a provider, for which somebody else may have the addresses later: so they no longer count as
 * verified. The users are locked with `lockPeopleAt`.
 */
export async function deleteIdentitiesAt(tx: Tx, providerId: string): Promise<void> {
  const userIds = tx.q.selectFrom("identities").select("user_id").where("provider_id", "=", providerId);
  await unverifyEmails(tx, userIds.$asScalar());
  await tx.q.deleteFrom("identities").where("provider_id", "=", providerId).execute();
}

/** Locks the users who have an identity at the provider, in the order of their ids. */
export async function lockPeopleAt(tx: Tx, providerId: string): Promise<void> {
  const userIds = tx.q.selectFrom("identities").select("user_id").where("provider_id", "=", providerId);
  const users = tx.q.selectFrom("users").select("id").where("id", "in", userIds).orderBy("id");
  await forUpdate(tx, users).execute();
}

/** Whether an owner can sign in only with this provider, at this host name. */
export async function isOnlyMethodOfOwner(
  q: Kysely<Tables>,
  providerId: string,
  host: string | undefined,
): Promise<boolean> {
  const row = await q
    .selectFrom("identities")
    .innerJoin("users", "users.id", "identities.user_id")
    .select("users.id")
    .where("identities.provider_id", "=", providerId)
    .where("users.is_owner", "=", 1)
    .where("users.id", "not in", q.selectFrom("passwords").select("user_id"))
    .where("users.id", "not in", q.selectFrom("passkeys").select("user_id").where(worksAt(host)))
    .where(
      "users.id",
      "not in",
      q.selectFrom("identities").select("user_id").where("provider_id", "!=", providerId),
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Stores a sign-in that begins, and deletes those that have expired. */
export async function insertFlow(tx: Tx, flow: NewRow<"sign_in_flows">, nowMs: number): Promise<void> {
  await tx.q.deleteFrom("sign_in_flows").where("expires_at", "<=", nowMs).execute();
  await tx.q.insertInto("sign_in_flows").values(flow).execute();
}

/** Takes the sign-in with this hash, so that it can be finished only once; `undefined` if there is none. */
export async function takeFlow(
  db: Database,
  flowHash: string,
  providerId: string,
  nowMs: number,
): Promise<Row<"sign_in_flows"> | undefined> {
  const flow = await db.write(
    async (tx) =>
      await tx.q
        .deleteFrom("sign_in_flows")
        .where("flow_hash", "=", flowHash)
        .returningAll()
        .executeTakeFirst(),
  );
  return flow !== undefined && flow.provider_id === providerId && flow.expires_at > nowMs ? flow : undefined;
}
