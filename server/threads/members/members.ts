import type { MemberAccess, MemberCandidate, ThreadMember } from "#contract/endpoints/thread-members.ts";
import type { Thread } from "#contract/endpoints/threads.ts";
import { allows } from "#contract/accounts/permissions.ts";
import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { pictureUrl } from "../../people/profile/profiles.ts";
import { recordAudit, type Actor } from "../../audit/audit.ts";
import type { Clock, SteadyClock } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import { createRateLimiter } from "../../lib/rate-limit.ts";
import type { Visitor } from "../../lib/route.ts";
import type { Live } from "../../live/live.ts";
import { presentThread } from "../present.ts";
import { findThreadsByIds } from "../rows.ts";
import type { Threads } from "../threads.ts";
import * as rows from "./rows.ts";

export type ThreadMembers = ReturnType<typeof createThreadMembers>;

/** The people and groups that a thread is shared with. */
export function createThreadMembers(options: {
  db: Database;
  clock: Clock & SteadyClock;
  live: Live;
  threads: Pick<Threads, "get" | "lock" | "lockLasting" | "announce">;
}) {
  const { db, clock, live, threads } = options;
  const typing = createRateLimiter({ clock, points: limits.typingPerMinute, seconds: 60 });

  const seekerOf = ({ userId, role }: Visitor): rows.Seeker => ({
    userId,
    findsAllGroups: allows(role, "people.manage"),
  });

  /** Tells those who could read the thread before, and no longer can, that it is gone. */
  async function announceLoss(tx: Tx, threadId: string, before: readonly rows.ReaderRow[]): Promise<void> {
    const left = new Set((await rows.listReaders(tx, [threadId])).map(({ user_id: id }) => id));
    for (const { user_id: userId, workspace_id: workspaceId } of before)
      if (!left.has(userId))
        await live.announce(tx, workspaceId, [{ type: "thread-gone", thread_id: threadId }]);
  }

  return {
    /** Throws `thread-not-found`. */
    async list(visitor: Visitor, threadId: string): Promise<ThreadMember[]> {
      await threads.get(visitor, threadId);
      return (await rows.listMembers(db.read, threadId)).map((row) => ({
        id: row.member_id,
        kind: row.user_id === null ? "group" : "person",
        name: row.name,
        picture_url: pictureUrl(row.picture_id),
        access: row.access,
      }));
    },

    /** Throws `thread-not-found`, `thread-temporary`, `member-not-found` and `too-many-members`. */
    async put(
      visitor: Visitor,
      { threadId, memberId, access }: { threadId: string; memberId: string; access: MemberAccess },
      actor: Actor,
    ): Promise<void> {
      await db.write(async (tx) => {
        await threads.lockLasting(tx, visitor, threadId);
        const found = await rows.findCandidate(tx.q, seekerOf(visitor), memberId);
        if (found === undefined) throw new AppError("member-not-found");
        const members = await rows.listMembers(tx.q, threadId);
        const before = members.find((member) => member.member_id === memberId);
        if (before?.access === access) return;
        const isNew = before === undefined;
        if (isNew && members.length >= limits.threadMembersMax) throw new AppError("too-many-members");
        await rows.putMember(tx, {
          thread_id: threadId,
          member_id: memberId,
          ...found,
          access,
          added_at: clock.now(),
        });
        const details = { thread_id: threadId, kind: found.user_id === null ? "group" : "person", access };
        await recordAudit(tx, { action: "thread-member-set", actor, target: memberId, details }, clock.now());
        await threads.announce(tx, visitor, threadId);
      });
    },

    /** Also for a member who leaves. Throws `thread-not-found`. */
    async remove(
      visitor: Visitor,
      { threadId, memberId }: { threadId: string; memberId: string },
      actor: Actor,
    ): Promise<void> {
      if (visitor.memberAccess !== undefined && memberId !== visitor.userId)
        throw new AppError("thread-not-found");
      await db.write(async (tx) => {
        await threads.lock(tx, visitor, threadId);
        const before = await rows.listReaders(tx, [threadId]);
        if (!(await rows.deleteMember(tx, threadId, memberId))) return;
        const details = { thread_id: threadId };
        await recordAudit(
          tx,
          { action: "thread-member-removed", actor, target: memberId, details },
          clock.now(),
        );
        await announceLoss(tx, threadId, before);
        await threads.announce(tx, visitor, threadId);
      });
    },

    async find(visitor: Visitor, search: string): Promise<MemberCandidate[]> {
      const { people, groups } = await rows.findCandidates(db.read, seekerOf(visitor), search);
      return [
        ...people.map(({ id, name, email }) => ({ id, kind: "person" as const, name, email })),
        ...groups.map(({ id, name }) => ({ id, kind: "group" as const, name, email: null })),
      ];
    },

    /** The threads that others share with the person. */
    async sharedWith(visitor: Visitor): Promise<Thread[]> {
      if (visitor.isInWebApp !== true) return [];
      const shared = await rows.listSharedWith(db, visitor);
      const byWorkspace = Map.groupBy(shared, (each) => each.workspace_id);
      const found = await Promise.all(
        [...byWorkspace].map(
          async ([workspaceId, each]) =>
            await findThreadsByIds(
              db,
              workspaceId,
              each.map(({ thread_id: id }) => id),
            ),
        ),
      );
      const byId = new Map(found.flatMap((each) => [...each]));
      return shared.flatMap(({ thread_id: id, access }) => {
        const row = byId.get(id);
        return row === undefined ? [] : [presentThread(row, access)];
      });
    },

    /** The person's own threads that are shared. */
    async sharedBy(visitor: Visitor): Promise<Thread[]> {
      const ids = await rows.listSharedOf(db, visitor.workspaceId);
      const found = await findThreadsByIds(db, visitor.workspaceId, ids);
      return ids.flatMap((id) => (found.has(id) ? [presentThread(found.get(id)!)] : []));
    },

    /** Shows the others that the person is typing, if the thread is shared. Throws `thread-not-found` and `rate-limited`. */
    async showTyping(visitor: Visitor, threadId: string): Promise<void> {
      typing.spend(visitor.userId);
      const thread = await threads.get(visitor, threadId);
      if (thread.sharing === undefined) return;
      await db.write(async (tx) => {
        const name = await rows.findName(tx.q, visitor.userId);
        await live.announce(tx, visitor.workspaceId, [
          {
            type: "typing-put",
            thread_id: threadId,
            user_id: visitor.userId,
            name,
            until: clock.now() + limits.typingMs,
          },
        ]);
      });
    },
  };
}
