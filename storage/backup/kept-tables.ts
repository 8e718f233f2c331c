import { wordIndexes } from "../database/full-text.ts";
import type { Tables } from "../database/tables.ts";

/** Whether a backup contains the rows of a table, or they are rebuilt from other tables. */
const tables: Record<keyof Tables, "kept" | "rebuilt"> = {
  projects: "kept",
  workspaces: "kept",
  users: "kept",
  sessions: "kept",
  api_keys: "kept",
  jwt_rules: "kept",
  assistants: "kept",
  threads: "kept",
  messages: "kept",
  branch_heads: "kept",
  queued_messages: "kept",
  runs: "kept",
  run_reports: "kept",
  traces: "kept",
  run_spans: "kept",
  scores: "kept",
  events: "kept",
  list_bookmarks: "kept",
  gone_messages: "kept",
  files: "kept",
  blobs: "kept",
  file_claims: "kept",
  file_texts: "rebuilt",
  unread_files: "rebuilt",
  blob_removals: "kept",
  search_documents: "rebuilt",
  search_file_documents: "rebuilt",
  search_pending: "rebuilt",
  log_topics: "kept",
  log_entries: "kept",
};

/** The tables in a backup. */
export const keptTables = tablesThatAre("kept");
/** The other tables. The word indexes are ordinary tables only on PostgreSQL. */
export const tablesMadeAnew = [...tablesThatAre("rebuilt"), ...wordIndexes];

function tablesThatAre(how: "kept" | "rebuilt"): string[] {
  return Object.entries(tables)
    .filter(([, is]) => is === how)
    .map(([name]) => name);
}
