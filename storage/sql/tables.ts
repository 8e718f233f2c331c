import type { Insertable, Selectable, Updateable } from "kysely";

/**
 * The schema at a glance. Ids and texts are text that compares bytewise on both engines; times are milliseconds since
 * 1970 as integers; yes and no are 1 and 0; JSON is text, so that NUL and lone surrogates survive as escapes.
 */
export type Tables = {
  projects: {
    id: string;
    name: string;
    /** JSON list of origins that browsers may call from; an empty list allows every origin. */
    allowed_origins: string;
    created_at: number;
  };
  /** Owns threads. Unique by (project, realm, name); an external name never reaches an own workspace. */
  workspaces: {
    id: string;
    project_id: string;
    realm: "own" | "external";
    /** Own: the user's id. External: the name that an API key or a provider's token gave. */
    name: string;
    created_at: number;
  };
  /** People we know ourselves. Users named by API keys are not here. */
  users: {
    id: string;
    kind: "anonymous" | "member" | "admin";
    workspace_id: string;
    email: string | null;
    name: string | null;
    created_at: number;
    last_seen_at: number;
    disabled_at: number | null;
  };
  /** A sign-in: the refresh token of a client, or the cookie of our own web app. Only the token's hash is kept. */
  sessions: {
    id: string;
    token_hash: string;
    user_id: string;
    device: string | null;
    created_at: number;
    expires_at: number;
    revoked_at: number | null;
  };
  api_keys: {
    id: string;
    key_hash: string;
    /** The first characters, for telling keys apart. */
    prefix: string;
    project_id: string;
    name: string;
    created_by: string | null;
    created_at: number;
    last_used_at: number | null;
    expires_at: number | null;
    revoked_at: number | null;
  };
  threads: {
    id: string;
    project_id: string;
    workspace_id: string;
    external_id: string | null;
    title: string | null;
    title_source: "person" | "model" | "fallback" | null;
    last_message_at: number;
    /** JSON, or null. */
    metadata: string | null;
    archived: number;
    pinned: number;
    assistant_id: string | null;
    model: string | null;
    /** Hash of the request that made it, where the client minted the id. */
    request_hash: string | null;
    created_at: number;
    updated_at: number;
    deleted_at: number | null;
  };
  messages: {
    id: string;
    thread_id: string;
    external_id: string | null;
    parent_id: string | null;
    /** 0 for roots, else the parent's plus one. */
    height: number;
    role: "user" | "assistant" | "system";
    format: string;
    /** JSON, exactly as it was sent or folded. */
    content: string;
    /** The words, for titles and search. */
    plain_text: string;
    status: "running" | "complete" | "incomplete" | "requires-action";
    status_reason: string | null;
    error_code: string | null;
    /** The run that made it or is making it. */
    run_id: string | null;
    created_at: number;
    updated_at: number;
  };
  /** Which branch of a thread is shown to whom: the id of its last message. `user_id` may be an external name. */
  branch_heads: {
    thread_id: string;
    user_id: string;
    message_id: string;
    updated_at: number;
  };
  runs: {
    id: string;
    /** Own: ours, logged and stored. Wire: streamed to a protocol client. Reported: made elsewhere. */
    origin: "own" | "wire" | "reported";
    project_id: string;
    workspace_id: string;
    user_id: string;
    thread_id: string | null;
    /** The message that is answered. */
    message_id: string | null;
    reply_id: string | null;
    assistant_id: string | null;
    model: string | null;
    state: "queued" | "running" | "requires-action" | "completed" | "cancelled" | "failed" | "interrupted";
    finish_reason: string | null;
    error_code: string | null;
    /** Hash of the request that started it: the same id with another request is a conflict. */
    request_hash: string | null;
    /** Set by whoever asks it to stop, on any process; its owner is told by a ring. */
    stop_requested_at: number | null;
    lease_owner: string | null;
    lease_expires_at: number | null;
    input_tokens: number | null;
    output_tokens: number | null;
    reasoning_tokens: number | null;
    cached_tokens: number | null;
    /** Millionths of the operator's currency. */
    cost_micros: number | null;
    created_at: number;
    started_at: number | null;
    first_token_at: number | null;
    ended_at: number | null;
  };
  /** One row per topic (`run:<id>`, `workspace:<id>`): its newest number, and the newest that was pruned. */
  log_topics: {
    topic: string;
    last_seq: number;
    pruned_seq: number;
  };
  log_entries: {
    topic: string;
    seq: number;
    /** JSON. */
    body: string;
    created_at: number;
  };
};

export type Row<T extends keyof Tables> = Selectable<Tables[T]>;
export type NewRow<T extends keyof Tables> = Insertable<Tables[T]>;
export type RowChange<T extends keyof Tables> = Updateable<Tables[T]>;
