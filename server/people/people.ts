import type { QueryOf } from "#contract/api.ts";
import type { Person } from "#contract/endpoints/people.ts";
import type { Role } from "#contract/accounts/permissions.ts";
import { languageTags, type LanguageTag } from "#contract/i18n/languages.ts";
import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import { type Clock, isoTime } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { pageOf } from "#server/lib/page.ts";
import type { Visitor } from "#server/lib/route.ts";
import { publishUserChange } from "#server/sign-in/credential-watch.ts";
import { revokeSessionsOf } from "#server/sign-in/rows.ts";
import { hashOf } from "#server/sign-in/secrets.ts";
import * as people from "./rows.ts";
import { namesOfGroups } from "./groups/rows.ts";
import { publishRightsChangeOf } from "./rights/rows.ts";
import { findProfile } from "./profile/rows.ts";
import { disconnectProxy } from "#server/sign-in/proxy-sign-in/disconnect.ts";
import { resetSecondFactor } from "#server/sign-in/second-factor/second-factors.ts";
import { createResetToken } from "./accounts/reset-links.ts";
import { roleOf } from "./accounts/roles.ts";
import * as rows from "./accounts/rows.ts";

const pageLimit = 50;

export type AccountOwner = { appId: string; userId: string; workspaceId: string };

export type Mailbox = { email: string | null; language: LanguageTag };

/** What administrators do with the people of the server. Throws `person-not-found`, `not-allowed` and `last-owner`. */
export type People = ReturnType<typeof createPeople>;

export function createPeople(options: {
  db: Database;
  clock: Clock;
  /** Asks all answers of a workspace to stop. */
  stopRuns: (tx: Tx, workspaceId: string, nowMs: number) => Promise<void>;
  /** Deletes the account and everything in its workspace. */
  erase: (tx: Tx, owner: AccountOwner) => Promise<void>;
}) {
  const { db, clock, stopRuns, erase } = options;

  /**
   * Runs `work` with the person and all owners locked, so that two changes cannot leave the server without an owner.
   * Only owners can act on owners, and the last owner cannot be changed.
   */
  async function act<T>(
    actor: Visitor,
    id: string,
    { removesOwner }: { removesOwner: boolean },
    work: (tx: Tx, target: rows.AccountRow, nowMs: number) => Promise<T>,
  ): Promise<T> {
    return await db.write(async (tx) => {
      const owners = await people.lockActiveOwners(tx);
      const target = (await rows.lockUsers(tx, [id])).get(id);
      if (target === undefined || target.joined_at === null) throw new AppError("person-not-found");
      if (target.is_owner === 1) {
        if (!owners.includes(actor.userId)) throw new AppError("not-allowed");
        if (removesOwner && owners.every((owner) => owner === id)) throw new AppError("last-owner");
      }
      return await work(tx, target, clock.now());
    });
  }

  const actorOf = (actor: Visitor, address: string): Actor => ({ id: actor.userId, address });

  return {
    async list(query: QueryOf<"people.list">): Promise<{ people: Person[]; next: string | null }> {
      const limit = query.limit ?? pageLimit;
      const last =
        query.after === undefined ? undefined : await rows.findAccount(db.read, { id: query.after });
      if (query.after !== undefined && (last === undefined || last.joined_at === null))
        throw new AppError("bad-cursor");
      const after = last === undefined ? undefined : { joinedAt: last.joined_at!, id: last.id };
      const found = await people.listPeople(db, {
        search: query.search?.trim() ?? "",
        groupId: query.group,
        after,
        limit: limit + 1,
      });
      const { page, next } = pageOf(found, limit);
      const groups = await namesOfGroups(
        db,
        page.map(({ id }) => id),
      );
      return {
        people: page.map((row) => present(row, groups.get(row.id))),
        next,
      };
    },

    async update(
      actor: Visitor,
      id: string,
      change: { role?: Exclude<Role, "guest"> | undefined; is_suspended?: boolean | undefined },
      address: string,
    ): Promise<void> {
      if (change.role === "owner" && actor.role !== "owner") throw new AppError("not-allowed");
      const removesOwner =
        (change.role !== undefined && change.role !== "owner") || change.is_suspended === true;
      await act(actor, id, { removesOwner }, async (tx, target, nowMs) => {
        const by = actorOf(actor, address);
        const before = roleOf(target);
        if (change.role !== undefined && change.role !== before) {
          const kind = change.role === "member" ? "member" : "admin";
          await rows.changeUser(tx, id, { kind, is_owner: change.role === "owner" ? 1 : 0 });
          publishRightsChangeOf(tx, id);
          const details = { from: before, to: change.role };
          await recordAudit(tx, { action: "role-changed", actor: by, target: id, details }, nowMs);
        }
        if (change.is_suspended === true && target.disabled_at === null) {
          await rows.changeUser(tx, id, { disabled_at: nowMs });
          await revokeSessionsOf(tx, id, "all", nowMs);
          publishUserChange(tx, id);
          await stopRuns(tx, target.workspace_id, nowMs);
          await recordAudit(tx, { action: "person-suspended", actor: by, target: id }, nowMs);
        }
        if (change.is_suspended === false && target.disabled_at !== null) {
          await rows.changeUser(tx, id, { disabled_at: null });
          await recordAudit(tx, { action: "person-restored", actor: by, target: id }, nowMs);
        }
      });
    },

    remove: async (actor: Visitor, id: string, address: string): Promise<void> =>
      await act(actor, id, { removesOwner: true }, async (tx, target, nowMs) => {
        await stopRuns(tx, target.workspace_id, nowMs);
        await erase(tx, { appId: target.app_id, userId: id, workspaceId: target.workspace_id });
        await recordAudit(
          tx,
          { action: "person-deleted", actor: actorOf(actor, address), target: id },
          nowMs,
        );
      }),

    /**
     * Deletes the account in seven days. Until then, its person can sign in to export what is in it. Returns where to write
     * to them, and in which language.
     */
    removeAfterExport: async (actor: Visitor, id: string, address: string) =>
      await act(actor, id, { removesOwner: true }, async (tx, target, nowMs) => {
        await rows.changeUser(tx, id, {
          // Not later than the person or another administrator has asked for.
          deletion_due_at: Math.min(target.deletion_due_at ?? Infinity, nowMs + limits.accountDeletionMs),
          deletion_by: actor.userId,
          // Somebody who is suspended could not sign in to export.
          disabled_at: null,
        });
        await revokeSessionsOf(tx, id, "all", nowMs);
        publishUserChange(tx, id);
        await stopRuns(tx, target.workspace_id, nowMs);
        await recordAudit(
          tx,
          { action: "person-deletion-scheduled", actor: actorOf(actor, address), target: id },
          nowMs,
        );
        return await mailboxOf(tx, target);
      }),

    endSessions: async (actor: Visitor, id: string, address: string): Promise<number> =>
      await act(actor, id, { removesOwner: false }, async (tx, _target, nowMs) => {
        const ended = await revokeSessionsOf(tx, id, "all", nowMs);
        const by = actorOf(actor, address);
        await recordAudit(tx, { action: "sessions-ended", actor: by, target: id, details: { ended } }, nowMs);
        return ended;
      }),

    /**
     * Returns the token of a link, and where to send the link, and in which language. If it is to be mailed, earlier links
     * stay until `endEarlierLinks`.
     */
    createResetToken: async (actor: Visitor, id: string, address: string, way: "copied" | "mailed") =>
      await act(actor, id, { removesOwner: false }, async (tx, target, nowMs) => {
        const token = await createResetToken(tx, id, actorOf(actor, address), nowMs, way);
        return { token, ...(await mailboxOf(tx, target)) };
      }),

    /** Ends the person's links except the one with this token. */
    endEarlierLinks: async (id: string, token: string): Promise<void> =>
      await db.write(async (tx) => {
        await rows.lockUsers(tx, [id]);
        await rows.endTokensOf(tx, id, clock.now(), hashOf(token));
      }),

    /** For somebody who has lost it. Throws `second-factor-not-found`. Nobody can do this for themselves. */
    async resetSecondFactor(actor: Visitor, id: string, address: string): Promise<void> {
      if (actor.userId === id) throw new AppError("not-allowed");
      await act(actor, id, { removesOwner: false }, async (tx, _target, nowMs) => {
        if (!(await resetSecondFactor(tx, id, actorOf(actor, address), nowMs)))
          throw new AppError("second-factor-not-found");
      });
    },

    /** Throws `proxy-identity-not-found`. */
    removeProxyIdentity: async (actor: Visitor, id: string, address: string): Promise<void> =>
      await act(actor, id, { removesOwner: false }, async (tx, _target, nowMs) => {
        await disconnectProxy(tx, id, actorOf(actor, address), nowMs);
      }),
  };
}

/** Where to write to somebody, and in which language. */
async function mailboxOf(tx: Tx, { id, email }: rows.AccountRow): Promise<Mailbox> {
  const chosen = (await findProfile(tx.q, id))?.language;
  return { email, language: languageTags.find((language) => language === chosen) ?? "en" };
}

function present(row: people.PersonRow, groups: string[] = []): Person {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    role: roleOf(row) as Person["role"],
    joined_at: isoTime(row.joined_at!),
    last_seen_at: isoTime(row.last_seen_at),
    is_suspended: row.disabled_at !== null,
    deletes_at: isoTime(row.deletion_due_at),
    groups,
    has_second_factor: row.second_factor_of !== null,
    proxy_email: row.proxy_email,
    storage_bytes: Number(row.storage_bytes),
  };
}
