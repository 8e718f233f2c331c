import { hasNoAccount } from "#server/people/accounts/private-workspaces.ts";
import type { Database } from "#storage/database/database.ts";
import type { Position } from "#server/lib/page.ts";
import { isLastingThread } from "#server/threads/temporary-rows.ts";
import { sql, type Kysely } from "#storage/database/sql.ts";
import type { Row, Tables } from "#storage/database/tables.ts";

/** The SQL that reads the runs of all workspaces of an app. */

type Status = Row<"run_reports">["status"];

export type AppRunRow = Row<"runs"> & {
  /** The reported status and outcome; for our own runs, derived from the state. */
  status: Status | null;
  outcome: string | null;
  reported_thread_id: string | null;
  reported_error_code: string | null;
  provider: string | null;
  environment: string | null;
  release: string | null;
  tags: string | null;
  attributes: string | null;
  details: string | null;
  service_name: string | null;
  agent_name: string | null;
};

export type RunFilter = {
  status?: Status | undefined;
  outcome_type?: string | undefined;
  model_id?: string | undefined;
  provider?: string | undefined;
  created_by?: string | undefined;
  thread_id?: string | undefined;
  environment?: string | undefined;
  release?: string | undefined;
  tag?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  after: Position | undefined;
  limit: number;
};

const status = sql<Status | null>`coalesce(run_reports.status, case
  when runs.state = 'completed' then 'completed'
  when runs.state = 'failed' then 'error'
  when runs.state in ('cancelled', 'interrupted') then 'incomplete'
end)`;

const outcome = sql<string | null>`coalesce(run_reports.outcome_type, case
  when runs.origin = 'reported' then null
  when runs.state = 'cancelled' then 'aborted'
  when runs.state = 'interrupted' then 'server_error'
  when runs.finish_reason = 'length' then 'length'
  when runs.finish_reason = 'content-filter' or runs.error_code = 'content-filtered' then 'content_filter'
  when runs.error_code like 'provider-%' then 'provider_error'
  when runs.state = 'failed' then 'server_error'
end)`;

/** Null while it is secret. */
const model = sql<string | null>`case when runs.is_blind = 0 then runs.model end`;

function appRuns(q: Kysely<Tables>, appId: string) {
  return q
    .selectFrom("runs")
    .leftJoin("run_reports", "run_reports.run_id", "runs.id")
    .where("runs.app_id", "=", appId)
    .where(hasNoAccount("runs.workspace_id"));
}

function selectColumns(query: ReturnType<typeof appRuns>) {
  return query
    .where(isLastingThread("runs.thread_id"))
    .selectAll("runs")
    .select([
      status.as("status"),
      outcome.as("outcome"),
      "run_reports.thread_id as reported_thread_id",
      "run_reports.error_code as reported_error_code",
      "run_reports.provider",
      "run_reports.environment",
      "run_reports.release",
      "run_reports.tags",
      "run_reports.attributes",
      "run_reports.details",
      "run_reports.service_name",
      "run_reports.agent_name",
    ]);
}

/** A page of runs after `after`, newest first. */
export async function listAppRuns(db: Database, appId: string, filter: RunFilter): Promise<AppRunRow[]> {
  const { after, from, to } = filter;
  let query = appRuns(db.read, appId);
  if (filter.status !== undefined) query = query.where(status, "=", filter.status);
  if (filter.outcome_type !== undefined) query = query.where(outcome, "=", filter.outcome_type);
  if (filter.model_id !== undefined)
    query = query.where("runs.model", "=", filter.model_id).where("runs.is_blind", "=", 0);
  if (filter.provider !== undefined) query = query.where("run_reports.provider", "=", filter.provider);
  if (filter.created_by !== undefined) query = query.where("runs.user_id", "=", filter.created_by);
  if (filter.thread_id !== undefined) query = query.where("runs.thread_id", "=", filter.thread_id);
  if (filter.environment !== undefined)
    query = query.where("run_reports.environment", "=", filter.environment);
  if (filter.release !== undefined) query = query.where("run_reports.release", "=", filter.release);
  if (filter.tag !== undefined) query = query.where(hasTag(filter.tag));
  if (from !== undefined) query = query.where("runs.created_at", ">=", Date.parse(from));
  if (to !== undefined) query = query.where("runs.created_at", "<=", Date.parse(to));
  if (after !== undefined)
    query = query.where(sql<boolean>`(runs.created_at, runs.id) < (${after.atMs}, ${after.id})`);
  return await selectColumns(query)
    .orderBy("runs.created_at", "desc")
    .orderBy("runs.id", "desc")
    .limit(filter.limit)
    .execute();
}

export async function findAppRun(db: Database, appId: string, id: string): Promise<AppRunRow | undefined> {
  return await selectColumns(appRuns(db.read, appId).where("runs.id", "=", id)).executeTakeFirst();
}

/** The usage of one day (in days since 1970), of all models or of one. */
export type UsageRow = {
  day: number;
  provider: string | null;
  model: string | null;
  runs: number;
  errors: number;
  input_tokens: number;
  output_tokens: number;
  cost_micros: number;
};

export async function sumUsage(
  db: Database,
  appId: string,
  range: { fromMs: number; toMs: number; byModel: boolean },
): Promise<UsageRow[]> {
  const day = sql<number>`runs.created_at / 86400000`;
  const provider = range.byModel ? sql<string | null>`run_reports.provider` : sql<null>`null`;
  const groupedModel = range.byModel ? model : sql<null>`null`;
  let query = appRuns(db.read, appId)
    .where("runs.created_at", ">=", range.fromMs)
    .where("runs.created_at", "<", range.toMs)
    .select([
      day.as("day"),
      provider.as("provider"),
      groupedModel.as("model"),
      sql<number>`count(*)`.as("runs"),
      sql<number>`sum(case when ${status} = 'error' then 1 else 0 end)`.as("errors"),
      sql<number>`coalesce(sum(runs.input_tokens), 0)`.as("input_tokens"),
      sql<number>`coalesce(sum(runs.output_tokens), 0)`.as("output_tokens"),
      sql<number>`coalesce(sum(runs.cost_micros), 0)`.as("cost_micros"),
    ])
    .groupBy(day)
    .orderBy(day);
  if (range.byModel) query = query.groupBy([provider, model]).orderBy(provider).orderBy(model);
  return await query.execute();
}

type Range = { fromMs: number; toMs: number };

/** The number of the app's users who had a run. */
export async function countActiveUsers(db: Database, appId: string, range: Range): Promise<number> {
  const { users } = await db.read
    .selectFrom("runs")
    .where("app_id", "=", appId)
    .where(hasNoAccount("workspace_id"))
    .where("created_at", ">=", range.fromMs)
    .where("created_at", "<", range.toMs)
    .select(sql<number>`count(distinct user_id)`.as("users"))
    .executeTakeFirstOrThrow();
  return users;
}

/** The number of threads created in the range whose title a model wrote. */
export async function countModelTitles(db: Database, appId: string, range: Range): Promise<number> {
  const { titles } = await db.read
    .selectFrom("threads")
    .where("app_id", "=", appId)
    .where(hasNoAccount("workspace_id"))
    .where("title_source", "=", "model")
    .where("created_at", ">=", range.fromMs)
    .where("created_at", "<", range.toMs)
    .select(sql<number>`count(*)`.as("titles"))
    .executeTakeFirstOrThrow();
  return titles;
}

/** Tags are a JSON array of strings. A comma followed by the whole quoted string occurs only where the tag is. */
function hasTag(tag: string) {
  const listed = sql`',' || substr(run_reports.tags, 2)`;
  return sql<boolean>`replace(${listed}, ${`,${JSON.stringify(tag)}`}, '') <> ${listed}`;
}
