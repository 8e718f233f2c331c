import { wordIndexes } from "../database/full-text.ts";
import type { Tables } from "../database/tables.ts";

/** Whether a backup contains the rows of a table, or they are rebuilt from other tables, or are secret. */
const tables: Record<keyof Tables, "in backup" | "rebuilt" | "secret"> = {
  projects: "in backup",
  workspaces: "in backup",
  users: "in backup",
  passwords: "in backup",
  account_tokens: "in backup",
  invitations: "in backup",
  join_requests: "in backup",
  auth_settings: "in backup",
  sign_in_providers: "in backup",
  // As those of model providers. They are entered again after a restore.
  sign_in_provider_secrets: "secret",
  identities: "in backup",
  proxy_identities: "in backup",
  user_groups: "in backup",
  user_group_members: "in backup",
  access_settings: "in backup",
  budgets: "in backup",
  passkeys: "in backup",
  passkey_challenges: "in backup",
  mail_settings: "in backup",
  // As those of model providers. It is entered again after a restore.
  mail_secrets: "secret",
  second_factors: "in backup",
  // As those of model providers. Until people set up another one, their recovery codes work.
  second_factor_secrets: "secret",
  recovery_codes: "in backup",
  failed_attempts: "in backup",
  sign_in_flows: "in backup",
  audit_entries: "in backup",
  sessions: "in backup",
  personal_keys: "in backup",
  personal_instructions: "in backup",
  profiles: "in backup",
  prompts: "in backup",
  api_keys: "in backup",
  jwt_rules: "in backup",
  assistants: "in backup",
  model_providers: "in backup",
  model_settings: "in backup",
  // A backup contains the secret that they are encrypted with. The command adds them if it gets a passphrase.
  model_provider_keys: "secret",
  labels: "in backup",
  threads: "in backup",
  thread_tags: "in backup",
  thread_members: "in backup",
  messages: "in backup",
  client_leases: "in backup",
  reply_steps: "in backup",
  summaries: "in backup",
  suggestions: "in backup",
  branch_heads: "in backup",
  thread_panels: "in backup",
  shares: "in backup",
  rendered_messages: "rebuilt",
  queued_messages: "in backup",
  runs: "in backup",
  model_requests: "in backup",
  // Triggers rebuild them while the requests are restored.
  usage_sums: "rebuilt",
  // Requests in progress, which a restore does not continue.
  budget_reservations: "rebuilt",
  comparisons: "in backup",
  request_contents: "in backup",
  run_reports: "in backup",
  traces: "in backup",
  run_spans: "in backup",
  scores: "in backup",
  events: "in backup",
  list_bookmarks: "in backup",
  gone_messages: "in backup",
  files: "in backup",
  blobs: "in backup",
  file_claims: "in backup",
  file_texts: "rebuilt",
  unread_files: "rebuilt",
  blob_removals: "in backup",
  search_documents: "rebuilt",
  search_file_documents: "rebuilt",
  search_pending: "rebuilt",
  log_topics: "in backup",
  log_entries: "in backup",
};

/** The tables in a backup. */
export const backupTables = tablesWith("in backup");
/** The other tables. The word indexes are ordinary tables only on PostgreSQL. */
export const rebuiltTables = [...tablesWith("rebuilt"), ...wordIndexes];

/** The tables with keys that no backup contains. */
export const secretTables = tablesWith("secret");

function tablesWith(source: "in backup" | "rebuilt" | "secret"): string[] {
  return Object.entries(tables)
    .filter(([, each]) => each === source)
    .map(([name]) => name);
}
