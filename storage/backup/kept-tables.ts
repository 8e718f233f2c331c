import { wordIndexes } from "../database/full-text.ts";
import type { Tables } from "../database/tables.ts";

/** Of each table, whether a backup keeps its rows, or they are made anew from those of the others. */
const tables: Record<keyof Tables, "kept" | "made anew"> = {
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
  file_texts: "made anew",
  unread_files: "made anew",
  blob_removals: "kept",
  search_documents: "made anew",
  search_file_documents: "made anew",
  search_pending: "made anew",
  log_topics: "kept",
  log_entries: "kept",
};

/** The tables whose rows a backup keeps. */
export const keptTables = named("kept");
/** The others; the indexes of words are tables of PostgreSQL's alone. */
export const tablesMadeAnew = [...named("made anew"), ...wordIndexes];

function named(how: "kept" | "made anew"): string[] {
  return Object.entries(tables)
    .filter(([, is]) => is === how)
    .map(([name]) => name);
}
