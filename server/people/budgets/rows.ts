import type { BudgetLimits } from "#contract/accounts/budgets.ts";
import type { BudgetUse } from "#contract/endpoints/budgets.ts";
import type { Tx } from "#storage/database/database.ts";
import { forUpdate, idsOf } from "#storage/database/portable-sql.ts";
import { sql, type Kysely } from "#storage/database/sql.ts";
import type { Row, Tables } from "#storage/database/tables.ts";
import { contains } from "#server/lib/page.ts";
import type { Periods } from "./periods.ts";

/** The SQL of budgets. */

/** Published when a budget changes. */
export const budgetsTopic = "budgets";

/** The limits of every budget by its id, and whether it is one of a group. */
export type AllBudgets = {
  limits: ReadonlyMap<string, BudgetLimits>;
  /** Those of groups. */
  groupIds: ReadonlySet<string>;
};

export async function readBudgets(q: Kysely<Tables>): Promise<AllBudgets> {
  const found = await q.selectFrom("budgets").select(["id", "group_id", "limits"]).execute();
  return {
    limits: new Map(found.map(({ id, limits }) => [id, JSON.parse(limits) as BudgetLimits])),
    groupIds: new Set(found.flatMap(({ group_id: id }) => id ?? [])),
  };
}

/** The groups of a person that have a budget, with their names. */
export async function readGroupsWithBudget(
  q: Kysely<Tables>,
  userId: string,
): Promise<{ id: string; name: string }[]> {
  return await q
    .selectFrom("user_group_members")
    .innerJoin("budgets", "budgets.group_id", "user_group_members.group_id")
    .innerJoin("user_groups", "user_groups.id", "user_group_members.group_id")
    .select(["user_groups.id", "user_groups.name"])
    .where("user_group_members.user_id", "=", userId)
    .execute();
}

type Sums = { period: string; tokens: number | string; cost: number | string };

/** What somebody used in an app in the current periods. */
export async function readUse(
  q: Kysely<Tables>,
  { userId, appId }: { userId: string; appId: string },
  periods: Periods,
): Promise<BudgetUse> {
  const sums = await q
    .selectFrom("usage_sums")
    .select(["period", "tokens", "cost_micros as cost"])
    .where("user_id", "=", userId)
    .where("period", "in", [periods.day.name, periods.month.name])
    .where("app_id", "=", appId)
    .execute();
  return usageOf(sums, periods);
}

/** What the members of each group used together. */
export async function readUseOfGroups(
  from: Pick<Tx, "engine" | "q">,
  groupIds: readonly string[],
  periods: Periods,
): Promise<ReadonlyMap<string, BudgetUse>> {
  if (groupIds.length === 0) return new Map();
  const sums = await from.q
    .selectFrom("user_group_members")
    .innerJoin("usage_sums", "usage_sums.user_id", "user_group_members.user_id")
    .select(["group_id as id", "period", sumOf("tokens").as("tokens"), sumOf("cost_micros").as("cost")])
    .where("group_id", "in", idsOf(from, groupIds))
    .where("period", "in", [periods.day.name, periods.month.name])
    .groupBy(["group_id", "period"])
    .execute();
  return usesById(sums, periods);
}

/**
 * What all guests used together, whatever became of them: those of the web app, or the visitors with an anonymous token of
 * one app. Triggers add up all of them as `guests`, and those of each app again as `guests:` and its id.
 */
export async function readUseOfGuests(
  q: Kysely<Tables>,
  periods: Periods,
  appId: string | null = null,
): Promise<BudgetUse> {
  if (appId !== null) return await readUse(q, { userId: `guests:${appId}`, appId: "" }, periods);
  const sums = await q
    .selectFrom("usage_sums")
    .select(["period", signedSum("tokens").as("tokens"), signedSum("cost_micros").as("cost")])
    .where("user_id", ">=", "guests")
    // The character after the colon.
    .where("user_id", "<", "guests;")
    .where("period", "in", [periods.day.name, periods.month.name])
    .where("app_id", "=", "")
    .groupBy("period")
    .execute();
  return usageOf(sums, periods);
}

/** All guests without those of apps. */
function signedSum(column: "tokens" | "cost_micros") {
  const value = sql.ref(column);
  return sql<
    number | string
  >`cast(sum(case when user_id = 'guests' then ${value} else -${value} end) as bigint)`;
}

/** What each of these people used. */
export async function readUseOfPeople(
  from: Pick<Tx, "engine" | "q">,
  userIds: readonly string[],
  periods: Periods,
): Promise<ReadonlyMap<string, BudgetUse>> {
  if (userIds.length === 0) return new Map();
  const sums = await from.q
    .selectFrom("usage_sums")
    .select(["user_id as id", "period", sumOf("tokens").as("tokens"), sumOf("cost_micros").as("cost")])
    .where("user_id", "in", idsOf(from, userIds))
    .where("period", "in", [periods.day.name, periods.month.name])
    .groupBy(["user_id", "period"])
    .execute();
  return usesById(sums, periods);
}

function sumOf(column: "tokens" | "cost_micros") {
  return sql<number | string>`cast(sum(${sql.ref(column)}) as bigint)`;
}

function usesById(sums: (Sums & { id: string })[], periods: Periods): ReadonlyMap<string, BudgetUse> {
  const ids = [...new Set(sums.map(({ id }) => id))];
  return new Map(
    ids.map((each) => [
      each,
      usageOf(
        sums.filter(({ id }) => id === each),
        periods,
      ),
    ]),
  );
}

export function usageOf(sums: readonly Sums[], { day, month }: Periods): BudgetUse {
  const ofPeriod = (name: string) => {
    const sum = sums.find(({ period }) => period === name);
    return { tokens: Number(sum?.tokens ?? 0), usd: Number(sum?.cost ?? 0) / 1e6 };
  };
  const [today, thisMonth] = [ofPeriod(day.name), ofPeriod(month.name)];
  return {
    tokens_per_day: today.tokens,
    tokens_per_month: thisMonth.tokens,
    usd_per_day: today.usd,
    usd_per_month: thisMonth.usd,
  };
}

/** What can have a budget of its own, locked until the transaction ends. */
export async function lockHolder(tx: Tx, id: string): Promise<"group" | "person" | undefined> {
  const group = tx.q.selectFrom("user_groups").select("id").where("id", "=", id);
  if ((await forUpdate(tx, group).executeTakeFirst()) !== undefined) return "group";
  // Guests have no account: their budget is that of their role.
  const person = tx.q
    .selectFrom("users")
    .select("id")
    .where("id", "=", id)
    .where("joined_at", "is not", null);
  return (await forUpdate(tx, person).executeTakeFirst()) === undefined ? undefined : "person";
}

export async function putBudget(tx: Tx, budget: Row<"budgets">): Promise<void> {
  const { limits, updated_at } = budget;
  await tx.q
    .insertInto("budgets")
    .values(budget)
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ limits, updated_at }))
    .execute();
  tx.publishOnCommit.add(budgetsTopic);
}

/** Whether there was one. */
export async function deleteBudget(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.q.deleteFrom("budgets").where("id", "=", id).executeTakeFirst();
  tx.publishOnCommit.add(budgetsTopic);
  return numDeletedRows > 0n;
}

export type OwnBudgetRow = Pick<Row<"budgets">, "id" | "group_id" | "limits"> & {
  name: string | null;
  email: string | null;
  sort_key: string;
};

/** Groups first, then by name. */
const sortKey = sql<string>`case when budgets.group_id is null then '1' else '0' end ||
  lower(coalesce(user_groups.name, users.name, users.email_key, ''))`;

/** A page of the budgets of groups and people whose name or address contains `search`, after the budget `after`. */
export async function listOwnBudgets(
  q: Kysely<Tables>,
  { search, after, limit }: { search: string; after: OwnBudgetRow | undefined; limit: number },
): Promise<OwnBudgetRow[]> {
  let query = ownBudgets(q).orderBy(sortKey).orderBy("budgets.id").limit(limit);
  if (search !== "")
    query = query.where((is) =>
      is.or(["user_groups.name", "users.name", "users.email_key"].map((column) => contains(column, search))),
    );
  if (after !== undefined)
    query = query.where(sql<boolean>`(${sortKey}, budgets.id) > (${after.sort_key}, ${after.id})`);
  return await query.execute();
}

export async function findOwnBudget(q: Kysely<Tables>, id: string): Promise<OwnBudgetRow | undefined> {
  return await ownBudgets(q).where("budgets.id", "=", id).executeTakeFirst();
}

function ownBudgets(q: Kysely<Tables>) {
  return q
    .selectFrom("budgets")
    .leftJoin("user_groups", "user_groups.id", "budgets.group_id")
    .leftJoin("users", "users.id", "budgets.user_id")
    .select(["budgets.id", "budgets.group_id", "budgets.limits", "users.email", sortKey.as("sort_key")])
    .select(sql<string | null>`coalesce(user_groups.name, users.name)`.as("name"))
    .where((is) => is.or([is("budgets.group_id", "is not", null), is("budgets.user_id", "is not", null)]));
}

/** Deletes at most `limit` sums of months before this one, which no budget needs. Returns their number. */
export async function deleteOldSums(tx: Tx, { month }: Periods, limit: number): Promise<number> {
  const old = tx.q
    .selectFrom("usage_sums")
    .select(["user_id", "period"])
    // `2026-01-31` sorts before `2026-02`.
    .where("period", "<", month.name)
    .orderBy("period")
    .limit(limit);
  const { numDeletedRows } = await tx.q
    .deleteFrom("usage_sums")
    .where((is) => is(is.refTuple("user_id", "period"), "in", old.$asTuple("user_id", "period")))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** What somebody used in the current periods, locked until the transaction ends. */
export async function lockSums(
  tx: Tx,
  { userId, appId }: { userId: string; appId: string },
  { day, month }: Periods,
): Promise<Row<"usage_sums">[]> {
  const sums = tx.q
    .selectFrom("usage_sums")
    .selectAll()
    .where("user_id", "=", userId)
    .where("period", "in", [day.name, month.name])
    .where("app_id", "=", appId)
    // The order in which requests change them.
    .orderBy("period");
  return await forUpdate(tx, sums).execute();
}

/** Stores these sums instead of what the requests add up to. */
export async function putSums(tx: Tx, sums: readonly Row<"usage_sums">[]): Promise<void> {
  for (const sum of sums)
    await tx.q
      .insertInto("usage_sums")
      .values(sum)
      .onConflict((conflict) =>
        conflict
          .columns(["user_id", "period", "app_id"])
          .doUpdateSet({ tokens: sum.tokens, cost_micros: sum.cost_micros }),
      )
      .execute();
}

/** In the transaction of an erasure, after the requests have another name: deletes the person's sums, which are zero. */
export async function deleteSumsOf(
  tx: Tx,
  { appId, userId }: { appId: string; userId: string },
): Promise<void> {
  await tx.q.deleteFrom("usage_sums").where("user_id", "=", userId).where("app_id", "=", appId).execute();
}
