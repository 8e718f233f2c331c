import type { RetentionRules } from "#contract/retention/endpoints.ts";
import type { Kysely } from "#storage/database/sql.ts";
import type { Row, Tables } from "#storage/database/tables.ts";

export type RetentionRow = Row<"app_retention">;

const defaults: RetentionRules = {
  keep_threads_days: null,
  keep_span_texts_days: null,
  keep_steps_days: null,
};

/** The rules that apply at this time. */
export function rulesAt(row: RetentionRow | undefined, nowMs: number): RetentionRules {
  if (row === undefined) return defaults;
  const isNext = row.next_rules !== null && row.next_at !== null && row.next_at <= nowMs;
  return { ...defaults, ...(JSON.parse(isNext ? row.next_rules! : row.rules) as Partial<RetentionRules>) };
}

export async function findRetention(q: Kysely<Tables>, appId: string): Promise<RetentionRow | undefined> {
  return await q.selectFrom("app_retention").selectAll().where("app_id", "=", appId).executeTakeFirst();
}
