import type { Reply } from "#contract/fold.ts";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { plainText } from "#contract/parts/stored.ts";
import { cleanText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { JsonObject } from "#contract/json.ts";
import { parseThreadLink } from "#contract/thread-links.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import type { Visitor } from "../../lib/route.ts";
import type { Threads } from "../../threads/threads.ts";
import * as messageRows from "../rows.ts";
import { type MessageWriter, type ThreadContext, ownFormat } from "../write-messages.ts";
import * as rows from "./rows.ts";
import { convertContent } from "../formats/convert.ts";
import { replyContent } from "../replies/reply-content.ts";

export type EndReason = NonNullable<rows.LeaseRow["end_reason"]>;

/** A lease as its holder gets it. */
export type GrantedLease = { lease_id: string; heartbeat_interval_ms: number };

/** The leases of clients of the protocol, which store an answer while they write it. */
export type ClientLeases = {
  /** Throws `thread-not-found`, `lease-not-found`, `lease-ended`. */
  heartbeat(visitor: Visitor, threadId: string, leaseId: string): Promise<void>;
  /**
   * Ends the lease; a lease that has ended stays as it is. Returns the height of its message if it ended now. Throws
   * `thread-not-found`, `lease-not-found`.
   */
  end(visitor: Visitor, threadId: string, leaseId: string, reason: EndReason): Promise<number | undefined>;
  /** The id of the message in which a client stores an answer of the server under this external id, if it has begun to. */
  answerMessage(threadId: string, externalId: string): Promise<string | undefined>;
  /**
   * The server writes the answer that a client stores under this external id: readers see that it is being written, even
   * if its client is gone. Returns when the client was last heard of; `undefined` without an open lease.
   */
  answerHeartbeat(threadId: string, externalId: string): Promise<number | undefined>;
  /**
   * Stores this answer of the server and ends the lease, if its client is no longer heard of. Does nothing to a message in
   * a format that the server does not write.
   */
  finish(threadId: string, externalId: string, reply: Reply): Promise<void>;
};

/** In a transaction that holds the thread's lock. */
export type LeaseWriter = {
  /**
   * Opens a lease of the message for the one who has just written it. Throws `lease-taken` if another client that is still
   * heard of holds one, and `too-many-leases`.
   */
  open(tx: Tx, context: ThreadContext, messageId: string): Promise<GrantedLease>;
  /**
   * Before a write with this lease: renews it. A lease that was ended by a write of its own app without the lease stays
   * ended, but its holder may still write. Throws `lease-mismatch` if it is not the message's lease, and `lease-ended`.
   */
  writeAsHolder(tx: Tx, context: ThreadContext, messageId: string, leaseId: string): Promise<void>;
  /**
   * Before a write without a lease: ends an open lease whose holder is no longer heard of. `isWriter`: the write comes from
   * the app that opened the lease, which never got its id, or stores each answer twice. The lease ends in any case.
   */
  writeWithoutLease(tx: Tx, context: ThreadContext, messageId: string, isWriter: boolean): Promise<void>;
};

export function createLeaseWriter(): LeaseWriter {
  return {
    async open(tx, { workspaceId, threadId, nowMs }, messageId) {
      const current = await rows.findLeaseOf(tx, messageId);
      if (current !== undefined && current.ended_at === null && !isSilent(current, nowMs))
        throw new AppError("lease-taken");
      const open = await rows.countHeard(tx, workspaceId, nowMs - limits.clientSilenceMs);
      if (open >= limits.clientLeasesMax) throw new AppError("too-many-leases");
      const id = newId("lease", nowMs);
      await rows.putLease(tx, {
        message_id: messageId,
        id,
        thread_id: threadId,
        workspace_id: workspaceId,
        heartbeat_at: nowMs,
        ended_at: null,
        end_reason: null,
        answer_heartbeat_at: null,
      });
      return { lease_id: id, heartbeat_interval_ms: limits.clientHeartbeatMs };
    },

    async writeAsHolder(tx, { threadId, nowMs }, messageId, leaseId) {
      const lease = await rows.findLease(tx, threadId, leaseId);
      if (lease?.message_id !== messageId) throw new AppError("lease-mismatch");
      if (lease.ended_at !== null && !isEndedByOwnApp(lease)) throw new AppError("lease-ended");
      await rows.changeLease(tx, leaseId, { heartbeat_at: nowMs });
    },

    async writeWithoutLease(tx, { nowMs }, messageId, isWriter) {
      const lease = await rows.findLeaseOf(tx, messageId);
      if (lease === undefined || lease.ended_at !== null) return;
      if (isWriter || isSilent(lease, nowMs)) await rows.changeLease(tx, lease.id, { ended_at: nowMs });
    },
  };
}

export function createClientLeases(options: {
  db: Database;
  threads: Threads;
  clock: Clock;
  writer: MessageWriter;
}): ClientLeases {
  const { db, threads, clock, writer } = options;

  async function find(tx: Tx, visitor: Visitor, threadId: string, leaseId: string): Promise<rows.LeaseRow> {
    await threads.lock(tx, visitor, threadId);
    const lease = await rows.findLease(tx, threadId, leaseId);
    if (lease === undefined) throw new AppError("lease-not-found");
    return lease;
  }

  /** The open lease of the message with this external id. */
  async function findOpen(tx: Tx, threadId: string, externalId: string) {
    const message = await messageRows.findByExternalId(tx.q, threadId, externalId);
    const lease = message && (await rows.findLeaseOf(tx, message.id));
    return message !== undefined && lease?.ended_at === null ? { message, lease } : undefined;
  }

  return {
    async heartbeat(visitor, threadId, leaseId) {
      await db.write(async (tx) => {
        const lease = await find(tx, visitor, threadId, leaseId);
        if (lease.ended_at !== null) throw new AppError("lease-ended");
        await rows.changeLease(tx, leaseId, { heartbeat_at: clock.now() });
      });
    },

    async end(visitor, threadId, leaseId, reason) {
      return await db.write(async (tx) => {
        const lease = await find(tx, visitor, threadId, leaseId);
        if (lease.ended_at !== null) return undefined;
        const nowMs = clock.now();
        await rows.changeLease(tx, leaseId, { heartbeat_at: nowMs, ended_at: nowMs, end_reason: reason });
        const message = (await messageRows.findMessage(tx.q, threadId, lease.message_id))!;
        await writer.announce(tx, visitor.workspaceId, message);
        return message.height;
      });
    },

    async answerMessage(threadId, externalId) {
      return (await messageRows.findByExternalId(db.read, threadId, externalId))?.id;
    },

    async answerHeartbeat(threadId, externalId) {
      return await db.write(async (tx) => {
        const open = await findOpen(tx, threadId, externalId);
        if (open === undefined) return undefined;
        await rows.changeLease(tx, open.lease.id, { answer_heartbeat_at: clock.now() });
        return open.lease.heartbeat_at;
      });
    },

    async finish(threadId, externalId, reply) {
      await db.write(async (tx) => {
        await threads.lockAll(tx, [threadId]);
        const open = await findOpen(tx, threadId, externalId);
        const nowMs = clock.now();
        if (open === undefined || !isSilent(open.lease, nowMs)) return;
        const { message, lease } = open;
        const content = answerContent(reply, message.format);
        if (content === undefined) return;
        await rows.changeLease(tx, lease.id, { ended_at: nowMs, end_reason: reasonOf(reply) });
        await writer.replace(tx, { workspaceId: lease.workspace_id, threadId, nowMs }, message, {
          content: JSON.stringify(content),
          plain_text: cleanText(plainText(message.format, content)),
        });
      });
    },
  };
}

/** Whether its holder has not been heard of for so long that its answer counts as interrupted. */
function isSilent(lease: rows.LeaseRow, nowMs: number): boolean {
  return nowMs - lease.heartbeat_at >= limits.clientSilenceMs;
}

/** Whether a write without the lease ended it while its holder was heard of (`isWriter`). */
function isEndedByOwnApp(lease: rows.LeaseRow): boolean {
  return lease.ended_at !== null && lease.end_reason === null && !isSilent(lease, lease.ended_at);
}

function reasonOf({ end }: Reply): EndReason {
  if (end?.state === "completed") return "done";
  return end?.state === "cancelled" ? "cancelled" : "error";
}

/**
 * An answer of the server in the format in which a client stores it. `undefined` for a format that the server does not
 * write, and for an answer with a tool call that the client's page has to carry out.
 */
function answerContent(reply: Reply, format: string): JsonObject | undefined {
  if (reply.parts.some((part) => part.type === "tool-call" && part.result === undefined)) return undefined;
  const content = replyContent({ ...reply, parts: reply.parts.filter((part) => !isOwnPlace(part)) });
  return format === ownFormat ? content : convertContent(content, ownFormat, format);
}

/** A link of our own web app, which the client's page did not get either. */
function isOwnPlace(part: Reply["parts"][number]): boolean {
  if (part.type !== "source") return false;
  return part.sourceType === "url" && parseThreadLink(part.url) !== undefined;
}
