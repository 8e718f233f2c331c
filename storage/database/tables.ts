import type { Generated, Insertable, Selectable, Updateable } from "kysely";

/**
 * The rows of every table. Ids and texts are text that compares bytewise on both engines; times are milliseconds since
 * 1970 as integers; booleans are 1 and 0; JSON is text, so that NUL and lone surrogates survive as escapes.
 */
export type Tables = {
  projects: {
    id: string;
    name: string;
    /** JSON list of the origins that browsers may call from. */
    allowed_origins: string;
    /** 1 if it issues anonymous tokens. Null: nobody has decided, so its visitors count as guests of the web app. */
    anonymous_tokens: Generated<number | null>;
    /** JSON list of the models that they may be used with; null for all. */
    anonymous_models: Generated<string | null>;
    created_at: number;
  };
  /** Owns threads. Unique by (project, realm, name), so an external name never matches an own workspace. */
  workspaces: {
    id: string;
    project_id: string;
    realm: "own" | "external";
    /** In the own realm: the user's id. External: the name that an API key or a provider's token gave. */
    name: string;
    created_at: number;
  };
  /** People who sign in to this server. Users that API keys name have no row. */
  users: {
    id: string;
    kind: "anonymous" | "member" | "admin";
    workspace_id: string;
    email: string | null;
    name: string | null;
    created_at: number;
    last_seen_at: number;
    disabled_at: number | null;
    /** 1 for owners. Administrators cannot change them. An owner's kind is `admin`. */
    is_owner: Generated<number>;
    /** The form of the e-mail address that is compared. Unique. Null without an account. */
    email_key: string | null;
    email_verified_at: number | null;
    /** When the account was created or approved. Null for guests, and for an owner without an account. */
    joined_at: number | null;
    /** The account that a guest signed in to. The account has the guest's threads and files since then. */
    merged_into: string | null;
    /** When the account will be deleted. If the person asked for it, a sign-in before then resets it to null. */
    deletion_due_at: number | null;
    /** The administrator who deleted the account. Until it is due, the person can only export what is in it. */
    deletion_by: string | null;
    /** 1 for visitors with an anonymous token of the project of their workspace. Other guests are in the web app. */
    is_app_visitor: Generated<number>;
  };
  /** The passwords of accounts, as argon2id hashes. */
  passwords: {
    user_id: string;
    hash: string;
    changed_at: number;
  };
  /** Links that work once, such as those to set a new password. Only the token's hash is stored. */
  account_tokens: {
    token_hash: string;
    purpose: "reset" | "confirm";
    user_id: string;
    created_at: number;
    expires_at: number;
    used_at: number | null;
  };
  /** Links with which people create an account. Each works once. */
  invitations: {
    id: string;
    token_hash: string;
    role: "admin" | "member";
    /** The name of the invited person, as the inviter wrote it. */
    note: string | null;
    created_by: string | null;
    created_at: number;
    expires_at: number;
    used_at: number | null;
    used_by: string | null;
    revoked_at: number | null;
  };
  /** Guests who asked for an account. Their name, e-mail address and password are stored already. */
  join_requests: {
    user_id: string;
    created_at: number;
  };
  /** One row, once an administrator has changed the settings. */
  auth_settings: {
    id: "server";
    joining: "invitation" | "approval" | "open";
    /** 1 if people can chat without an account. */
    guests: number;
    /** JSON list of domains whose people can get an account. */
    email_domains: string;
    /** Who must have a second factor. */
    second_factor: Generated<"optional" | "admins" | "everyone">;
    /** How many days entries of the audit log are kept, or 0 for ever. Null: as the operator's setting says. */
    keep_audit_days: Generated<number | null>;
    updated_at: number;
  };
  /** OpenID providers, and GitHub, with which people sign in. */
  sign_in_providers: {
    id: string;
    kind: "oidc" | "github" | "ldap";
    name: string;
    /** The issuer's URL, without a slash at its end unless the issuer has one. */
    issuer: string;
    client_id: string;
    /** JSON list of the domains that addresses must have; an empty list allows all. */
    email_domains: string;
    /** 1 if every address of the provider counts as verified. */
    trusts_email: number;
    /** 1 if everyone with an account at the provider gets one here. */
    admits_everyone: number;
    /** 1 if the issuer may only be on the public internet, because the owner did not enter it. */
    public_only: Generated<number>;
    /** The claim that names a person's groups; null if groups do not depend on this provider. */
    groups_claim: Generated<string | null>;
    /** JSON: where and how an LDAP directory is searched; null for other kinds. */
    directory: Generated<string | null>;
    created_at: number;
    updated_at: number;
  };
  /** The client secrets of those providers, encrypted. Backups leave them out. */
  sign_in_provider_secrets: {
    provider_id: string;
    ciphertext: string;
    key_id: string;
  };
  /** Who an account is at a provider. */
  identities: {
    provider_id: string;
    /** The provider's id of the person, which never changes, unlike the address. */
    subject: string;
    user_id: string;
    email: string | null;
    created_at: number;
    last_used_at: number;
  };
  /** Sign-ins at a provider that have begun. Each is used once, within minutes. */
  sign_in_flows: {
    flow_hash: string;
    provider_id: string;
    /** The account that the identity is to be added to; null when somebody signs in. */
    user_id: string | null;
    invitation_hash: string | null;
    expires_at: number;
  };
  /** The audit log. Triggers refuse changes. */
  audit_entries: {
    id: string;
    at: number;
    action: string;
    /** A user's id, or `operator` for commands on the server's machine. */
    actor: string;
    target: string | null;
    address: string | null;
    /** JSON object. */
    details: string | null;
  };
  /** A sign-in: the refresh token of a client, or the cookie of the web app. Only the token's hash is stored. */
  sessions: {
    id: string;
    token_hash: string;
    user_id: string;
    device: string | null;
    /** The network address that it was opened from, or its network. */
    address: string | null;
    /** How its user signed in; null for guests. */
    method: "owner-link" | "password" | "reset-link" | "provider" | "passkey" | "proxy" | "directory" | null;
    created_at: number;
    expires_at: number;
    revoked_at: number | null;
    /** When its user last entered the password to confirm who they are. */
    confirmed_at: number | null;
  };
  /** The passkeys of accounts. */
  passkeys: {
    id: string;
    /** The authenticator's id of the passkey, in base64url, as is the public key. */
    credential_id: string;
    user_id: string;
    name: string;
    public_key: string;
    /** How often the authenticator has signed; 0 if it does not count. */
    counter: number;
    /** JSON list of the ways to reach the authenticator. */
    transports: string;
    /** The host name that it works at; null for older ones that have not been used since. */
    rp_id: string | null;
    created_at: number;
    last_used_at: number | null;
  };
  /** What a passkey has to sign. Each is used once, within minutes. */
  passkey_challenges: {
    challenge_hash: string;
    purpose: "sign-in" | "sign-up" | "add";
    /** The account that the passkey is to be added to. */
    user_id: string | null;
    expires_at: number;
  };
  /** Who accounts are to the proxy that people sign in with: its form of their e-mail address. */
  proxy_identities: { subject: string; user_id: string; created_at: number; last_used_at: number };
  /** One row, if the owner has entered a mail server. */
  mail_settings: {
    id: "server";
    host: string;
    port: number;
    security: "tls" | "starttls" | "none";
    username: string | null;
    /** The address that messages come from. */
    sender: string;
    updated_at: number;
  };
  /** The encrypted password of the mail server. */
  mail_secrets: { id: "server"; ciphertext: string; key_id: string };
  /** Accounts whose password needs a code of an authenticator app too. */
  second_factors: {
    user_id: string;
    /** The 30 seconds, counted from 1970, of the last code that was used. */
    last_counter: number;
    created_at: number;
  };
  /** The encrypted secrets of authenticator apps. */
  second_factor_secrets: { user_id: string; ciphertext: string; key_id: string };
  /** The hashes of recovery codes that have not been used. */
  recovery_codes: { user_id: string; code_hash: string };
  /** How often somebody entered a wrong password or code, per account or link, alone and with the network address. */
  failed_attempts: { key_hash: string; failures: number; last_at: number };
  /** Keys with which people use this server's models in editors and scripts. Only the key's hash is stored. */
  personal_keys: {
    id: string;
    key_hash: string;
    /** The first characters, by which people recognize a key. */
    prefix: string;
    user_id: string;
    name: string;
    created_at: number;
    last_used_at: number | null;
    expires_at: number | null;
    revoked_at: number | null;
  };
  /** What people want every assistant to know about them, and how it is to answer. */
  personal_instructions: {
    user_id: string;
    text: string;
    updated_at: number;
  };
  /** What people set about themselves on every device; null: not set. */
  profiles: {
    user_id: string;
    language: string | null;
    time_zone: string | null;
    default_model: string | null;
    default_assistant_id: string | null;
    /** In the address of the picture. Another picture has another id. */
    picture_id: string | null;
    /** A `data:` URL. */
    picture: string | null;
    updated_at: number;
  };
  /** Texts that people keep for their messages. */
  prompts: {
    id: string;
    project_id: string;
    /** Null: shared with everybody of the project. */
    user_id: string | null;
    title: string;
    /** A JSON string. */
    text: string;
    created_at: number;
    updated_at: number;
  };
  /** Groups of people. */
  user_groups: {
    id: string;
    name: string;
    /** The name in the form in which names are compared. */
    name_key: string;
    /** JSON of `Rights`. */
    rights: string;
    /** The sign-in provider and the value of its claim that decide who belongs to it. Null: administrators decide. */
    claim_provider_id: string | null;
    claim_value: string | null;
    created_at: number;
    updated_at: number;
  };
  user_group_members: { group_id: string; user_id: string; added_at: number };
  /** The rights of members and guests, as JSON of `Rights`, and whether links to threads work. At most one row. */
  access_settings: {
    id: "server";
    member_rights: string;
    guest_rights: string;
    link_sharing: number;
    updated_at: number;
  };
  /**
   * How much people may use: everyone, those of a role, those of apps, the members of a group together, or one person. The
   * id is that of the group or the person, or one of `commonBudgets`.
   */
  budgets: {
    id: string;
    group_id: string | null;
    user_id: string | null;
    /** JSON of `BudgetLimits`. */
    limits: string;
    updated_at: number;
  };
  /** Links to threads for people without access to them. Only the token's hash is stored. */
  shares: {
    id: string;
    token_hash: string;
    thread_id: string;
    user_id: string;
    /** The last message of a snapshot. Null for a live view. */
    head_id: string | null;
    /** 1 if readers can switch to the other branches; of a snapshot, to those of the time when it was created. */
    all_branches: Generated<number>;
    with_files: number;
    audience: "anyone" | "members";
    password_hash: string | null;
    expires_at: number | null;
    views: number;
    created_at: number;
  };
  /** The HTML of messages on the pages of links. A message that is not here is rendered again. */
  rendered_messages: {
    share_id: string;
    message_id: string;
    language: string;
    /** The code that rendered it. */
    build: string;
    /** What it was rendered from. */
    version: string;
    /** Compressed. */
    html: Uint8Array;
    size_bytes: number;
    rendered_at: number;
  };
  /** The people and groups that a thread is shared with, inside this server. */
  thread_members: {
    thread_id: string;
    /** The id of the person or of the group. */
    member_id: string;
    /** Exactly one of these two is set. */
    user_id: string | null;
    group_id: string | null;
    access: "read" | "write";
    added_at: number;
  };
  api_keys: {
    id: string;
    key_hash: string;
    /** The first characters, by which people recognize a key. */
    prefix: string;
    project_id: string;
    name: string;
    /** Null for the key of the setting PARLANCE_API_KEY. */
    created_by: string | null;
    created_at: number;
    last_used_at: number | null;
    expires_at: number | null;
    revoked_at: number | null;
  };
  /** Which tokens of an operator's own identity provider are accepted. Unique by (issuer, audience). */
  jwt_rules: {
    id: string;
    project_id: string;
    issuer: string;
    /** Empty: any. */
    audience: string;
    jwks_url: string;
    /** The claim that names the workspace; null means `sub`. */
    workspace_claim: string | null;
    /** JSON list. */
    algorithms: string;
    /** 1 if the keys may only be on the public internet, because the owner did not enter their address. */
    public_only: Generated<number>;
    created_at: number;
  };
  /** Assistants that answer. Rows are never deleted, because threads and answers refer to them. */
  assistants: {
    project_id: string;
    /** `default` for the built-in assistant, which gets a row when it is first changed. */
    id: string;
    name: string;
    /** JSON object: a letter or an emoji, and a colour. */
    avatar: string;
    /** JSON text, exactly as it was written; empty for the built-in instructions. */
    instructions: string;
    /** Null: the server chooses. */
    model: string | null;
    /** JSON list of names; null means all tools. */
    tools: string | null;
    /** JSON list. */
    starters: string;
    /** JSON object. */
    parameters: string;
    /** Lower positions come first. */
    position: number;
    /** Hash of the request that created it, if the client chose the id. */
    request_hash: string | null;
    created_at: number;
    updated_at: number;
    deleted_at: number | null;
  };
  /** One row, once the owner has changed the settings. Flags are 1 or 0. */
  model_settings: {
    id: "server";
    /** The id of the model for titles, summaries and suggestions; null for the one that answers. */
    small_model: string | null;
    titles: number;
    summaries: number;
    suggestions: number;
    local_only: number;
    updated_at: number;
  };
  /** The model providers that the owner added. */
  model_providers: {
    /** The first part of the ids of its models. */
    id: string;
    kind: string;
    name: string;
    base_url: string;
    /** 1 if the base URL may only be on the public internet, because the owner did not enter it. */
    public_only: Generated<number>;
    /** 1 if it has a key, even if the key is missing because the database was restored. */
    has_key: number;
    /** JSON list of the models that are offered; null for all that the provider lists. */
    models: string | null;
    /** The server's default model, if it is one of this provider's; null in all other rows. */
    default_model: string | null;
    /** Lower positions come first. */
    position: number;
    /** Counts the changes. */
    version: number;
    created_at: number;
    updated_at: number;
  };
  /** The keys of these providers, encrypted. Backups do not contain them. */
  model_provider_keys: {
    provider_id: string;
    ciphertext: string;
    /** Names the secret that it was encrypted with. */
    key_id: string;
    /** The last four characters, which the owner may see. */
    last_four: string;
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
    /** The reasoning effort; null: the assistant's. */
    reasoning_effort: string | null;
    /** 1 if only models in the operator's own network may answer. */
    local_only: number | null;
    /** JSON list of the names of tools that run here without asking; null for none. */
    allowed_tools: string | null;
    /** Hash of the request that created it, if the client chose the id. */
    request_hash: string | null;
    /** The user whose request created it; null if unknown. */
    created_by: string | null;
    created_at: number;
    updated_at: number;
    deleted_at: number | null;
    /** Its folder in `labels`, or null. */
    folder_id: Generated<string | null>;
    /** When it is erased with everything in it; null for ordinary threads. No list, search, export or backup has it. */
    temporary_until: Generated<number | null>;
    /** The size of its metadata, its messages and the reports of its runs, in bytes; kept by triggers. */
    text_bytes: Generated<number>;
  };
  /** The folders and tags of a workspace. */
  labels: {
    id: string;
    workspace_id: string;
    kind: "folder" | "tag";
    name: string;
    /** The form of the name that is compared. Unique by workspace and kind. */
    name_key: string;
    created_at: number;
  };
  /** The tags of threads. */
  thread_tags: {
    thread_id: string;
    label_id: string;
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
    /**
     * JSON, exactly as it was sent or folded. On SQLite without the text that `plain_text` has: `packed-content.ts`.
     */
    content: string;
    /** The text of the content, for titles and search. */
    plain_text: string;
    status: "running" | "complete" | "incomplete" | "requires-action";
    status_reason: string | null;
    error_code: string | null;
    /** The run that writes or wrote it. */
    run_id: string | null;
    /** JSON: the author of an imported answer. Null if its run has the author, or it is unknown. */
    made_by: string | null;
    /** The user whose request created it; null if unknown. */
    created_by: string | null;
    /** 1 if a person pinned it: models read it in full, however long the thread is. */
    is_pinned: number;
    created_at: number;
    updated_at: number;
  };
  /**
   * The last lease of each message that a client of the protocol writes while its answer runs. It never expires. Not to be
   * confused with the lease of a run of this server, which is in `runs`.
   */
  client_leases: {
    message_id: string;
    id: string;
    thread_id: string;
    /** That of the thread. */
    workspace_id: string;
    /** When its holder opened it, last wrote with it, or last sent a heartbeat. */
    heartbeat_at: number;
    ended_at: number | null;
    /** Null too if another writer ended it. */
    end_reason: "done" | "cancelled" | "error" | null;
    /** When the server was last writing the answer that the holder stores; null if it never was. */
    answer_heartbeat_at: number | null;
  };
  /** The steps of replies with tool calls, as their provider requires them back. No client receives them. */
  reply_steps: {
    message_id: string;
    /** The index of the step's first tool call in the parts of the reply. */
    first_call: number;
    /** JSON list of the parts that the model made. */
    parts: string;
  };
  /**
   * Summaries that replace a message and all messages above it in requests to models. Not part of `text_bytes`: people
   * can only edit them, and each is short.
   */
  summaries: {
    /** The last message that it covers. */
    message_id: string;
    thread_id: string;
    /** Empty while it is being written, and after a person removed it. */
    text: string;
    /** The model that wrote it; null while it is being written. */
    model: string | null;
    is_edited: number;
    /** How long the summary is reserved for the process that writes it. Null if it is complete. */
    pending_until: number | null;
    /** When a person removed it: the branch is not compacted again before it exceeds its budget. */
    removed_at: number | null;
    created_at: number;
    updated_at: number;
  };
  /** Questions that a person could ask after an answer. */
  suggestions: {
    /** The answer. */
    message_id: string;
    /** The run that wrote the answer as the model read it: an answer that was continued gets new ones. */
    run_id: string;
    /** JSON list of texts, at most three; empty if the model wrote none. */
    texts: string;
    created_at: number;
  };
  /** Which branch of a thread a user sees: the id of its last message. `user_id` may be an external name. */
  branch_heads: {
    thread_id: string;
    user_id: string;
    message_id: string;
    updated_at: number;
  };
  /** What the panel beside a thread shows a user. `user_id` may be an external name. */
  thread_panels: {
    thread_id: string;
    user_id: string;
    /** JSON, as in `contract/endpoints/thread-panels.ts`; null: the user closed it. */
    panel: string | null;
    updated_at: number;
  };
  /** Messages that wait in the queue of a thread. */
  queued_messages: {
    /** The id that the message will have. */
    id: string;
    thread_id: string;
    /** The reply that it will follow. */
    parent_id: string;
    /** Lower positions are sent first; numbered per thread. */
    position: number;
    /** JSON, exactly as it was sent. */
    content: string;
    assistant_id: Generated<string>;
    model: string;
    /** The reasoning effort; null: the assistant's. */
    reasoning_effort: string | null;
    run_id: string;
    reply_id: string;
    /** Hash of the request that queued it. Its run gets it. */
    request_hash: string;
    time_zone: string | null;
    created_by: string;
    created_at: number;
    updated_at: number;
    /**
     * When a person removed it. The row stays for a day without content, so that a late repeat does not queue it again.
     */
    removed_at: number | null;
  };
  runs: {
    id: string;
    /**
     * Own: of this server, logged and stored. Wire: streamed to a protocol client. Reported: of another application.
     */
    origin: "own" | "wire" | "reported";
    project_id: string;
    workspace_id: string;
    user_id: string;
    thread_id: string | null;
    /** The message that it answers; it may have been deleted since. */
    message_id: string | null;
    reply_id: string | null;
    assistant_id: string | null;
    model: string | null;
    /** The reasoning effort; null: the assistant's. */
    reasoning_effort: string | null;
    state: "running" | "requires-action" | "completed" | "cancelled" | "failed" | "interrupted";
    finish_reason: string | null;
    error_code: string | null;
    /** JSON list of deviations from what was chosen; null for none. */
    notes: string | null;
    /** Hash of the request that started it. The same id with another request is a conflict. */
    request_hash: string | null;
    /** The time zone that the client sent, which may be unknown; null if it sent none. */
    time_zone: string | null;
    /** Set when any process asks the run to stop; its owner is notified. */
    stop_requested_at: number | null;
    /** How often the run was retried because its process died before the first output. */
    asked_again: Generated<number>;
    lease_owner: string | null;
    lease_expires_at: number | null;
    input_tokens: number | null;
    output_tokens: number | null;
    reasoning_tokens: number | null;
    cached_tokens: number | null;
    /** The input and output of its last step, as the provider counted them: the tokens of the branch so far. */
    context_tokens: number | null;
    /** Millionths of a US dollar. */
    cost_micros: number | null;
    created_at: number;
    started_at: number | null;
    first_token_at: number | null;
    ended_at: number | null;
    /** The comparison that it belongs to; null for other answers. */
    comparison_id: string | null;
    /** 1 while its model is secret. */
    is_blind: Generated<number>;
    /** What it reserves of budgets while it is running, with what it has used of that; null without a budget. */
    reserved_tokens: Generated<number | null>;
    /** The same in millionths of a US dollar. */
    reserved_micros: Generated<number | null>;
  };
  /** Messages that several models answer at the same time. */
  comparisons: {
    id: string;
    thread_id: string;
    message_id: string;
    /** The person who asked. */
    user_id: string;
    /** 1 if the models are secret until a choice. */
    is_blind: number;
    request_hash: string;
    chosen_reply_id: string | null;
    created_at: number;
    chosen_at: number | null;
  };
  /** The requests that this server sent to models, one row each. The bodies are not stored. */
  model_requests: {
    id: string;
    /** Null for requests outside of runs. */
    run_id: string | null;
    project_id: string;
    workspace_id: string;
    user_id: string;
    thread_id: string | null;
    /** The reply that it was sent for, which may be deleted. */
    message_id: string | null;
    assistant_id: string | null;
    purpose: "answer" | "title" | "summary" | "suggestions" | "embedding";
    /** The step of the answer, from 1. */
    step: number;
    /** Counts the requests of a step, from 1: retries, and those without what the model refused. */
    attempt: number;
    /** `provider/model`. */
    model: string;
    /** Host and port. */
    host: string;
    /**
     * 1 if the connection was to an address in the operator's own network and no other host gets the request from
     * there.
     */
    is_local: number;
    body_bytes: number;
    /** In hexadecimal. Null after an erasure. */
    body_sha256: string | null;
    sent_at: number;
    first_token_at: number | null;
    /** Null while it runs, and for good if its process died. */
    ended_at: number | null;
    outcome: "completed" | "failed" | "cancelled" | null;
    error_code: string | null;
    /** All input, including the next two. */
    input_tokens: number | null;
    output_tokens: number | null;
    reasoning_tokens: number | null;
    /** Input that the provider read from its cache. */
    cached_tokens: number | null;
    /** Input that the provider wrote to its cache. */
    cache_write_tokens: number | null;
    /** Millionths of a US dollar, by the list prices when it was sent; null if they or the tokens are unknown. */
    cost_micros: number | null;
    /** 1 if the provider did not report the tokens of an answer of which some arrived. */
    is_estimated: Generated<number>;
  };
  /** What requests outside of runs reserve of budgets until they end. Runs have theirs in their row. */
  budget_reservations: {
    id: string;
    project_id: string;
    workspace_id: string;
    user_id: string;
    tokens: number;
    cost_micros: number;
    lease_owner: string;
    lease_expires_at: number;
  };
  /**
   * What the requests of somebody used on a day or in a month in UTC (`2026-01-31`, `2026-01`), and `guests` together, without a project.
   * Triggers keep it.
   */
  usage_sums: { user_id: string; period: string; project_id: string; tokens: number; cost_micros: number };
  /** What the requests were made from: references, sizes and hashes. */
  request_contents: {
    request_id: string;
    thread_id: string;
    /** The request whose first `begins_items` items are also the first of this one. */
    begins_as: string | null;
    begins_items: number;
    /** JSON list of the others. */
    items: string;
  };
  /** Details of reported runs; one row for each run of the origin `reported`. */
  run_reports: {
    run_id: string;
    /** The thread that the report names, which may be deleted; null if it names none. */
    thread_id: string | null;
    /** The same trace in the same thread is the same run. */
    trace_id: string | null;
    status: "completed" | "incomplete" | "error";
    outcome_type: string | null;
    error_code: string | null;
    provider: string | null;
    environment: string | null;
    release: string | null;
    /** JSON list of texts. */
    tags: string;
    /** JSON object: the application's own values. */
    attributes: string;
    /** JSON object: the other fields of the report, unchanged. */
    details: string;
    service_name: string | null;
    agent_name: string | null;
    /** 0 while only spans of the run have arrived, and no report. */
    reported: number;
  };
  /** The traces that reports or spans have named. */
  traces: {
    project_id: string;
    trace_id: string;
    /** The run that its spans belong to; null while it has none. */
    run_id: string | null;
  };
  /** The spans of a run that an application's telemetry sent. Times are milliseconds since 1970 with fractions. */
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
    /** Since the start of the span. */
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
  /** Scores of threads, messages and runs; one for each target, name and author. */
  scores: {
    id: string;
    project_id: string;
    workspace_id: string;
    author_id: string;
    source: "end_user" | "api";
    name: string;
    data_type: "numeric" | "categorical" | "boolean";
    /** 1 and 0 for a boolean. */
    value: number | null;
    string_value: string | null;
    comment: string | null;
    /** `thread:<id>`, `message:<id>` or `run:<id>`. */
    target: string;
    /** Also set for the score of a message. What these three name may be deleted. */
    thread_id: string | null;
    message_id: string | null;
    run_id: string | null;
    created_at: number;
    updated_at: number;
  };
  /** What people did in a chat, as protocol clients report it. */
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
  /** The end of a list page when it was served, because its last row may have moved since. */
  list_bookmarks: {
    /** Hash of the list's owner and filter. */
    list: string;
    id: string;
    position: number;
    served_at: number;
  };
  /** The positions of deleted messages, for cursors that point to one of them. */
  gone_messages: {
    thread_id: string;
    id: string;
    height: number;
    created_at: number;
    gone_at: number;
  };
  /** What search finds: a message, a piece of a long message, or (if `message_id` is null) a thread's title. */
  search_documents: {
    /** Grows with the time of the message, so that newest first needs no sort. `full-text.ts` stores its words. */
    number: number;
    workspace_id: string;
    thread_id: string;
    message_id: string | null;
    /** Where the piece begins in its message, in characters as SQL counts them. */
    start: Generated<number>;
  };
  /** Like `search_documents`, for the names and texts of attached files. */
  search_file_documents: {
    /** Unique in both tables. The numbers of a file are consecutive, and its first piece has the highest. */
    number: number;
    /** The lowest number of the file. */
    last_number: number;
    workspace_id: string;
    file_id: string;
    /** Where the piece begins in the text. This and the length are in characters as SQL counts them. */
    start: number;
    characters: number;
    /** The page on which it begins, from 1; null if the file has no pages. */
    page: number | null;
    /** The indexing job that wrote it: if several index a file at once, the last one counts. */
    made_in: string;
  };
  /** What is new or changed and not yet indexed; written by triggers. */
  search_pending: {
    kind: "message" | "title" | "file";
    /** Of the message, the thread or the file, which may be deleted. */
    id: string;
  };
  /** Attached files, and uploads whose bytes have not arrived yet. */
  files: {
    id: string;
    project_id: string;
    workspace_id: string;
    created_by: string;
    /** A label, never used as a path. */
    name: string;
    /** 130 random bits that make its address unguessable. */
    secret: string;
    declared_type: string | null;
    declared_bytes: number | null;
    /** As detected from the bytes. Null until they arrive, like the next two and `stored_at`. */
    type: string | null;
    size_bytes: number | null;
    blob_key: string | null;
    created_at: number;
    stored_at: number | null;
    /** When a message last began to reference it. */
    claimed_at: number | null;
    /**
     * When a message that still exists stopped referencing it: a day later it is deleted. For an upload to a temporary
     * thread it is before `created_at`, so that the file is deleted earlier if no message begins to reference it.
     */
    released_at: number | null;
  };
  /** Bytes in the blob store. Files of one workspace with the same bytes share one blob. */
  blobs: {
    key: string;
    workspace_id: string;
    /** In hexadecimal. */
    sha256: string;
    size_bytes: number;
    /** Empty if no thumbnail can be made, null before the first request for one. */
    thumbnail_key: string | null;
    created_at: number;
  };
  /** Which messages, sent and queued, reference which files. */
  file_claims: {
    file_id: string;
    message_id: string;
    thread_id: string;
  };
  /** The extracted text of a blob. */
  file_texts: {
    blob_key: string;
    /** The version of the reader; text of an older version is extracted again. */
    reader: number;
    /** Why there is no text; null if there is. */
    reason: string | null;
    /** Pages are separated by form feeds. */
    text: string;
    /** 1 if the file has more text. */
    is_cut: number;
    pages: number | null;
    created_at: number;
  };
  /** Attached files whose text is not extracted yet; written by triggers. */
  unread_files: {
    file_id: string;
    /** Not before this time. A process that takes a file moves it, so that no other process takes the file. */
    due_at: number;
    tries: number;
  };
  /**
   * Keys of the blob store to delete at that time, unless a blob has the key by then. A key is noted here before
   * anything is written under it, so that a crash leaves no orphaned bytes.
   */
  blob_removals: {
    key: string;
    due_at: number;
  };
  /** One row per topic (`run:<id>`, `workspace:<id>`): its newest number, and the newest pruned one. */
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
