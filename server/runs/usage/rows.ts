import type { UsageGroup } from "#contract/endpoints/usage.ts";
import type { Database } from "#storage/database/database.ts";
import { sql } from "#storage/database/sql.ts";

/**
 * The requests of a person of this server, also those in threads of others; or of a backend's user in a workspace; or all
 * requests of an app.
 */
export type UsageOwner = { personId: string } | { workspaceId: string; userId: string } | { appId: string };

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
  "estimated_requests",
  "failed_requests",
  "answered_requests",
  "wait_ms",
] as const;

/** Requests with another purpose run in the background. */
const firstWordAt = sql<number>`case when model_requests.purpose = 'answer' then model_requests.first_token_at end`;

/** The usage of a quarter of an hour: its number since 1970. */
export type UsageSum = { quarter: number; model: string | null; assistant_id: string | null } & Record<
  (typeof countNames)[number],
  number
>;

/** How many ratings were given in a quarter of an hour. */
export type FeedbackSum = { quarter: number; positive: number; negative: number };

/** The ratings that the person gave, or all of the app, in the order of time. Ratings outlive their threads. */
export async function sumFeedback(
  db: Database,
  owner: UsageOwner,
  { appId, fromMs, toMs }: { appId: string; fromMs: number; toMs: number },
): Promise<FeedbackSum[]> {
  const quarter = sql<number>`scores.created_at / ${sql.lit(quarterMs)}`;
  let query = db.readWorker
    .selectFrom("scores")
    .where("app_id", "=", appId)
    .where("name", "=", "feedback")
    .where("data_type", "=", "boolean")
    .where("scores.created_at", ">=", fromMs)
    .where("scores.created_at", "<", toMs)
    .select([
      quarter.as("quarter"),
      sql<number>`count(case when value = 1 then 1 end)`.as("positive"),
      sql<number>`count(case when value = 0 then 1 end)`.as("negative"),
    ])
    .groupBy(quarter)
    .orderBy(quarter);
  if ("personId" in owner)
    query = query.where("author_id", "=", owner.personId).where("workspace_id", "in", ownWorkspaces);
  else if ("userId" in owner)
    query = query.where("workspace_id", "=", owner.workspaceId).where("author_id", "=", owner.userId);
  return await query.execute();
}

/** Those of this server's people. There, no app names the users. */
const ownWorkspaces = sql<string>`(select id from workspaces where realm = 'own')`;

/** The sums, in the order of time, of the model and of the assistant. */
export async function sumUsage(
  db: Database,
  owner: UsageOwner,
  { fromMs, toMs, groupBy }: { fromMs: number; toMs: number; groupBy: UsageGroup | undefined },
): Promise<UsageSum[]> {
  const quarter = sql<number>`model_requests.sent_at / ${sql.lit(quarterMs)}`;
  // Null while a blind comparison hides it.
  const visibleModel = sql<string | null>`case when blind.id is null then model_requests.model end`;
  const byModel = groupBy === "model" || groupBy === "both";
  const byAssistant = groupBy === "assistant" || groupBy === "both";
  const model = byModel ? visibleModel : sql<null>`null`;
  const assistant = byAssistant ? sql<string | null>`model_requests.assistant_id` : sql<null>`null`;
  let query = db.readWorker
    .selectFrom("model_requests")
    .leftJoin("runs as blind", (join) =>
      join.onRef("blind.id", "=", "model_requests.run_id").on("blind.is_blind", "=", 1),
    )
    .where("model_requests.sent_at", ">=", fromMs)
    .where("model_requests.sent_at", "<", toMs)
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
      sql<number>`count(case when model_requests.cost_micros is null then model_requests.input_tokens end)`.as(
        "unpriced_requests",
      ),
      sql<number>`count(case when model_requests.is_estimated = 1 then 1 end)`.as("estimated_requests"),
      sql<number>`count(case when model_requests.outcome = 'failed' then 1 end)`.as("failed_requests"),
      sql<number>`count(${firstWordAt})`.as("answered_requests"),
      sql<number>`cast(coalesce(sum(${firstWordAt} - model_requests.sent_at), 0) as bigint)`.as("wait_ms"),
    ])
    .groupBy(quarter)
    .orderBy(quarter);
  if (byModel) query = query.groupBy(model).orderBy(model);
  if (byAssistant) query = query.groupBy(assistant).orderBy(assistant);
  if ("appId" in owner) query = query.where("model_requests.app_id", "=", owner.appId);
  else if ("personId" in owner)
    query = query
      .where("model_requests.user_id", "=", owner.personId)
      .where("model_requests.workspace_id", "in", ownWorkspaces);
  else
    query = query
      .where("model_requests.workspace_id", "=", owner.workspaceId)
      .where("model_requests.user_id", "=", owner.userId);
  return await query.execute();
}

function sumOf<Name extends string>(column: Name) {
  return sql<number>`cast(coalesce(sum(${sql.ref(`model_requests.${column}`)}), 0) as bigint)`.as(column);
}
