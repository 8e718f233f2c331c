import { sql, type Kysely, type SqlBool } from "kysely";
import type { Engine } from "../database.ts";
import { columnTypes, createTable, newTable, required } from "./columns.ts";

/** Runs that are told by their traces: the spans, which run a trace is, and reports that name no thread. */
export async function traces(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, int, real } = columnTypes(engine);

  if (engine === "postgres") {
    await sql`alter table run_reports alter column thread_id drop not null`.execute(db);
    await db.schema.alterTable("run_reports").addColumn("service_name", text).execute();
    await db.schema.alterTable("run_reports").addColumn("agent_name", text).execute();
    await db.schema
      .alterTable("run_reports")
      .addColumn("reported", int, (c) => c.notNull().defaultTo(1))
      .execute();
  } else {
    // SQLite cannot take a column's `not null` away: the table is made anew.
    await createTable(
      engine,
      newTable(db, "run_reports_anew")
        .addColumn("run_id", text, (c) => c.notNull().primaryKey().references("runs.id").onDelete("cascade"))
        .addColumn("thread_id", text)
        .addColumn("trace_id", text)
        .addColumn("status", text, required)
        .addColumn("outcome_type", text)
        .addColumn("error_code", text)
        .addColumn("provider", text)
        .addColumn("environment", text)
        .addColumn("release", text)
        .addColumn("tags", text, required)
        .addColumn("attributes", text, required)
        .addColumn("details", text, required)
        .addColumn("service_name", text)
        .addColumn("agent_name", text)
        .addColumn("reported", int, (c) => c.notNull().defaultTo(1)),
    );
    await sql`insert into run_reports_anew select *, null, null, 1 from run_reports`.execute(db);
    await db.schema.dropTable("run_reports").execute();
    await db.schema.alterTable("run_reports_anew").renameTo("run_reports").execute();
    await db.schema
      .createIndex("run_reports_once")
      .unique()
      .on("run_reports")
      .columns(["thread_id", "trace_id"])
      .where(sql<SqlBool>`trace_id is not null`)
      .execute();
  }
  await db.schema.createIndex("run_reports_by_trace").on("run_reports").column("trace_id").execute();

  await createTable(
    engine,
    newTable(db, "traces")
      .addColumn("project_id", text, (c) => c.notNull().references("projects.id"))
      .addColumn("trace_id", text, required)
      .addColumn("run_id", text, (c) => c.references("runs.id").onDelete("cascade"))
      .addPrimaryKeyConstraint("traces_key", ["project_id", "trace_id"]),
  );
  await db.schema.createIndex("traces_by_run").on("traces").column("run_id").execute();

  await createTable(
    engine,
    newTable(db, "run_spans")
      .addColumn("run_id", text, (c) => c.notNull().references("runs.id").onDelete("cascade"))
      .addColumn("span_id", text, required)
      .addColumn("parent_span_id", text)
      .addColumn("name", text, required)
      .addColumn("operation", text)
      .addColumn("provider", text)
      .addColumn("model", text)
      .addColumn("tool_name", text)
      .addColumn("tool_call_id", text)
      .addColumn("error_type", text)
      .addColumn("failed", int, required)
      .addColumn("finish_reason", text)
      .addColumn("started_ms", real, required)
      .addColumn("ended_ms", real, required)
      .addColumn("first_token_ms", real)
      .addColumn("input_tokens", bigint)
      .addColumn("output_tokens", bigint)
      .addColumn("reasoning_tokens", bigint)
      .addColumn("cached_tokens", bigint)
      .addColumn("input", text)
      .addColumn("output", text)
      .addColumn("attributes", text, required)
      .addPrimaryKeyConstraint("run_spans_key", ["run_id", "span_id"]),
  );
}
