import { defaultAssistantId } from "#contract/ids.ts";
import type { BranchMessage } from "#contract/endpoints/messages.ts";
import type { BranchRows } from "./branch-rows.ts";
import type { OutboxEntry } from "../outbox/outbox-entry.ts";
import type { RunReply } from "./replies.ts";

/** A message as the page shows it: its row, and what is newer than the row. */
export type VisibleMessage = {
  row: BranchMessage;
  /** The output of its run so far, if the run is followed. */
  live: RunReply | undefined;
  /** Set if the row was made from an outbox entry, because the server does not have it yet. */
  outboxEntry: OutboxEntry | undefined;
};

/**
 * The branch to show: the server's rows with the outbox entries inserted. A message has the same type and id before and
 * after it is stored.
 */
export function visibleBranch(
  rows: BranchRows | undefined,
  outbox: readonly OutboxEntry[],
  live: ReadonlyMap<string, RunReply>,
): VisibleMessage[] {
  const stored: VisibleMessage[] = (rows?.messages ?? []).map((row) => ({
    row,
    live: liveOf(row, live),
    outboxEntry: undefined,
  }));
  return outbox
    .filter((entry) => entry.queue !== true)
    .reduce((branch, entry) => withEntry(branch, entry, live), stored);
}

/** The active runs of the visible branch, and those that this browser is starting. */
export function runsToFollow(
  rows: BranchRows | undefined,
  outbox: readonly OutboxEntry[],
): { active: string[]; starting: string[] } {
  const active = (rows?.messages ?? []).filter(isRunning).flatMap((row) => row.run_id ?? []);
  const starting = outbox
    .filter(
      ({ state, queue, comparison }) => state !== "failed" && queue !== true && comparison === undefined,
    )
    .map((entry) => entry.runId)
    .filter((runId) => rows?.messages.some((row) => row.run_id === runId) !== true);
  return { active, starting };
}

function liveOf(row: BranchMessage, live: ReadonlyMap<string, RunReply>): RunReply | undefined {
  return row.run_id !== null && isRunning(row) ? live.get(row.run_id) : undefined;
}

function isRunning(row: BranchMessage): boolean {
  return row.status.type === "running" || row.status.type === "requires-action";
}

function withEntry(
  branch: VisibleMessage[],
  entry: OutboxEntry,
  live: ReadonlyMap<string, RunReply>,
): VisibleMessage[] {
  const ids = new Set([entry.replyId, entry.message?.id]);
  // The rows already contain it.
  if (branch.some(({ row }) => ids.has(row.id))) return branch;
  const at = entry.parentId === null ? 0 : branch.findIndex(({ row }) => row.id === entry.parentId) + 1;
  if (entry.parentId !== null && at === 0) return branch;
  const replaced = branch[at]?.row;
  if (entry.isHidden === true && replaced !== undefined) {
    const updated = withSiblingRow(replaced, entry.message?.id ?? entry.replyId);
    return branch.map((message, index) => (index === at ? { ...message, row: updated } : message));
  }
  const below = rowsOfEntry(entry, replaced).map((row) => ({
    row,
    live: liveOf(row, live),
    outboxEntry: entry,
  }));
  return [...branch.slice(0, at), ...below];
}

/** Cached rows: the same entry gives the same row objects, so that unchanged messages do not render again. */
const rowCache = new WeakMap<OutboxEntry, { replaced: BranchMessage | undefined; rows: BranchMessage[] }>();
const siblingCache = new WeakMap<BranchMessage, BranchMessage>();

function rowsOfEntry(entry: OutboxEntry, replaced: BranchMessage | undefined): BranchMessage[] {
  const known = rowCache.get(entry);
  if (known !== undefined && known.replaced === replaced) return known.rows;
  const rows = rowsOf(entry).map((row, index) =>
    index === 0 && replaced !== undefined ? { ...row, siblings: withSibling(replaced, row.id) } : row,
  );
  rowCache.set(entry, { replaced, rows });
  return rows;
}

function withSiblingRow(replaced: BranchMessage, id: string): BranchMessage {
  const known = siblingCache.get(replaced);
  if (known?.siblings.at(-1) === id) return known;
  const row = { ...replaced, siblings: withSibling(replaced, id) };
  siblingCache.set(replaced, row);
  return row;
}

function withSibling(row: BranchMessage, id: string): string[] {
  return [...(row.siblings.length > 0 ? row.siblings : [row.id]), id];
}

/** The rows that the server will store: the message and an empty reply. A failed message has no reply. */
function rowsOf(entry: OutboxEntry): BranchMessage[] {
  const { message, parentId, replyId, state } = entry;
  const common = {
    external_id: null,
    height: 0,
    created_at: entry.createdAt,
    updated_at: entry.createdAt,
    format: "aui/v0",
    siblings: [],
    made_by: null,
    is_pinned: false,
    feedback: null,
    feedback_reason: null,
    feedback_comment: null,
  };
  const complete = { type: "complete" as const, reason: null, error_code: null };
  const messageRows: BranchMessage[] =
    message === undefined
      ? []
      : [
          {
            ...common,
            id: message.id,
            parent_id: parentId,
            content: message.content,
            role: "user",
            status: complete,
            run_id: null,
          },
        ];
  if (state === "failed" && message !== undefined) return messageRows;
  const { assistantId, model = null } = entry;
  const reply: BranchMessage = {
    ...common,
    made_by:
      assistantId === undefined
        ? null
        : { assistant_id: assistantId ?? defaultAssistantId, assistant_name: null, model, notes: [] },
    id: replyId,
    parent_id: message?.id ?? parentId,
    content: { role: "assistant", content: [] },
    role: "assistant",
    status:
      state === "failed"
        ? { type: "incomplete", reason: "error", error_code: entry.failure?.code ?? null }
        : { ...complete, type: "running" },
    run_id: entry.runId,
  };
  return [...messageRows, reply];
}
