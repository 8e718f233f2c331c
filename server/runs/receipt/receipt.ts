import { allows } from "#contract/accounts/permissions.ts";
import type { Receipt, ReceiptCall, ReceiptItem, ReceiptRequest } from "#contract/endpoints/receipts.ts";
import type { Database } from "#storage/database/database.ts";
import type { Row } from "#storage/database/tables.ts";
import { isoTime } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { isOwnUser, type Visitor } from "#server/lib/route.ts";
import type { RequestItem } from "#server/models/request-items.ts";
import { findCalls, type CallRow } from "../calls/rows.ts";
import * as runRows from "../rows.ts";
import * as rows from "./rows.ts";

export type Receipts = ReturnType<typeof createReceipts>;

export function createReceipts({ db }: { db: Database }) {
  return {
    /** What was sent to models and tools for the answer of this run. Throws `run-not-found`. */
    async get(visitor: Visitor, runId: string): Promise<Receipt> {
      const run = await runRows.findRun(db, visitor.workspaceId, runId);
      // What was sent also depends on what the asker says about themselves, so others do not see it.
      const isAskers = (askerId: string) => !isOwnUser(visitor) || askerId === visitor.userId;
      if (run === undefined || !isAskers(run.user_id)) throw new AppError("run-not-found");
      const found = (await rows.findRequests(db, run)).filter((row) => isAskers(row.user_id));
      const contents = await rows.findContents(
        db,
        found.map(({ id }) => id),
      );
      const items = itemsOf(contents);
      const all = found.flatMap(({ id }) => items.get(id) ?? []);
      const sources: Sources = {
        messageTimes: await rows.findMessageTimes(db, unique(all, "message")),
        fileNames: await rows.findFileNames(db, visitor.workspaceId, unique(all, "file")),
        mayReadInstructions: allows(visitor.role, "assistants.manage"),
      };
      return {
        run_id: runId,
        requests: found.map((row) => presentRequest(row, items.get(row.id) ?? [], sources)),
        calls: (await findCalls(db, run)).filter((row) => isAskers(row.user_id)).map(presentCall),
      };
    },
  };
}

type Sources = {
  messageTimes: ReadonlyMap<string, number>;
  fileNames: ReadonlyMap<string, string>;
  mayReadInstructions: boolean;
};

/** The items of each request, oldest request first. The first ones are those of an earlier request, if that is stored. */
function itemsOf(contents: readonly Row<"request_contents">[]): Map<string, RequestItem[]> {
  const items = new Map<string, RequestItem[]>();
  for (const { request_id: id, begins_as: earlier, begins_items: count, items: own } of contents) {
    const first = earlier === null ? [] : items.get(earlier)?.slice(0, count);
    if (first !== undefined) items.set(id, [...first, ...(JSON.parse(own) as RequestItem[])]);
  }
  return items;
}

function unique(items: readonly RequestItem[], name: "message" | "file"): string[] {
  return [...new Set(items.flatMap((item) => item[name] ?? []))];
}

function presentCall(row: CallRow): ReceiptCall {
  return {
    tool_call_id: row.tool_call_id,
    tool_name: row.tool_name,
    source: row.source,
    schema_hash: row.schema_hash,
    sent_to: row.sent_to,
    result_from: row.result_from,
    allowed_by: row.allowed_by,
    allowed_at: isoTime(row.allowed_at),
    sent_at: isoTime(row.sent_at),
    sent_bytes: row.sent_bytes,
    received_bytes: row.received_bytes,
    ended_at: isoTime(row.ended_at),
    outcome: row.outcome,
  };
}

function presentRequest(
  row: rows.ReceiptRow,
  items: readonly RequestItem[],
  sources: Sources,
): ReceiptRequest {
  const isBlind = row.is_blind === 1;
  return {
    id: row.id,
    purpose: row.purpose,
    step: row.step,
    attempt: row.attempt,
    model: isBlind ? null : row.model,
    host: isBlind ? null : row.host,
    // The body contains the model's name: its size and hash would confirm a guess. So would counts of tokens.
    is_local: isBlind ? null : row.is_local === 1,
    body_bytes: isBlind ? null : row.body_bytes,
    body_sha256: isBlind ? null : row.body_sha256,
    sent_at: isoTime(row.sent_at),
    first_token_at: isoTime(row.first_token_at),
    ended_at: isoTime(row.ended_at),
    outcome: row.outcome,
    error_code: row.error_code,
    is_estimated: row.is_estimated === 1,
    input_tokens: isBlind ? null : row.input_tokens,
    cached_tokens: isBlind ? null : row.cached_tokens,
    cache_write_tokens: isBlind ? null : row.cache_write_tokens,
    output_tokens: isBlind ? null : row.output_tokens,
    reasoning_tokens: isBlind ? null : row.reasoning_tokens,
    cost_usd: runRows.visibleCost(row),
    items: items.map((item) => presentItem(item, row, sources)),
  };
}

function presentItem(
  item: RequestItem,
  row: rows.ReceiptRow,
  { messageTimes, fileNames, mayReadInstructions }: Sources,
): ReceiptItem {
  const { kind, message, file } = item;
  // The hash would confirm a guess of their words.
  const isHidden = kind === "instructions" && !mayReadInstructions;
  const changedAt = message === undefined ? 0 : messageTimes.get(message);
  const isGone = changedAt === undefined || (file !== undefined && !fileNames.has(file));
  return {
    kind,
    role: item.role ?? null,
    message_id: message ?? null,
    file_id: file ?? null,
    file_name: fileNames.get(file ?? "") ?? null,
    page: item.page ?? null,
    tool_name: item.toolName ?? null,
    tool_call_id: item.toolCallId ?? null,
    bytes: item.bytes,
    sha256: isHidden ? null : item.sha256,
    tokens: item.tokens,
    left_out: item.leftOut ?? null,
    source: isGone ? "gone" : changedAt > row.sent_at ? "changed" : "same",
  };
}
