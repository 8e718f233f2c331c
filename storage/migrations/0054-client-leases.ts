import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Adds the leases with which clients of the protocol write a message. */
export async function clientLeases(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, clustered } = sqlTypes(engine);
  const statements = [
    sql`create table client_leases (
      message_id ${text} not null primary key references messages (id) on delete cascade,
      id ${text} not null,
      thread_id ${text} not null references threads (id) on delete cascade,
      workspace_id ${text} not null,
      heartbeat_at ${bigint} not null,
      ended_at ${bigint},
      end_reason ${text},
      answer_heartbeat_at ${bigint}
    ) ${clustered}`,
    sql`create unique index client_leases_by_id on client_leases (id)`,
    sql`create index client_leases_by_thread on client_leases (thread_id)`,
    sql`create index client_leases_open on client_leases (workspace_id, heartbeat_at) where ended_at is null`,
  ];
  for (const statement of statements) await statement.execute(db);
}
