import type { Tables } from "../database/tables.ts";
import { isUnsentTemporarySql } from "../database/temporary-files.ts";

const threads = "(select id from threads where temporary_until is not null)";
const messages = `(select id from messages where thread_id in ${threads})`;
const runs = `(select id from runs where thread_id in ${threads})`;
const scores = `(select id from scores where thread_id in ${threads} or run_id in ${runs})`;
const topics = `(select 'run:' || id from runs where thread_id in ${threads})`;
const lastingClaims = `(select file_id from file_claims where thread_id not in ${threads})`;
const unsent = `select id from files where ${isUnsentTemporarySql}`;
const files = `(select file_id from file_claims where thread_id in ${threads} and file_id not in ${lastingClaims}
  union ${unsent})`;
const blobs = `(select blob_key from files where id in ${files} and blob_key is not null
  and blob_key not in (select blob_key from files where blob_key is not null and id not in ${files}))`;

/** The tables whose rows can be of one thread. */
type ThreadTable = {
  [Name in keyof Tables]: Extract<keyof Tables[Name], ThreadColumn> extends never ? never : Name;
}[keyof Tables];
type ThreadColumn = "thread_id" | "message_id" | "run_id" | "topic";

/** For each table, the column with what of temporary threads a backup leaves out. */
const leftOut: LeftOut<ThreadTable> & Partial<LeftOut<keyof Tables>> = {
  threads: ["id", threads],
  thread_tags: ["thread_id", threads],
  thread_members: ["thread_id", threads],
  messages: ["thread_id", threads],
  client_leases: ["thread_id", threads],
  reply_steps: ["message_id", messages],
  summaries: ["thread_id", threads],
  suggestions: ["message_id", messages],
  branch_heads: ["thread_id", threads],
  thread_panels: ["thread_id", threads],
  shares: ["thread_id", threads],
  queued_messages: ["thread_id", threads],
  runs: ["thread_id", threads],
  model_requests: ["thread_id", threads],
  comparisons: ["thread_id", threads],
  request_contents: ["thread_id", threads],
  run_steps: ["thread_id", threads],
  tool_calls: ["thread_id", threads],
  run_reports: ["run_id", runs],
  traces: ["run_id", runs],
  run_spans: ["run_id", runs],
  scores: ["id", scores],
  events: ["thread_id", threads],
  gone_messages: ["thread_id", threads],
  files: ["id", files],
  blobs: ["key", blobs],
  file_claims: ["thread_id", threads],
  log_topics: ["topic", topics],
  log_entries: ["topic", topics],
  // No backup contains these.
  jobs: undefined,
  webhook_deliveries: undefined,
  rendered_messages: undefined,
  search_documents: undefined,
};

type LeftOut<Name extends keyof Tables> = {
  [N in Name]: [column: keyof Tables[N] & string, values: string] | undefined;
};

/** The end of a query of a table's rows that leaves out temporary threads. */
export function withoutTemporary(table: string): string {
  const [column, values] = leftOut[table as keyof Tables] ?? [];
  return column === undefined ? "" : ` where ${column} is null or ${column} not in ${values}`;
}
