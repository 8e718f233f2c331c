import type { Engine } from "../../lib/engine.ts";

const counts = ["input_tokens", "output_tokens", "cost_micros"];
const others = ["user_id", "workspace_id", "app_id", "sent_at"];

/**
 * Keep the sums, so that a budget is checked in the same time whatever the number of requests. Besides those of each user
 * there is one sum of all guests, and one of the visitors of each app. It stays when a guest signs in, whose requests then
 * belong to an account, and when the guest is deleted.
 */
export const usageTriggers: Record<Engine, string[]> = {
  sqlite: [
    `create trigger usage_of_new_request after insert on model_requests
     begin ${addNew("sqlite", rowOf("new"))} end`,
    `create trigger usage_of_changed_request
     after update of user_id, app_id, input_tokens, output_tokens, cost_micros on model_requests
     begin ${addChanged("sqlite", { now: rowOf("new"), before: rowOf("old"), both: `(${difference("new", "old")})` })} end`,
  ],
  postgres: [
    `create function usage_of_new_requests() returns trigger language plpgsql as $$
     begin ${addNew("postgres", "new_rows")} return null; end $$`,
    `create trigger usage_of_new_requests after insert on model_requests referencing new table as new_rows
     for each statement execute function usage_of_new_requests()`,
    `create function usage_of_changed_requests() returns trigger language plpgsql as $$
     begin ${addChanged("postgres", {
       now: "new_rows",
       before: "old_rows",
       both: `(${difference("now", "before")} from new_rows as now join old_rows as before on before.id = now.id)`,
     })} return null; end $$`,
    `create trigger usage_of_changed_requests after update on model_requests
     referencing new table as new_rows old table as old_rows
     for each statement execute function usage_of_changed_requests()`,
  ],
};

function addNew(engine: Engine, requests: string): string {
  return [ofUsers(requests, "+"), ofGuests(requests), ofAppVisitors(requests)]
    .map((changes) => addSums(engine, changes))
    .join("");
}

function addChanged(engine: Engine, requests: { now: string; before: string; both: string }): string {
  const { now, before, both } = requests;
  return [`${ofUsers(now, "+")} union all ${ofUsers(before, "-")}`, ofGuests(both), ofAppVisitors(both)]
    .map((changes) => addSums(engine, changes))
    .join("");
}

/** The row of a trigger on SQLite. */
function rowOf(row: "new" | "old"): string {
  return `(select ${[...others, ...counts].map((column) => `${row}.${column} as ${column}`).join(", ")})`;
}

/** The changed requests, with what the change adds. */
function difference(now: string, before: string): string {
  const added = counts.map(
    (column) => `coalesce(${now}.${column}, 0) - coalesce(${before}.${column}, 0) as ${column}`,
  );
  return `select ${[...others.map((column) => `${now}.${column} as ${column}`), ...added].join(", ")}`;
}

function ofUsers(requests: string, sign: "+" | "-"): string {
  return `select user_id, app_id, sent_at, ${used(sign)} from ${requests} as requests`;
}

/** Those of guests of this server, and not of users that an app names. No app has the id that they are stored with. */
function ofGuests(requests: string): string {
  return `select 'guests' as user_id, '' as app_id, sent_at, ${used("+")} from ${requests} as requests
    where exists (select 1 from users where users.id = requests.user_id
      and users.workspace_id = requests.workspace_id and users.kind = 'anonymous')`;
}

/**
 * Those of visitors with an anonymous token, of apps that have their own rules for them. As the sum of all guests, theirs
 * is stored with the id of no app, so that no user of a backend can have the same name.
 */
function ofAppVisitors(requests: string): string {
  return `select 'guests:' || requests.app_id as user_id, '' as app_id, sent_at, ${used("+")}
    from ${requests} as requests
    where exists (select 1 from users where users.id = requests.user_id
      and users.workspace_id = requests.workspace_id
      and users.kind = 'anonymous' and users.is_app_visitor = 1)
    and exists (select 1 from apps where apps.id = requests.app_id
      and apps.anonymous_tokens is not null)`;
}

function used(sign: "+" | "-"): string {
  return `${sign}(coalesce(input_tokens, 0) + coalesce(output_tokens, 0)) as tokens, ${sign}coalesce(cost_micros, 0) as cost`;
}

/** Adds `changes` to the sums of their days and months in UTC. */
function addSums(engine: Engine, changes: string): string {
  const print = (format: Record<Engine, string>) =>
    engine === "sqlite"
      ? `strftime('${format.sqlite}', sent_at / 1000, 'unixepoch')`
      : `to_char(to_timestamp(sent_at / 1000) at time zone 'UTC', '${format.postgres}')`;
  const day = print({ sqlite: "%Y-%m-%d", postgres: "YYYY-MM-DD" });
  const month = print({ sqlite: "%Y-%m", postgres: "YYYY-MM" });
  // In one order, so that two transactions that change the same rows do not deadlock.
  return `insert into usage_sums (user_id, period, app_id, tokens, cost_micros)
    select user_id, period, app_id, cast(sum(tokens) as bigint), cast(sum(cost) as bigint) from (
      select user_id, app_id, tokens, cost, ${day} as period from (${changes}) as of_days
      union all
      select user_id, app_id, tokens, cost, ${month} as period from (${changes}) as of_months
    ) as changes
    where tokens <> 0 or cost <> 0
    group by user_id, period, app_id
    having sum(tokens) <> 0 or sum(cost) <> 0
    order by user_id, period, app_id
    on conflict (user_id, period, app_id) do update set
      tokens = usage_sums.tokens + excluded.tokens,
      cost_micros = usage_sums.cost_micros + excluded.cost_micros;`;
}
