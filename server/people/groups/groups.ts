import { noRights, type Rights } from "#contract/accounts/rights.ts";
import type { BodyOf, QueryOf } from "#contract/api.ts";
import type { Group, GroupMember } from "#contract/endpoints/groups.ts";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { cleanText, cutText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { isUniqueViolation } from "#storage/database/portable-sql.ts";
import type { RowChange } from "#storage/database/tables.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { pageOf, rowAt } from "#server/lib/page.ts";
import { findAccount } from "../accounts/rows.ts";
import { publishRightsChange, publishRightsChangeOf } from "../rights/rows.ts";
import { findProvider } from "#server/sign-in/providers/rows.ts";
import * as rows from "./rows.ts";

const pageLimit = 50;

/**
 * Called before the members of a group change, or only whether `userId` is one. The returned function is called after it
 * and announces what the people concerned can read now.
 */
export type WatchReaders = (
  tx: Tx,
  change: { groupId: string; userId?: string },
) => Promise<() => Promise<void>>;

export type Groups = ReturnType<typeof createGroups>;

/** The groups of people, as administrators manage them. Every change takes effect at once, in every process. */
export function createGroups({
  db,
  clock,
  watchReaders,
}: {
  db: Database;
  clock: Clock;
  watchReaders: WatchReaders;
}) {
  async function get(id: string): Promise<Group> {
    const row = await rows.findGroup(db.read, id);
    if (row === undefined) throw new AppError("group-not-found");
    return present(row);
  }

  /** Throws `sign-in-provider-not-found`. */
  async function claimColumns(tx: Tx, claim: BodyOf<"groups.create">["claim"]) {
    if (claim === undefined) return {};
    if (claim === null) return { claim_provider_id: null, claim_value: null };
    const provider = await findProvider(tx.q, claim.provider_id);
    if (provider === undefined) throw new AppError("sign-in-provider-not-found");
    return { claim_provider_id: provider.id, claim_value: cleanText(claim.value.trim()) };
  }

  /** Throws `group-exists` if another group has the name. */
  async function write<T>(
    work: (tx: Tx, nowMs: number) => Promise<T>,
    publish = publishRightsChange,
  ): Promise<T> {
    return await db
      .write(async (tx) => {
        const result = await work(tx, clock.now());
        publish(tx);
        return result;
      })
      .catch((cause: unknown) => {
        throw isUniqueViolation(cause) ? new AppError("group-exists", { cause }) : cause;
      });
  }

  /** Changes who belongs to a group. Throws `group-not-found` and `person-not-found`, and what `work` throws. */
  async function changeMember(
    { groupId, userId }: { groupId: string; userId: string },
    actor: Actor,
    work: (
      tx: Tx,
      group: rows.GroupRow,
      nowMs: number,
    ) => Promise<"group-member-added" | "group-member-removed" | undefined>,
  ): Promise<void> {
    const person = await findAccount(db.read, { id: userId });
    const change = async (tx: Tx, nowMs: number) => {
      const group = await rows.lockGroup(tx, groupId);
      if (group === undefined) throw new AppError("group-not-found");
      if (person === undefined || person.joined_at === null) throw new AppError("person-not-found");
      const announce = await watchReaders(tx, { groupId, userId });
      const action = await work(tx, group, nowMs);
      await announce();
      if (action !== undefined)
        await recordAudit(tx, { action, actor, target: userId, details: { group: groupId } }, nowMs);
    };
    await write(change, (tx) => publishRightsChangeOf(tx, userId));
  }

  return {
    get,

    /** Throws `bad-cursor`. */
    async list(query: QueryOf<"groups.list">): Promise<{ groups: Group[]; next: string | null }> {
      const limit = query.limit ?? pageLimit;
      const after = await rowAt(query.after, async (id) => await rows.findGroup(db.read, id));
      const found = await rows.listGroups(db.read, {
        search: query.search?.trim() ?? "",
        after,
        limit: limit + 1,
      });
      const { page, next } = pageOf(found, limit);
      return { groups: page.map(present), next };
    },

    /** Throws `group-exists`, `too-many-groups`, `sign-in-provider-not-found`. */
    async create({ name, claim, rights }: BodyOf<"groups.create">, actor: Actor): Promise<Group> {
      const id = await write(async (tx, nowMs) => {
        if ((await rows.countGroups(tx)) >= limits.groupsMax) throw new AppError("too-many-groups");
        const groupId = newId("group", nowMs);
        await rows.insertGroup(tx, {
          id: groupId,
          ...nameColumns(name),
          rights: JSON.stringify(rights ?? noRights),
          claim_provider_id: null,
          claim_value: null,
          ...(await claimColumns(tx, claim)),
          created_at: nowMs,
          updated_at: nowMs,
        });
        const details = { name, ...(claim === undefined ? {} : { claim }) };
        await recordAudit(tx, { action: "group-created", actor, target: groupId, details }, nowMs);
        return groupId;
      });
      return await get(id);
    },

    /**
     * Adds people to the group with this name, which is created if there is none. An existing group with rights, or whose
     * members a sign-in provider decides, stays as it is: the name of a group on another server gives no rights here.
     */
    async bring(name: string, userIds: readonly string[], actor: Actor): Promise<boolean> {
      const columns = nameColumns(cutText(name.trim(), limits.accountNameCharacters));
      if (columns.name === "") return false;
      return await write(async (tx, nowMs) => {
        const existing = await rows.findGroupNamed(tx, columns.name_key);
        const isFree =
          existing === undefined ||
          (existing.rights === JSON.stringify(noRights) && existing.claim_value === null);
        if (!isFree || (existing === undefined && (await rows.countGroups(tx)) >= limits.groupsMax))
          return false;
        const groupId = existing?.id ?? newId("group", nowMs);
        if (existing === undefined) {
          const row = { rights: JSON.stringify(noRights), claim_provider_id: null, claim_value: null };
          await rows.insertGroup(tx, {
            id: groupId,
            ...columns,
            ...row,
            created_at: nowMs,
            updated_at: nowMs,
          });
          await recordAudit(
            tx,
            { action: "group-created", actor, target: groupId, details: { name: columns.name } },
            nowMs,
          );
        }
        const announce = await watchReaders(tx, { groupId });
        for (const userId of userIds)
          if (await rows.insertMember(tx, groupId, userId, nowMs))
            await recordAudit(
              tx,
              { action: "group-member-added", actor, target: userId, details: { group: groupId } },
              nowMs,
            );
        await announce();
        return true;
      });
    },

    /** Throws `group-not-found`, `group-exists`, `sign-in-provider-not-found`. */
    async update(id: string, { name, claim, rights }: BodyOf<"groups.update">, actor: Actor): Promise<Group> {
      await write(async (tx, nowMs) => {
        const group = await rows.lockGroup(tx, id);
        if (group === undefined) throw new AppError("group-not-found");
        const change: RowChange<"user_groups"> = {
          ...(name === undefined ? {} : nameColumns(name)),
          ...(rights === undefined ? {} : { rights: JSON.stringify(rights) }),
          ...(await claimColumns(tx, claim)),
        };
        await rows.updateGroup(tx, id, { ...change, updated_at: nowMs });
        // People who belonged to it by another claim, or were chosen by hand, do not belong to it by this one.
        if (claim != null && !hasClaim(group, change)) {
          const announce = await watchReaders(tx, { groupId: id });
          await rows.deleteMembersOf(tx, id);
          await announce();
        }
        const details = {
          name: group.name,
          ...(change.name === undefined || change.name === group.name ? {} : { new_name: change.name }),
          ...(claim === undefined ? {} : { claim }),
          ...(rights === undefined ? {} : { rights }),
        };
        await recordAudit(tx, { action: "group-changed", actor, target: id, details }, nowMs);
      });
      return await get(id);
    },

    /** Throws `group-not-found`. */
    async remove(id: string, actor: Actor): Promise<void> {
      await write(async (tx, nowMs) => {
        const group = await rows.lockGroup(tx, id);
        if (group === undefined) throw new AppError("group-not-found");
        const announce = await watchReaders(tx, { groupId: id });
        await rows.deleteGroup(tx, id);
        await announce();
        const details = { name: group.name };
        await recordAudit(tx, { action: "group-removed", actor, target: id, details }, nowMs);
      });
    },

    /** Throws `group-not-found` and `bad-cursor`. */
    async members(
      id: string,
      query: QueryOf<"groups.members">,
    ): Promise<{ members: GroupMember[]; next: string | null }> {
      await get(id);
      const limit = query.limit ?? pageLimit;
      const after = await rowAt(query.after, async (member) => await rows.findMember(db.read, id, member));
      const found = await rows.listMembers(db.read, id, {
        search: query.search?.trim() ?? "",
        after,
        limit: limit + 1,
      });
      const { page, next } = pageOf(found, limit);
      return { members: page, next };
    },

    /** Throws `group-not-found`, `person-not-found`, and `group-has-claim` if a provider decides who belongs to it. */
    addMember: async (groupId: string, userId: string, actor: Actor): Promise<void> =>
      await changeMember({ groupId, userId }, actor, async (tx, { claim_provider_id: provider }, nowMs) => {
        if (provider !== null) throw new AppError("group-has-claim");
        return (await rows.insertMember(tx, groupId, userId, nowMs)) ? "group-member-added" : undefined;
      }),

    /** Throws `group-not-found` and `person-not-found`. A provider that names the person again adds them again. */
    removeMember: async (groupId: string, userId: string, actor: Actor): Promise<void> =>
      await changeMember({ groupId, userId }, actor, async (tx) =>
        (await rows.deleteMember(tx, [groupId], userId)) > 0 ? "group-member-removed" : undefined,
      ),
  };
}

function hasClaim(group: rows.GroupRow, claim: RowChange<"user_groups">): boolean {
  return group.claim_provider_id === claim.claim_provider_id && group.claim_value === claim.claim_value;
}

function nameColumns(name: string) {
  const written = cleanText(name.trim());
  return { name: written, name_key: written.normalize("NFC").toLowerCase() };
}

function present(row: rows.GroupRow): Group {
  const { id, name, claim_provider_id: providerId, claim_value: value } = row;
  return {
    id,
    name,
    people: Number(row.people),
    claim: providerId === null || value === null ? null : { provider_id: providerId, value },
    rights: JSON.parse(row.rights) as Rights,
  };
}
