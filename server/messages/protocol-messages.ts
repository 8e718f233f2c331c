import type { BodyOf } from "#contract/api.ts";
import { isId } from "#contract/ids.ts";
import type { JsonObject } from "#contract/json.ts";
import { roles, type Role } from "#contract/endpoints/messages.ts";
import { plainText } from "#contract/parts/stored.ts";
import { cleanText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { FileReferences } from "../files/file-references.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError, badRequest } from "../lib/errors.ts";
import type { Visitor } from "../lib/route.ts";
import type { Quota } from "../quota/quota.ts";
import type { Threads } from "../threads/threads.ts";
import { createLeaseWriter, type GrantedLease } from "./client-leases/client-leases.ts";
import { contentText } from "./content-text.ts";
import * as rows from "./rows.ts";
import { findMessage, newRow, ownFormat, type MessageWriter, type ThreadContext } from "./write-messages.ts";

/** The messages that clients of the protocol store themselves. */
export type ProtocolMessages = {
  /**
   * Stores a message. If its external id exists already, or is the id of a message, replaces that message's content and
   * format (`created` is false), and moves the thread to the top if they changed. A copy changes nothing (`isCopy`). `height`
   * is the number of messages above it, and `lease` the one that was opened. Throws `thread-not-found`, `parent-not-in-thread`, `role-cannot-change`, `too-large`, `quota-full`,
   * `lease-ended`, `lease-mismatch`, `lease-taken`, `too-many-leases`.
   */
  add(
    visitor: Visitor,
    threadId: string,
    body: BodyOf<"messages.add">,
  ): Promise<{ id: string; height: number; created: boolean; lease?: GrantedLease }>;
  /**
   * Replaces a message's content only. Throws `thread-not-found`, `message-not-found`, `too-large`, `quota-full`,
   * `lease-ended`, `lease-mismatch`.
   */
  update(
    visitor: Visitor,
    threadId: string,
    messageId: string,
    body: BodyOf<"messages.update">,
  ): Promise<void>;
};

export function createProtocolMessages(options: {
  db: Database;
  threads: Threads;
  clock: Clock;
  fileReferences: FileReferences;
  quota: Quota;
  writer: MessageWriter;
}): ProtocolMessages {
  const { db, threads, clock, fileReferences, quota, writer } = options;
  const leases = createLeaseWriter();

  async function insert(
    tx: Tx,
    context: ThreadContext,
    parent: rows.MessageRow | undefined,
    fields: Partial<rows.MessageRow>,
  ): Promise<rows.MessageRow> {
    const row = { ...newRow(context, parent), ...fields };
    await writer.insert(tx, context, row);
    await writer.setHead(tx, context, row.id);
    await quota.checkThread(tx, context.threadId);
    return row;
  }

  /** Replaces the text of a message. A message that does not grow is stored even if the quota is full. */
  async function replace(
    tx: Tx,
    context: ThreadContext,
    row: rows.MessageRow,
    fields: rows.MessageChange & rows.TextChange,
  ): Promise<void> {
    await writer.replace(tx, context, row, fields);
    if (fields.content.length > row.content.length) await quota.checkThread(tx, context.threadId);
  }

  /** Stores the message, or replaces the one that has its external id. */
  async function put(
    tx: Tx,
    context: ThreadContext,
    body: BodyOf<"messages.add">,
    content: string,
  ): Promise<{ row: rows.MessageRow; created: boolean; changed: boolean }> {
    const { threadId } = context;
    const role = roleOf(body.content);
    const externalId = body.external_id == null ? null : cleanText(body.external_id);
    const format = cleanText(body.format);
    const fields = { format, content, plain_text: cleanText(plainText(body.format, body.content)) };
    const existing = externalId === null ? undefined : await findNamed(tx, threadId, externalId);
    if (existing === undefined) {
      if (body.lease_id != null) throw new AppError("lease-mismatch");
      const parent = await findParent(tx, threadId, body);
      const row = await insert(tx, context, parent, { ...fields, external_id: externalId, role });
      return { row, created: true, changed: true };
    }
    if (existing.role !== role) throw new AppError("role-cannot-change");
    if (isCopy(body, existing)) return { row: existing, created: false, changed: false };
    if (body.lease_id != null) await leases.writeAsHolder(tx, context, existing.id, body.lease_id);
    else if (body.open_run !== true) await leases.writeWithoutLease(tx, context, existing.id, true);
    const changed = existing.content !== content || existing.format !== format;
    if (changed) await replace(tx, context, existing, fields);
    return { row: existing, created: false, changed };
  }

  return {
    async add(visitor, threadId, body) {
      checkLeaseFields(body);
      const content = fileReferences.forStorage(contentText(body.content));
      return await db.write(async (tx) => {
        const context = contextOf(visitor, threadId, clock.now());
        await threads.lock(tx, visitor, threadId);
        const { row, created, changed } = await put(tx, context, body, content);
        if (changed) await threads.touch(tx, visitor, threadId, context.nowMs);
        const stored = { id: row.id, height: row.height, created };
        if (body.open_run !== true) return stored;
        const lease = await leases.open(tx, context, row.id);
        if (!changed) await writer.announce(tx, context.workspaceId, row);
        return { ...stored, lease };
      });
    },

    async update(visitor, threadId, messageId, { content, lease_id: leaseId }) {
      const text = fileReferences.forStorage(contentText(content));
      await db.write(async (tx) => {
        const context = contextOf(visitor, threadId, clock.now());
        await threads.lock(tx, visitor, threadId);
        const row = await findMessage(tx, threadId, messageId, "message-not-found");
        if (leaseId != null) await leases.writeAsHolder(tx, context, messageId, leaseId);
        else await leases.writeWithoutLease(tx, context, messageId, false);
        const fields = { content: text, plain_text: cleanText(plainText(row.format, content)) };
        await replace(tx, context, row, fields);
      });
    },
  };
}

/** Throws `bad-request` for fields that contradict each other. */
function checkLeaseFields(body: BodyOf<"messages.add">): void {
  if (body.lease_id == null) return;
  if (body.open_run === true)
    throw badRequest("body.open_run", "must be absent with lease_id: the lease is open");
  if (body.external_id == null) throw badRequest("body.external_id", "must name the message of lease_id");
}

/**
 * Whether a client copies a message that it stores itself in another format, or that it has loaded: the newest ones send each
 * message also in `aui/v0`, which can hold less than their own format. Their later writes, perhaps with a lease, are in their
 * own format, so neither that nor the lease may change.
 */
function isCopy(body: BodyOf<"messages.add">, existing: rows.MessageRow): boolean {
  if (body.format !== ownFormat || body.lease_id != null || body.open_run === true) return false;
  return existing.format !== ownFormat || existing.id === body.external_id;
}

/** The message of the thread with this external id, or else with this id, which clients take for one of their own. */
async function findNamed(tx: Tx, threadId: string, name: string): Promise<rows.MessageRow | undefined> {
  const named = await rows.findByExternalId(tx.q, threadId, name);
  return named ?? (isId("message", name) ? await rows.findMessage(tx.q, threadId, name) : undefined);
}

async function findParent(
  tx: Tx,
  threadId: string,
  body: BodyOf<"messages.add">,
): Promise<rows.MessageRow | undefined> {
  if (body.parent_external_id != null) {
    const parent = await findNamed(tx, threadId, cleanText(body.parent_external_id));
    if (parent === undefined) throw new AppError("parent-not-in-thread");
    return parent;
  }
  if (body.parent_id === null) return undefined;
  const parentId = cleanText(body.parent_id);
  // A client that lost its map of ids sends a local id. An error would lose the message and block the client's batch.
  // The parent may be stored with that id as its external id.
  const isStoredId = parentId.startsWith("msg_");
  const named = isStoredId ? await rows.findMessage(tx.q, threadId, parentId) : undefined;
  const parent = named ?? (await rows.findByExternalId(tx.q, threadId, parentId));
  if (parent === undefined && isStoredId) throw new AppError("parent-not-in-thread");
  return parent;
}

function contextOf({ workspaceId, userId }: Visitor, threadId: string, nowMs: number): ThreadContext {
  return { workspaceId, threadId, userId, nowMs };
}

function roleOf(content: JsonObject): Role {
  return roles.find((role) => role === content.role) ?? "user";
}
