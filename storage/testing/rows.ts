import type { Tx } from "../sql/database.ts";

/** Rows that storage's own tests need and no room makes for them. */
export async function addProject(tx: Tx, id: string, createdAt = 0): Promise<void> {
  await tx.q
    .insertInto("projects")
    .values({ id, name: "Ada's", allowed_origins: "[]", created_at: createdAt })
    .execute();
}

/** A project, a workspace and a thread in it, all named `id`. */
export async function addThread(tx: Tx, id: string): Promise<void> {
  await addProject(tx, id);
  await tx.q
    .insertInto("workspaces")
    .values({ id, project_id: id, realm: "own", name: id, created_at: 0 })
    .execute();
  await tx.q
    .insertInto("threads")
    .values({
      id,
      project_id: id,
      workspace_id: id,
      external_id: null,
      title: null,
      title_source: null,
      last_message_at: 0,
      metadata: null,
      archived: 0,
      pinned: 0,
      assistant_id: null,
      model: null,
      allowed_tools: null,
      request_hash: null,
      created_at: 0,
      updated_at: 0,
      deleted_at: null,
    })
    .execute();
}

export async function addMessage(
  tx: Tx,
  threadId: string,
  id: string,
  parentId: string | null,
): Promise<void> {
  await tx.q
    .insertInto("messages")
    .values({
      id,
      thread_id: threadId,
      external_id: null,
      parent_id: parentId,
      height: 0,
      role: "user",
      format: "aui/v0",
      content: "{}",
      plain_text: "",
      status: "complete",
      status_reason: null,
      error_code: null,
      run_id: null,
      created_at: 0,
      updated_at: 0,
    })
    .execute();
}
