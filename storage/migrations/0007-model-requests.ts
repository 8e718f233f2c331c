import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Stores every request to a model: where it went, what it contained by size and hash, its tokens and its cost. */
export async function modelRequests(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, int, strict } = sqlTypes(engine);
  await sql`create table model_requests (
    id ${text} not null primary key,
    run_id ${text} references runs (id) on delete cascade,
    project_id ${text} not null references projects (id),
    workspace_id ${text} not null references workspaces (id) on delete cascade,
    user_id ${text} not null,
    -- The cost still counts after the thread is deleted.
    thread_id ${text} references threads (id) on delete set null,
    message_id ${text},
    assistant_id ${text},
    purpose ${text} not null,
    step ${int} not null,
    attempt ${int} not null,
    model ${text} not null,
    host ${text} not null,
    is_local ${int} not null,
    body_bytes ${bigint} not null,
    body_sha256 ${text},
    sent_at ${bigint} not null,
    first_token_at ${bigint},
    ended_at ${bigint},
    outcome ${text},
    error_code ${text},
    input_tokens ${bigint},
    output_tokens ${bigint},
    reasoning_tokens ${bigint},
    cached_tokens ${bigint},
    cache_write_tokens ${bigint},
    cost_micros ${bigint}
  ) ${strict}`.execute(db);
  await sql`create index model_requests_of_run on model_requests (run_id)`.execute(db);
  await sql`create index model_requests_of_thread on model_requests (thread_id)`.execute(db);
  await sql`create index model_requests_of_workspace on model_requests (workspace_id, sent_at)`.execute(db);
  await sql`create index model_requests_of_project on model_requests (project_id, sent_at)`.execute(db);
}
