import type { MemberAccess } from "#contract/endpoints/thread-members.ts";
import type { Thread } from "#contract/endpoints/threads.ts";
import type { ThreadRow } from "./rows.ts";

/** A thread as in all responses and in the feed. `access`: what a member of the thread, who does not own it, may do. */
export function presentThread(row: ThreadRow, access?: MemberAccess): Thread {
  const thread = presentOwn(row);
  return access === undefined ? thread : asMember(thread, access);
}

/** The thread as a member sees it: without how its owner keeps it. */
export function asMember(thread: Thread, access: MemberAccess): Thread {
  return {
    ...thread,
    external_id: null,
    metadata: null,
    is_archived: false,
    is_pinned: false,
    allowed_tools: [],
    sharing: { access, owner_name: thread.sharing?.owner_name ?? null },
  };
}

function presentOwn(row: ThreadRow): Thread {
  return {
    id: row.id,
    project_id: row.project_id,
    workspace_id: row.workspace_name,
    title: row.title,
    external_id: row.external_id,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
    last_message_at: isoTime(row.last_message_at),
    is_archived: row.archived === 1,
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as unknown),
    title_source: row.title_source,
    is_pinned: row.pinned === 1,
    deleted_at: row.deleted_at === null ? null : isoTime(row.deleted_at),
    assistant_id: row.assistant_id,
    model: row.model,
    reasoning_effort: row.reasoning_effort as Thread["reasoning_effort"],
    local_only: row.local_only === 1,
    active_run_id: row.active_run_id,
    needs_action: row.waiting_run_id !== null,
    allowed_tools: allowedToolsOf(row),
    ...(row.is_shared === 0 ? {} : { sharing: { access: "owner", owner_name: row.owner_name } }),
  };
}

/** The tools that may run in this thread without approval. */
export function allowedToolsOf({ allowed_tools: names }: Pick<ThreadRow, "allowed_tools">): string[] {
  return names === null ? [] : (JSON.parse(names) as string[]);
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
