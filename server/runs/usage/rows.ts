import type { UsageGroup } from "#contract/endpoints/usage.ts";
import type { Database } from "#storage/database/database.ts";
import { sql } from "#storage/database/sql.ts";

/** A person's requests in a workspace, or all requests of a project. */
export type UsageOwner = { workspaceId: string; userId: string } | { projectId: string };

/** The offsets of all time zones are whole quarters of an hour, so a day has whole quarters in each. */
export const quarterMs = 900_000;

export const countNames = [
  "requests",
  "input_tokens",
  "cached_tokens",
  "output_tokens",
  "reasoning_tokens",
  "cost_micros",
  "unpriced_requests",
] as const;

/** The usage of a quarter of an hour: its number since 1970. */
export type UsageSum = { quarter: number; model: string | null; assistant_id: string | null } & Record<
  (typeof countNames)[number],
  number
>;

/** The sums, in the order of time, and of the model or the assistant. */
export async function sumUsage(
  db: Database,
  owner: UsageOwner,
  { fromMs, toMs, groupBy }: { fromMs: number; toMs: number; groupBy: UsageGroup | undefined },
): Promise<UsageSum[]> {
  const quarter = sql<number>`sent_at / ${sql.lit(quarterMs)}`;
  const model = groupBy === "model" ? sql<string | null>`model` : sql<null>`null`;
  const assistant = groupBy === "assistant" ? sql<string | null>`assistant_id` : sql<null>`null`;
  let query = db.read
    .selectFrom("model_requests")
    .where("sent_at", ">=", fromMs)
    .where("sent_at", "<", toMs)
    .select([
      quarter.as("quarter"),
      model.as("model"),
      assistant.as("assistant_id"),
      sql<number>`count(*)`.as("requests"),
      sumOf("input_tokens"),
      sumOf("cached_tokens"),
      sumOf("output_tokens"),
      sumOf("reasoning_tokens"),
      sumOf("cost_micros"),
      sql<number>`count(case when cost_micros is null then input_tokens end)`.as("unpriced_requests"),
    ])
    .groupBy(quarter)
    .orderBy(quarter);
  if (groupBy === "model") query = query.groupBy("model").orderBy("model");
  if (groupBy === "assistant") query = query.groupBy("assistant_id").orderBy("assistant_id");
  query =
    "projectId" in owner
      ? query.where("project_id", "=", owner.projectId)
      : query.where("workspace_id", "=", owner.workspaceId).where("user_id", "=", owner.userId);
  return await query.execute();
}

function sumOf<Name extends string>(column: Name) {
  return sql<number>`cast(coalesce(sum(${sql.ref(column)}), 0) as bigint)`.as(column);
}
