import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { addSums } from "./0029-budgets.ts";
import { ofGuests } from "./0043-use-of-guests.ts";
import { ofAppVisitors } from "./0049-anonymous-tokens.ts";
import { sqlTypes } from "./sql-types.ts";

/**
 * Adds what runs and other requests reserve of budgets, and whether the tokens of a request are an estimate. The sum of all
 * guests, and those of the visitors of apps, also get what is stored when a request ends: before, they had only requests that
 * ended within one commit.
 */
export async function reservationsAndEstimates(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, int, strict } = sqlTypes(engine);
  const statements = [
    sql`alter table model_requests add column is_estimated ${int} default 0 not null`,
    sql`alter table runs add column reserved_tokens ${bigint}`,
    sql`alter table runs add column reserved_micros ${bigint}`,
    sql`create index runs_with_reservation on runs (user_id) where ended_at is null and reserved_tokens is not null`,
    sql`create table budget_reservations (
      id ${text} not null primary key,
      project_id ${text} not null,
      workspace_id ${text} not null,
      user_id ${text} not null,
      tokens ${bigint} not null,
      cost_micros ${bigint} not null,
      lease_owner ${text} not null,
      lease_expires_at ${bigint} not null
    ) ${strict}`,
    sql`create index budget_reservations_of_users on budget_reservations (user_id)`,
    ...triggers[engine].map((statement) => sql.raw(statement)),
  ];
  for (const statement of statements) await statement.execute(db);
}

const counts = ["input_tokens", "output_tokens", "cost_micros"];

/** The changed requests of guests, with what the change adds. */
function addedBy(now: string, before: string): string {
  const added = counts.map(
    (column) => `coalesce(${now}.${column}, 0) - coalesce(${before}.${column}, 0) as ${column}`,
  );
  const kept = ["user_id", "workspace_id", "project_id", "sent_at"].map(
    (column) => `${now}.${column} as ${column}`,
  );
  return `select ${[...kept, ...added].join(", ")}`;
}

/** Adds these requests to the sum of all guests, and to those of the visitors of apps. */
function addToSums(engine: Engine, requests: string): string {
  return `${addSums(engine, ofGuests(requests))}; ${addSums(engine, ofAppVisitors(requests))};`;
}

const triggers: Record<Engine, string[]> = {
  sqlite: [
    `create trigger usage_of_guests_later after update of ${counts.join(", ")} on model_requests
     begin ${addToSums("sqlite", `(${addedBy("new", "old")})`)} end`,
  ],
  postgres: [
    `create function usage_of_guests_later() returns trigger language plpgsql as $$
     begin ${addToSums(
       "postgres",
       `(${addedBy("now", "before")} from new_rows as now join old_rows as before on before.id = now.id)`,
     )} return null; end $$`,
    `create trigger usage_of_guests_later after update on model_requests
     referencing new table as new_rows old table as old_rows
     for each statement execute function usage_of_guests_later()`,
  ],
};
