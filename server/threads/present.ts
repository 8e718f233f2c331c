import { isJsonObject, type JsonObject } from "#contract/json.ts";
import { labelsKey } from "#contract/endpoints/fields.ts";
import type { MemberAccess } from "#contract/endpoints/thread-members.ts";
import type { Thread } from "#contract/endpoints/threads.ts";
import { isoTime } from "../lib/clock.ts";
import { withoutFileSecrets } from "../lib/file-urls/file-urls.ts";
import type { AllowedTool } from "./rule-rows.ts";
import type { ThreadRow } from "./rows.ts";

/** A thread as in all responses and in the feed. `access`: what a member of the thread, who does not own it, may do. */
export function presentThread(row: ThreadRow, access?: MemberAccess): Thread {
  const thread = presentOwn(row);
  return access === undefined ? thread : asMember(thread, access);
}

/** The thread as a member sees it: without how its owner keeps it, and what opens files. */
export function asMember(thread: Thread, access: MemberAccess): Thread {
  return {
    ...thread,
    title: thread.title === null ? null : withoutFileSecrets(thread.title),
    external_id: null,
    metadata: null,
    folder_id: null,
    tag_ids: [],
    is_archived: false,
    is_pinned: false,
    allowed_tools: [],
    sharing: { access, owner_name: thread.sharing?.owner_name ?? null },
  };
}

function presentOwn(row: ThreadRow): Thread {
  const tags = tagsOf(row);
  return {
    id: row.id,
    project_id: row.app_id,
    workspace_id: row.workspace_name,
    title: row.title,
    external_id: row.external_id,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
    last_message_at: isoTime(row.last_message_at),
    is_archived: row.archived === 1,
    metadata: withLabelNames(row, tags),
    title_source: row.title_source,
    is_pinned: row.pinned === 1,
    deleted_at: isoTime(row.deleted_at),
    assistant_id: row.assistant_id,
    model: row.model,
    reasoning_effort: row.reasoning_effort as Thread["reasoning_effort"],
    local_only: row.local_only === 1,
    folder_id: row.folder_id,
    tag_ids: tags.map(({ id }) => id),
    temporary_until: isoTime(row.temporary_until),
    active_run_id: row.active_run_id,
    needs_action: row.waiting_run_id !== null,
    allowed_tools: allowedToolsOf(row).map(({ name }) => name),
    ...(row.is_shared === 0 ? {} : { sharing: { access: "owner", owner_name: row.owner_name } }),
  };
}

/** The metadata with those names. Clients of the hosted protocol read them there. */
function withLabelNames({ metadata, folder_name: folder }: ThreadRow, tags: { name: string }[]): unknown {
  const stored = metadata === null ? null : (JSON.parse(metadata) as JsonObject);
  if (folder === null && tags.length === 0) return stored;
  return { ...stored, [labelsKey]: { folder, tags: tags.map(({ name }) => name) } };
}

/**
 * The metadata as it is stored, and the names that it had. A client that read the metadata sends them back with its own
 * changes: they must not replace newer ones.
 */
export function separateLabelNames(metadata: unknown): {
  stored: string | null;
  folder: string | undefined;
  tags: string[];
} {
  if (!isJsonObject(metadata)) return { stored: null, folder: undefined, tags: [] };
  if (!Object.hasOwn(metadata, labelsKey))
    return { stored: JSON.stringify(metadata), folder: undefined, tags: [] };
  const { [labelsKey]: labels, ...rest } = metadata;
  const { folder, tags } = isJsonObject(labels) ? labels : {};
  return {
    stored: Object.keys(rest).length === 0 ? null : JSON.stringify(rest),
    folder: typeof folder === "string" ? folder : undefined,
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [],
  };
}

function tagsOf({ tag_list: list }: ThreadRow): { id: string; name: string }[] {
  return (list?.split("\n") ?? []).map((line) => {
    const space = line.indexOf(" ");
    return { id: line.slice(0, space), name: line.slice(space + 1) };
  });
}

/** The tools that may run in this thread without approval. Names alone, of earlier versions, allow nothing. */
export function allowedToolsOf({ allowed_tools: stored }: Pick<ThreadRow, "allowed_tools">): AllowedTool[] {
  const tools = stored === null ? [] : (JSON.parse(stored) as (AllowedTool | string)[]);
  return tools.filter((tool) => typeof tool === "object");
}
