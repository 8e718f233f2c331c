import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { addSums, monthAgo } from "./0029-budgets.ts";

/**
 * Adds one sum for all guests, which a trigger adds new requests to. It stays when a guest signs in, whose requests then
 * belong to an account, and when the guest is deleted. No project has the id that it is stored with.
 */
export async function useOfGuests(db: Kysely<unknown>, engine: Engine): Promise<void> {
  // Before the sum, because a trigger locks the table until this transaction ends.
  for (const statement of triggers[engine]) await sql.raw(statement).execute(db);
  const recent = `(select * from model_requests where sent_at > ${monthAgo[engine]})`;
  await sql.raw(addSums(engine, ofGuests(recent))).execute(db);
}

/** Those of guests of this server, and not of users that an app names. */
export function ofGuests(requests: string): string {
  return `select 'guests' as user_id, '' as project_id, sent_at,
    coalesce(input_tokens, 0) + coalesce(output_tokens, 0) as tokens,
    coalesce(cost_micros, 0) as cost
    from ${requests} as requests
    where exists (select 1 from users where users.id = requests.user_id
      and users.workspace_id = requests.workspace_id and users.kind = 'anonymous')`;
}

const columns = ["user_id", "workspace_id", "sent_at", "input_tokens", "output_tokens", "cost_micros"];
const newRow = `(select ${columns.map((column) => `new.${column} as ${column}`).join(", ")})`;

const triggers: Record<Engine, string[]> = {
  sqlite: [
    `create trigger usage_of_guests after insert on model_requests
     begin ${addSums("sqlite", ofGuests(newRow))}; end`,
  ],
  postgres: [
    `create function usage_of_guests() returns trigger language plpgsql as $$
     begin ${addSums("postgres", ofGuests("new_rows"))}; return null; end $$`,
    `create trigger usage_of_guests after insert on model_requests referencing new table as new_rows
     for each statement execute function usage_of_guests()`,
  ],
};
