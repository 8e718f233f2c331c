import type { BodyOf } from "#contract/api.ts";
import type { Share } from "#contract/endpoints/shares.ts";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import type { RowChange } from "#storage/database/tables.ts";
import { recordAudit, type Actor } from "../audit/audit.ts";
import type { PasswordHasher } from "../people/accounts/password-hash.ts";
import { hashOf } from "../sign-in/secrets.ts";
import { type Clock, isoTime } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Visitor } from "../lib/route.ts";
import { findLeaseOf } from "../messages/client-leases/rows.ts";
import { findVisibleHead } from "../messages/visible-head.ts";
import { findMessage } from "../messages/rows.ts";
import type { Threads } from "../threads/threads.ts";
import * as rows from "./rows.ts";
import type { ShareTokens } from "./share-tokens.ts";

export type Shares = ReturnType<typeof createShares>;

/** Published when a link was created. */
export const newShareTopic = "new-share";

/** Published when a link is changed or revoked. */
export function shareTopic(id: string): string {
  return `share:${id}`;
}

/** The links that people create to their threads. */
export function createShares(options: {
  db: Database;
  clock: Clock;
  tokens: ShareTokens;
  threads: Pick<Threads, "get" | "lockLasting">;
  hasher: PasswordHasher;
}) {
  const { db, clock, tokens, threads, hasher } = options;

  function present(row: rows.ListedShare, webUrl: string): Share {
    const token = tokens.tokenOf(row.id);
    return {
      id: row.id,
      thread_id: row.thread_id,
      title: row.title,
      url: hashOf(token) === row.token_hash ? `${webUrl}/s/${token}` : null,
      is_live: row.head_id === null,
      all_branches: row.all_branches === 1,
      with_files: row.with_files === 1,
      audience: row.audience,
      has_password: row.password_hash !== null,
      expires_at: isoTime(row.expires_at),
      views: row.views,
      created_at: isoTime(row.created_at),
    };
  }

  async function hashPassword(password: string | null | undefined) {
    return password == null ? password : await hasher.hash(password);
  }

  async function get(visitor: Visitor, id: string, webUrl: string): Promise<Share> {
    const [row] = await rows.listShares(db.read, visitor.userId, { id });
    if (row === undefined) throw new AppError("share-not-found");
    return present(row, webUrl);
  }

  return {
    list: async (visitor: Visitor, threadId: string | undefined, webUrl: string): Promise<Share[]> =>
      (await rows.listShares(db.read, visitor.userId, { threadId })).map((row) => present(row, webUrl)),

    /** Throws `thread-not-found`, `thread-temporary`, `nothing-to-share` and `too-many-shares`. */
    async create(
      visitor: Visitor,
      body: BodyOf<"shares.create">,
      { actor, webUrl }: { actor: Actor; webUrl: string },
    ): Promise<Share> {
      // Before a password is hashed, which takes long.
      await threads.get(visitor, body.thread_id);
      const passwordHash = (await hashPassword(body.password)) ?? null;
      const nowMs = clock.now();
      const id = newId("share", nowMs);
      await db.write(async (tx) => {
        await threads.lockLasting(tx, visitor, body.thread_id);
        const headId = await findVisibleHead(tx.q, body.thread_id, visitor.userId);
        const head = headId === undefined ? undefined : await findMessage(tx.q, body.thread_id, headId);
        // An answer that is not complete is not part of a snapshot, because it may still be continued.
        const lease = head && (await findLeaseOf(tx, head.id));
        const isWhole = head?.status === "complete" && (lease === undefined || lease.ended_at !== null);
        const lastId = isWhole ? head.id : head?.parent_id;
        if (lastId == null) throw new AppError("nothing-to-share");
        if ((await rows.ownedShares.count(tx.q, visitor.userId)) >= limits.sharesMax)
          throw new AppError("too-many-shares");
        await rows.ownedShares.insert(tx, {
          id,
          token_hash: hashOf(tokens.tokenOf(id)),
          thread_id: body.thread_id,
          user_id: visitor.userId,
          head_id: body.is_live === true ? null : lastId,
          all_branches: body.all_branches === true ? 1 : 0,
          with_files: body.with_files === true ? 1 : 0,
          audience: body.audience ?? "anyone",
          password_hash: passwordHash,
          expires_at: body.expires_at == null ? null : Date.parse(body.expires_at),
          views: 0,
          created_at: nowMs,
        });
        tx.publishOnCommit.add(newShareTopic);
        await recordAudit(tx, { action: "share-created", actor, target: id }, nowMs);
      });
      return await get(visitor, id, webUrl);
    },

    /** Throws `share-not-found`. */
    async update(
      visitor: Visitor,
      id: string,
      body: BodyOf<"shares.update">,
      { actor, webUrl }: { actor: Actor; webUrl: string },
    ): Promise<Share> {
      await get(visitor, id, webUrl);
      const passwordHash = await hashPassword(body.password);
      const change: RowChange<"shares"> = {
        ...(body.all_branches === undefined ? {} : { all_branches: body.all_branches ? 1 : 0 }),
        ...(body.with_files === undefined ? {} : { with_files: body.with_files ? 1 : 0 }),
        ...(body.audience === undefined ? {} : { audience: body.audience }),
        ...(passwordHash === undefined ? {} : { password_hash: passwordHash }),
        ...(body.expires_at === undefined
          ? {}
          : { expires_at: body.expires_at === null ? null : Date.parse(body.expires_at) }),
      };
      await db.write(async (tx) => {
        if (!(await rows.ownedShares.update(tx, visitor.userId, id, change)))
          throw new AppError("share-not-found");
        await recordAudit(tx, { action: "share-changed", actor, target: id }, clock.now());
        tx.publishOnCommit.add(shareTopic(id));
      });
      return await get(visitor, id, webUrl);
    },

    /** Throws `share-not-found`. */
    async revoke(visitor: Visitor, id: string, actor: Actor): Promise<void> {
      await db.write(async (tx) => {
        if (!(await rows.ownedShares.remove(tx, visitor.userId, id))) throw new AppError("share-not-found");
        await recordAudit(tx, { action: "share-revoked", actor, target: id }, clock.now());
        tx.publishOnCommit.add(shareTopic(id));
      });
    },
  };
}
