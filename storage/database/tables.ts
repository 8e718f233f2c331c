import type { Generated, Insertable, Selectable, Updateable } from "kysely";

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
    /** The user who made it. Null: nobody did, it is the setting PARLANCE_API_KEY. */
    created_by: string | null;
    created_at: number;
    last_used_at: number | null;
    expires_at: number | null;
    revoked_at: number | null;
  };
  /** By which tokens of an operator's own sign-in provider are taken. Unique by (issuer, audience). */
  jwt_rules: {
    id: string;
    project_id: string;
    issuer: string;
    /** Empty: any. */
    audience: string;
    jwks_url: string;
    /** The claim that names the workspace; null: `sub`. */
    workspace_claim: string | null;
    /** JSON list. */
    algorithms: string;
    created_at: number;
  };
  /** Who answers. Nobody deletes a row: threads and answers name it. */
  assistants: {
    project_id: string;
    /** `default` for the one that is there from the start: it has a row once somebody changed it. */
    id: string;
    name: string;
    /** JSON object: a letter or an emoji, and a colour. */
    avatar: string;
    /** JSON text, exactly as it was written; empty: our own. */
    instructions: string;
    /** Null: the server's own choice. */
    model: string | null;
    /** JSON list of names; null: all there are. */
    tools: string | null;
    /** JSON list. */
    starters: string;
    /** JSON object. */
    parameters: string;
    /** Lower ones are shown first. */
    position: number;
    /** Hash of the request that made it, where the client minted the id. */
    request_hash: string | null;
    created_at: number;
    updated_at: number;
    deleted_at: number | null;
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
    /** JSON list of the names of tools that are used here without asking; null for none. */
    allowed_tools: string | null;
    /** Hash of the request that made it, where the client minted the id. */
    request_hash: string | null;
    /** Whose request made it; null in rows that are older than this column. */
    created_by: string | null;
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
    /** JSON: who made an answer that came from elsewhere. Null where its run tells it, or nobody does. */
    made_by: string | null;
    /** Whose request made it; null in rows that are older than this column. */
    created_by: string | null;
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
  /** What waits for its turn in a thread: messages to be. */
  queued_messages: {
    /** The id that the message will have. */
    id: string;
    thread_id: string;
    /** The reply after which it is to be said. */
    parent_id: string;
    /** Lower ones are said first; numbered per thread. */
    position: number;
    /** JSON, exactly as it was sent. */
    content: string;
    assistant_id: Generated<string>;
    model: string;
    run_id: string;
    reply_id: string;
    /** Hash of the request that put it here: its run will have it. */
    request_hash: string;
    /** Its run will have it. */
    time_zone: string | null;
    created_by: string;
    created_at: number;
    updated_at: number;
    /** Taken out by a person: kept for a day, without its words, so that a late repeat does not put it back. */
    removed_at: number | null;
  };
  runs: {
    id: string;
    /** Own: ours, logged and stored. Wire: streamed to a protocol client. Reported: made elsewhere. */
    origin: "own" | "wire" | "reported";
    project_id: string;
    workspace_id: string;
    user_id: string;
    thread_id: string | null;
    /** The message that is answered; it may be deleted since. */
    message_id: string | null;
    reply_id: string | null;
    assistant_id: string | null;
    model: string | null;
    state: "queued" | "running" | "requires-action" | "completed" | "cancelled" | "failed" | "interrupted";
    finish_reason: string | null;
    error_code: string | null;
    /** JSON list of what was otherwise than chosen, or null where nothing was. */
    notes: string | null;
    /** Hash of the request that started it: the same id with another request is a conflict. */
    request_hash: string | null;
    /** Where the person said they are, perhaps in a zone that nobody knows; null where they did not say. */
    time_zone: string | null;
    /** Set by whoever asks it to stop, on any process; its owner is notified. */
    stop_requested_at: number | null;
    /** How often its question was asked anew because a process had died without a word. */
    asked_again: Generated<number>;
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
  /** What only reports of runs made elsewhere say; one for each run of the origin `reported`. */
  run_reports: {
    run_id: string;
    /** The thread it was reported of, also when that is gone; null where none was named. */
    thread_id: string | null;
    /** The same again in the same thread is the same run. */
    trace_id: string | null;
    status: "completed" | "incomplete" | "error";
    outcome_type: string | null;
    error_code: string | null;
    provider: string | null;
    environment: string | null;
    release: string | null;
    /** JSON list of texts. */
    tags: string;
    /** JSON object: what the application wants to be kept with the run. */
    attributes: string;
    /** JSON object: the report's other fields, as they came. */
    details: string;
    service_name: string | null;
    agent_name: string | null;
    /** 0 while only spans told of the run. */
    reported: number;
  };
  /** The traces that were told of, by a report or by spans. */
  traces: {
    project_id: string;
    trace_id: string;
    /** The run that its spans are of; null while there are none. */
    run_id: string | null;
  };
  /** What an application's telemetry told of a run, step by step. Times are milliseconds since 1970, with fractions. */
  run_spans: {
    run_id: string;
    span_id: string;
    parent_span_id: string | null;
    name: string;
    operation: string | null;
    provider: string | null;
    model: string | null;
    tool_name: string | null;
    tool_call_id: string | null;
    error_type: string | null;
    failed: number;
    finish_reason: string | null;
    started_ms: number;
    ended_ms: number;
    /** From the start of the span. */
    first_token_ms: number | null;
    input_tokens: number | null;
    output_tokens: number | null;
    reasoning_tokens: number | null;
    cached_tokens: number | null;
    input: string | null;
    output: string | null;
    /** JSON object. */
    attributes: string;
  };
  /** Judgements of threads, messages and runs, one for each target, name and author. */
  scores: {
    id: string;
    project_id: string;
    workspace_id: string;
    author_id: string;
    source: "end_user" | "api";
    name: string;
    data_type: "numeric" | "categorical" | "boolean";
    /** 1 and 0 for yes and no. */
    value: number | null;
    string_value: string | null;
    comment: string | null;
    /** `thread:<id>`, `message:<id>` or `run:<id>`: what tells targets apart. */
    target: string;
    /** Of a message's score both this and the next; what they name may be gone. */
    thread_id: string | null;
    message_id: string | null;
    run_id: string | null;
    created_at: number;
    updated_at: number;
  };
  /** What people did with a chat, as protocol clients tell it. */
  events: {
    id: string;
    project_id: string;
    workspace_id: string;
    user_id: string;
    kind: string;
    thread_id: string | null;
    message_id: string | null;
    run_id: string | null;
    value: number | null;
    /** JSON object, or null. */
    props: string | null;
    created_at: number;
  };
  /** Where a page of a list ended when it was served: its last row may have moved since. */
  list_bookmarks: {
    /** Hash of whose list it is and how it was filtered. */
    list: string;
    id: string;
    position: number;
    served_at: number;
  };
  /** The places of deleted messages, for walks over a thread that stand at one of them. */
  gone_messages: {
    thread_id: string;
    id: string;
    height: number;
    created_at: number;
    gone_at: number;
  };
  /** What can be found: a message (a long one in several pieces) or, where `message_id` is null, a thread's title. */
  search_documents: {
    /** Rises with the time of what it stands for. Its words are kept beside it by `full-text.ts`. */
    number: number;
    workspace_id: string;
    thread_id: string;
    message_id: string | null;
    /** Where it begins in its message, in characters as SQL counts them. */
    start: Generated<number>;
  };
  /** The same of attached files, in pieces: their names, and the text that was read of them. */
  search_file_documents: {
    /** No document of the other table has it. Of a file they follow each other, the highest that of its beginning. */
    number: number;
    /** The lowest of the file. */
    last_number: number;
    workspace_id: string;
    file_id: string;
    /** Where the piece begins in the text, and how long it is, in characters as SQL counts them. */
    start: number;
    characters: number;
    /** On which page it begins, counted from 1; null for what has no pages. */
    page: number | null;
    /** Which indexing of the file made it: of several at once the last is the one that counts. */
    made_in: string;
  };
  /** What is new or changed and not yet in the index; written by triggers. */
  search_pending: {
    kind: "message" | "title" | "file";
    /** Of the message, the thread or the file, which may be gone. */
    id: string;
  };
  /** What somebody attached or is about to: promised until its bytes are there. */
  files: {
    id: string;
    project_id: string;
    workspace_id: string;
    created_by: string;
    /** A label, never a path. */
    name: string;
    /** What makes its address one that nobody guesses: 130 bits. */
    secret: string;
    declared_type: string | null;
    declared_bytes: number | null;
    /** What the bytes show. Null, like the next two and `stored_at`, until they are there. */
    type: string | null;
    size_bytes: number | null;
    blob_key: string | null;
    created_at: number;
    stored_at: number | null;
    /** When a message last began to speak of it. */
    claimed_at: number | null;
    /** When a message stopped speaking of it that is still there. */
    released_at: number | null;
  };
  /** Bytes in the store. The same bytes of one workspace are there once, however many files have them. */
  blobs: {
    key: string;
    workspace_id: string;
    /** In hexadecimal. */
    sha256: string;
    size_bytes: number;
    /** The small picture made of it; empty where none can be made, null where nobody tried. */
    thumbnail_key: string | null;
    created_at: number;
  };
  /** Which messages, and messages to be, speak of which files. */
  file_claims: {
    file_id: string;
    message_id: string;
    thread_id: string;
  };
  /** The text that the bytes of a blob hold, kept when it was first read. */
  file_texts: {
    blob_key: string;
    /** By which reader it was read; what an older one read is read again. */
    reader: number;
    /** Why there is none; null where it was read. */
    reason: string | null;
    /** Pages stand between form feeds. */
    text: string;
    /** 1: there is more in the file. */
    is_cut: number;
    pages: number | null;
    created_at: number;
  };
  /** Attached files whose text is still to be read; written by triggers. */
  unread_files: {
    file_id: string;
    /** Not before. Whoever takes one puts this off, so that no other does. */
    due_at: number;
    tries: number;
  };
  /**
   * Keys of the store that are to be cleared away then, unless a blob has one by that time. A key is noted here before
   * anything is written under it, so that whatever dies leaves nothing behind.
   */
  blob_removals: {
    key: string;
    due_at: number;
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
