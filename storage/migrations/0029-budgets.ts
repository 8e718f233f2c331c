import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/**
 * Adds budgets, and what everybody used per day and month. Triggers keep these sums, so that a budget is checked in the
 * same time whatever the number of requests, and servers of the version before count as well.
 */
export async function budgets(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, strict, clustered } = sqlTypes(engine);
  const statements = [
    sql`create table budgets (
      id ${text} not null primary key,
      group_id ${text} references user_groups (id) on delete cascade,
      user_id ${text} references users (id) on delete cascade,
      limits ${text} not null,
      updated_at ${bigint} not null
    ) ${strict}`,
    sql`create index budgets_of_groups on budgets (group_id)`,
    sql`create index budgets_of_users on budgets (user_id)`,
    sql`create table usage_sums (
      user_id ${text} not null,
      period ${text} not null,
      project_id ${text} not null,
      tokens ${bigint} not null,
      cost_micros ${bigint} not null,
      primary key (user_id, period, project_id)
    ) ${clustered}`,
    // First, because a trigger locks the table until this transaction ends: nothing is stored between it and the sums.
    ...triggers[engine].map((statement) => sql.raw(statement)),
    sql.raw(addSums(engine, `${signed("model_requests", "+")} where sent_at > ${monthAgo[engine]}`)),
  ];
  for (const statement of statements) await statement.execute(db);
}

/** In milliseconds since 1970. No sum of the current month is older. */
export const monthAgo: Record<Engine, string> = {
  sqlite: "(unixepoch() - 2678400) * 1000",
  postgres: "(extract(epoch from now()) - 2678400) * 1000",
};

/** The tokens and the cost of the requests in `source`, to add or to take away. */
function signed(source: string, sign: "+" | "-"): string {
  return `select user_id, project_id, sent_at,
    ${sign}(coalesce(input_tokens, 0) + coalesce(output_tokens, 0)) as tokens,
    ${sign}coalesce(cost_micros, 0) as cost
    from ${source}`;
}

/** Adds `changes` to the sums of their days and months in UTC. */
export function addSums(engine: Engine, changes: string): string {
  const print = (format: Record<Engine, string>) =>
    engine === "sqlite"
      ? `strftime('${format.sqlite}', sent_at / 1000, 'unixepoch')`
      : `to_char(to_timestamp(sent_at / 1000) at time zone 'UTC', '${format.postgres}')`;
  const day = print({ sqlite: "%Y-%m-%d", postgres: "YYYY-MM-DD" });
  const month = print({ sqlite: "%Y-%m", postgres: "YYYY-MM" });
  // In one order, so that two transactions that change the same rows do not deadlock.
  return `insert into usage_sums (user_id, period, project_id, tokens, cost_micros)
    select user_id, period, project_id, cast(sum(tokens) as bigint), cast(sum(cost) as bigint) from (
      select user_id, project_id, tokens, cost, ${day} as period from (${changes}) as of_days
      union all
      select user_id, project_id, tokens, cost, ${month} as period from (${changes}) as of_months
    ) as changes
    where tokens <> 0 or cost <> 0
    group by user_id, period, project_id
    having sum(tokens) <> 0 or sum(cost) <> 0
    order by user_id, period, project_id
    on conflict (user_id, period, project_id) do update set
      tokens = usage_sums.tokens + excluded.tokens,
      cost_micros = usage_sums.cost_micros + excluded.cost_micros`;
}

function rowOf(name: "new" | "old"): string {
  const columns = ["user_id", "project_id", "sent_at", "input_tokens", "output_tokens", "cost_micros"].map(
    (column) => `${name}.${column} as ${column}`,
  );
  return `(select ${columns.join(", ")}) as ${name}_row`;
}

const counted = "user_id, project_id, input_tokens, output_tokens, cost_micros";

const triggers: Record<Engine, string[]> = {
  sqlite: [
    `create trigger usage_of_new_request after insert on model_requests
     begin ${addSums("sqlite", signed(rowOf("new"), "+"))}; end`,
    `create trigger usage_of_changed_request after update of ${counted} on model_requests
     begin ${addSums("sqlite", `${signed(rowOf("new"), "+")} union all ${signed(rowOf("old"), "-")}`)}; end`,
  ],
  postgres: [
    `create function usage_of_new_requests() returns trigger language plpgsql as $$
     begin ${addSums("postgres", signed("new_rows", "+"))}; return null; end $$`,
    `create trigger usage_of_new_requests after insert on model_requests referencing new table as new_rows
     for each statement execute function usage_of_new_requests()`,
    `create function usage_of_changed_requests() returns trigger language plpgsql as $$
     begin ${addSums("postgres", `${signed("new_rows", "+")} union all ${signed("old_rows", "-")}`)}; return null; end $$`,
    `create trigger usage_of_changed_requests after update on model_requests
     referencing new table as new_rows old table as old_rows
     for each statement execute function usage_of_changed_requests()`,
  ],
};
