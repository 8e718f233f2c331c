import { newId } from "#contract/ids.ts";
import type { Tx } from "../database/database.ts";
import type { NewRow } from "../database/tables.ts";

/** Adds an app. This file has rows for tests and benches that do not go through the server. */
export async function addApp(tx: Tx, id: string, createdAt = 0): Promise<void> {
  await tx.q
    .insertInto("apps")
    .values({ id, name: "Ada's", allowed_origins: "[]", created_at: createdAt })
    .execute();
}

/** An app, a workspace and a thread in it, all named `id`. */
export async function addThread(tx: Tx, id: string): Promise<void> {
  await addApp(tx, id);
  await tx.q
    .insertInto("workspaces")
    .values({ id, app_id: id, realm: "own", name: id, created_at: 0 })
    .execute();
  const thread = threadRow({ app_id: id, workspace_id: id }, 0);
  await tx.q
    .insertInto("threads")
    .values({ ...thread, id })
    .execute();
}

/** A workspace that the backend of an app names `name`. */
export function workspaceRow(appId: string, name: string, nowMs: number): NewRow<"workspaces"> {
  return {
    id: newId("workspace"),
    app_id: appId,
    realm: "external",
    name,
    created_at: nowMs,
  };
}

/** A thread without messages. */
export function threadRow(
  place: { app_id: string; workspace_id: string },
  nowMs: number,
): NewRow<"threads"> & { id: string } {
  return {
    ...place,
    id: newId("thread"),
    last_message_at: nowMs,
    archived: 0,
    pinned: 0,
    created_at: nowMs,
    updated_at: nowMs,
  };
}

/** A complete user message at the root of a thread. `text` is only its plain text for search. */
export function messageRow(
  threadId: string,
  text: string,
  nowMs: number,
): NewRow<"messages"> & { id: string } {
  return {
    id: newId("message", nowMs),
    thread_id: threadId,
    height: 0,
    role: "user",
    format: "aui/v0",
    content: "{}",
    plain_text: text,
    status: "complete",
    is_pinned: 0,
    created_at: nowMs,
    updated_at: nowMs,
  };
}

export async function addMessage(
  tx: Tx,
  threadId: string,
  id: string,
  parentId: string | null,
): Promise<void> {
  const message = messageRow(threadId, "", 0);
  await tx.q
    .insertInto("messages")
    .values({ ...message, id, parent_id: parentId })
    .execute();
}

/** A completed request to a model that took 3 seconds. */
export function modelRequestRow(
  asked: { app_id: string; workspace_id: string; user_id: string; thread_id: string },
  sentAtMs: number,
): NewRow<"model_requests"> {
  return {
    ...asked,
    id: newId("modelRequest"),
    run_id: null,
    message_id: null,
    assistant_id: "default",
    purpose: "answer",
    step: 1,
    attempt: 1,
    model: "env/model-1",
    host: "models.example.com",
    is_local: 0,
    body_bytes: 1_000,
    body_sha256: null,
    sent_at: sentAtMs,
    first_token_at: sentAtMs + 300,
    ended_at: sentAtMs + 3_000,
    outcome: "completed",
    error_code: null,
    input_tokens: 500,
    output_tokens: 200,
    reasoning_tokens: 0,
    cached_tokens: 0,
    cache_write_tokens: 0,
    cost_micros: 900,
  };
}
