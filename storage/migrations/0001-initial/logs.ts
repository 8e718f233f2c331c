import { sql, type RawBuilder } from "kysely";
import type { Engine } from "../../lib/engine.ts";
import { sqlTypes } from "../sql-types.ts";

/** The numbered logs that `storage/log/` writes. */
export function logs(engine: Engine): RawBuilder<unknown>[] {
  const { text, bigint, clustered } = sqlTypes(engine);
  // Counters change often. With half of each page free, PostgreSQL updates them without a new index entry.
  const halfFull = engine === "postgres" ? sql`with (fillfactor = 50)` : sql``;
  return [
    sql`create table log_topics (
      topic ${text} not null primary key,
      last_seq ${bigint} not null,
      pruned_seq ${bigint} not null
    ) ${clustered} ${halfFull}`,

    sql`create table log_entries (
      topic ${text} not null,
      seq ${bigint} not null,
      body ${text} not null,
      created_at ${bigint} not null,
      constraint log_entries_key primary key (topic, seq)
    ) ${clustered}`,
  ];
}
