import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { addSums } from "./0029-budgets.ts";
import { sqlTypes } from "./sql-types.ts";

/**
 * Parts the guests of the web app from the anonymous visitors of apps: each project says whether it issues anonymous tokens,
 * and which models they may use. What such visitors use together is also added up per project. A server that has an account
 * keeps what it has in both, as rows: the project gets the choice, the models and the budget of guests.
 */
export async function anonymousTokens(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, int } = sqlTypes(engine);
  const nowMs = {
    sqlite: "unixepoch() * 1000",
    postgres: "cast(extract(epoch from now()) * 1000 as bigint)",
  };
  const hasAccount = sql.raw("exists (select 1 from users where joined_at is not null)");
  const statements = [
    sql`alter table projects add column anonymous_tokens ${int}`,
    sql`alter table projects add column anonymous_models ${text}`,
    sql`alter table users add column is_app_visitor ${int} not null default 0`,
    sql`insert into auth_settings (id, joining, guests, email_domains, updated_at)
      select 'server', 'invitation', 1, '[]', ${sql.raw(nowMs[engine])} where ${hasAccount}
      on conflict (id) do nothing`,
    sql`update projects set
      anonymous_tokens = (select guests from auth_settings),
      anonymous_models = ${guestModels[engine]}
      where id = ${firstProject} and ${hasAccount}`,
    sql`insert into budgets (id, limits, updated_at)
      select projects.id, limits, updated_at from budgets, projects
      where budgets.id = 'guests' and projects.id = ${firstProject} and ${hasAccount}`,
    ...triggers[engine].map((statement) => sql.raw(statement)),
  ];
  for (const statement of statements) await statement.execute(db);
}

const firstProject = `proj_0${"0".repeat(24)}`;

/** The JSON list of the models that guests may use; null for all. */
const guestModels: Record<Engine, ReturnType<typeof sql>> = {
  sqlite: sql`(select json_extract(guest_rights, '$.models') from access_settings)`,
  postgres: sql`(select cast(guest_rights as json) ->> 'models' from access_settings)`,
};

/**
 * Those of visitors with an anonymous token, of projects that have their own rules for them. As the sum of all guests, theirs
 * is stored with the id of no project, so that no user of a backend can have the same name.
 */
export function ofAppVisitors(requests: string): string {
  return `select 'guests:' || requests.project_id as user_id, '' as project_id, sent_at,
    coalesce(input_tokens, 0) + coalesce(output_tokens, 0) as tokens,
    coalesce(cost_micros, 0) as cost
    from ${requests} as requests
    where exists (select 1 from users where users.id = requests.user_id
      and users.workspace_id = requests.workspace_id
      and users.kind = 'anonymous' and users.is_app_visitor = 1)
    and exists (select 1 from projects where projects.id = requests.project_id
      and projects.anonymous_tokens is not null)`;
}

const columns = [
  "user_id",
  "workspace_id",
  "project_id",
  "sent_at",
  "input_tokens",
  "output_tokens",
  "cost_micros",
];
const newRow = `(select ${columns.map((column) => `new.${column} as ${column}`).join(", ")})`;

const triggers: Record<Engine, string[]> = {
  sqlite: [
    `create trigger usage_of_app_visitors after insert on model_requests
     begin ${addSums("sqlite", ofAppVisitors(newRow))}; end`,
  ],
  postgres: [
    `create function usage_of_app_visitors() returns trigger language plpgsql as $$
     begin ${addSums("postgres", ofAppVisitors("new_rows"))}; return null; end $$`,
    `create trigger usage_of_app_visitors after insert on model_requests referencing new table as new_rows
     for each statement execute function usage_of_app_visitors()`,
  ],
};
