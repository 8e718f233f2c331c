import { defaultAssistantId } from "#contract/ids.ts";
import type { BranchMessage } from "#contract/endpoints/messages.ts";
import type { BranchRows } from "./branch-rows.ts";
import type { OutboxEntry } from "../outbox/outbox-entry.ts";
import type { RunReply } from "./replies.ts";

/** A message as it is shown: its row, and what is newer than the row. */
export type ShownMessage = {
  row: BranchMessage;
  /** What its run has said so far, where that is being followed. */
  live: RunReply | undefined;
  /** What this browser is sending, where the row is not the service's yet. */
  out: OutboxEntry | undefined;
};

/**
 * The branch to show: the service's rows, with what is on its way put in its place. A sending message and a stored one
 * are the same type, under the same id.
 */
export function showBranch(
  rows: BranchRows | undefined,
  outgoing: readonly OutboxEntry[],
  live: ReadonlyMap<string, RunReply>,
): ShownMessage[] {
  const stored: ShownMessage[] = (rows?.messages ?? []).map((row) => ({
    row,
    live: liveOf(row, live),
    out: undefined,
  }));
  return outgoing
    .filter((out) => out.queue !== true)
    .reduce((branch, out) => withOutgoing(branch, out, live), stored);
}

/** The runs to follow for what is shown. */
export function runsToFollow(rows: BranchRows | undefined, outgoing: readonly OutboxEntry[]): string[] {
  const running = (rows?.messages ?? []).filter(isRunning).map((row) => row.run_id);
  const started = outgoing
    .filter((out) => out.state === "stored" && out.queue !== true)
    .map((out) => out.runId);
  return [...new Set([...running, ...started])].filter((runId) => runId !== null);
}

function liveOf(row: BranchMessage, live: ReadonlyMap<string, RunReply>): RunReply | undefined {
  return row.run_id !== null && isRunning(row) ? live.get(row.run_id) : undefined;
}

function isRunning(row: BranchMessage): boolean {
  return row.status.type === "running" || row.status.type === "requires-action";
}

function withOutgoing(
  branch: ShownMessage[],
  out: OutboxEntry,
  live: ReadonlyMap<string, RunReply>,
): ShownMessage[] {
  const ids = new Set([out.replyId, out.message?.id]);
  // The rows have it already.
  if (branch.some(({ row }) => ids.has(row.id))) return branch;
  const at = out.parentId === null ? 0 : branch.findIndex(({ row }) => row.id === out.parentId) + 1;
  if (out.parentId !== null && at === 0) return branch;
  const there = branch[at]?.row;
  if (out.aside === true && there !== undefined) {
    const beside = rowBeside(there, out.message?.id ?? out.replyId);
    return branch.map((message, index) => (index === at ? { ...message, row: beside } : message));
  }
  const below = rowsBeside(out, there).map((row) => ({ row, live: liveOf(row, live), out }));
  return [...branch.slice(0, at), ...below];
}

/** Rows made here are kept, so that the same message stays the same object from one frame to the next. */
const made = new WeakMap<OutboxEntry, { there: BranchMessage | undefined; rows: BranchMessage[] }>();
const madeBeside = new WeakMap<BranchMessage, BranchMessage>();

function rowsBeside(out: OutboxEntry, there: BranchMessage | undefined): BranchMessage[] {
  const known = made.get(out);
  if (known !== undefined && known.there === there) return known.rows;
  const rows = rowsOf(out).map((row, index) =>
    index === 0 && there !== undefined ? { ...row, siblings: withSibling(there, row.id) } : row,
  );
  made.set(out, { there, rows });
  return rows;
}

function rowBeside(there: BranchMessage, id: string): BranchMessage {
  const known = madeBeside.get(there);
  if (known?.siblings.at(-1) === id) return known;
  const row = { ...there, siblings: withSibling(there, id) };
  madeBeside.set(there, row);
  return row;
}

function withSibling(row: BranchMessage, id: string): string[] {
  return [...(row.siblings.length > 0 ? row.siblings : [row.id]), id];
}

/** What the service will store of it: the message and an empty reply. A message that failed waits for no reply. */
function rowsOf(out: OutboxEntry): BranchMessage[] {
  const { message, parentId, replyId, state } = out;
  const common = {
    external_id: null,
    height: 0,
    created_at: out.createdAt,
    updated_at: out.createdAt,
    format: "aui/v0",
    siblings: [],
    made_by: null,
    feedback: null,
  };
  const complete = { type: "complete" as const, reason: null, error_code: null };
  const said: BranchMessage[] =
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
  if (state === "failed" && message !== undefined) return said;
  const { assistantId, model = null } = out;
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
        ? { type: "incomplete", reason: "error", error_code: out.failure?.code ?? null }
        : { ...complete, type: "running" },
    run_id: out.runId,
  };
  return [...said, reply];
}
