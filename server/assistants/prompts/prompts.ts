import type { AuditAction } from "#contract/accounts/audit-actions.ts";
import type { Prompt, PromptList, PromptPut } from "#contract/prompts/endpoints.ts";
import { isId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { cleanText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Row } from "#storage/database/tables.ts";
import { actorOf, recordAudit } from "#server/audit/audit.ts";
import { ownedRows } from "#server/people/owned-rows.ts";
import type { Rights } from "#server/people/rights/rights.ts";
import { type Clock, isoTime } from "#server/lib/clock.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import { isOwnUser, type RequestFacts, type Visitor } from "#server/lib/route.ts";
import { writeOnce } from "#server/lib/write-once.ts";
import type { Live } from "#server/live/live.ts";
import { lockApp } from "../rows.ts";

type PromptRow = Row<"prompts">;
type From = Pick<RequestFacts, "limitKey">;

/** Texts that people keep for their messages: their own, and those that administrators share with everybody. */
export type Prompts = ReturnType<typeof createPrompts>;

/** Users of a backend have none: `list` throws `not-allowed`, and they find no prompt to change. */
export function createPrompts(options: {
  db: Database;
  live: Live;
  clock: Clock;
  rights: Pick<Rights, "of">;
}) {
  const { db, live, clock, rights } = options;
  const owned = ownedRows("prompts", "user_id");

  const mayShare = async (visitor: Visitor) => (await rights.of(visitor)).has("assistants.manage");

  /** Changes prompts, one transaction at a time. `work` returns what the response has. */
  async function write<T>(visitor: Visitor, work: (tx: Tx) => Promise<T>): Promise<T> {
    return await writeOnce(db, async (tx) => {
      await lockApp(tx, visitor.appId);
      const result = await work(tx);
      await live.announce(tx, visitor.workspaceId, [{ type: "prompts-put" }]);
      return result;
    });
  }

  const isUsable = (row: PromptRow, { appId, userId }: Visitor) =>
    row.app_id === appId && (row.user_id === null || row.user_id === userId);

  /** The prompt with this id, if there is one. Throws `prompt-not-found` if the visitor cannot use it, and `not-allowed`. */
  async function findToChange(tx: Tx, visitor: Visitor, id: string, isAdmin: boolean) {
    const row = await owned.find(tx.q, id);
    if (row !== undefined && !isUsable(row, visitor)) throw new AppError("prompt-not-found");
    if (row?.user_id === null && !isAdmin) throw new AppError("not-allowed");
    return row;
  }

  /** Whether this person, or everybody (null), may have another prompt. */
  async function hasRoom(tx: Tx, appId: string, userId: string | null): Promise<boolean> {
    return (await owned.count(tx.q, userId, { app_id: appId })) < limits.promptsMax;
  }

  async function list(visitor: Visitor): Promise<PromptList> {
    if (!isOwnUser(visitor)) throw new AppError("not-allowed");
    const { appId, userId } = visitor;
    const found = await db.read
      .selectFrom("prompts")
      .selectAll()
      .where("app_id", "=", appId)
      .where((is) => is.or([is("user_id", "=", userId), is("user_id", "is", null)]))
      .execute();
    const prompts = found.map(presentPrompt);
    return {
      prompts: prompts.toSorted((a, b) => a.title.localeCompare(b.title) || (a.id < b.id ? -1 : 1)),
      may_share: await mayShare(visitor),
    };
  }

  return {
    list,

    /** Throws `prompt-not-found` if the id is taken by somebody else, `too-many-prompts`. */
    async put(visitor: Visitor, id: string, body: PromptPut, request: From): Promise<Prompt> {
      if (!isOwnUser(visitor)) throw new AppError("prompt-not-found");
      if (!isId("prompt", id))
        throw badRequest("path.prompt_id", "must be a prompt id: prm_0 and 24 characters");
      const isAdmin = await mayShare(visitor);
      if (body.is_shared === true && !isAdmin) throw new AppError("not-allowed");
      return await write(visitor, async (tx) => {
        const { appId, userId } = visitor;
        const existing = await findToChange(tx, visitor, id, isAdmin);
        const wasShared = existing?.user_id === null;
        const isShared = body.is_shared ?? wasShared;
        const ownerId = isShared ? null : userId;
        if (existing?.user_id !== ownerId && !(await hasRoom(tx, appId, ownerId)))
          throw new AppError("too-many-prompts");
        const nowMs = clock.now();
        const row = { id, app_id: appId, user_id: ownerId, ...columnsOf(body) };
        const stored = { ...row, created_at: existing?.created_at ?? nowMs, updated_at: nowMs };
        if (existing === undefined) await owned.insert(tx, stored);
        else await owned.update(tx, existing.user_id, id, stored);
        const sharedNow = wasShared ? "shared-prompt-changed" : "prompt-shared";
        const action = isShared ? sharedNow : "shared-prompt-removed";
        if (isShared || wasShared) await record(tx, action, stored, { visitor, request });
        return presentPrompt(stored);
      });
    },

    /** Throws `prompt-not-found`. */
    async remove(visitor: Visitor, id: string, request: From): Promise<void> {
      if (!isOwnUser(visitor)) throw new AppError("prompt-not-found");
      const isAdmin = await mayShare(visitor);
      await write(visitor, async (tx) => {
        const row = await findToChange(tx, visitor, id, isAdmin);
        if (row === undefined) throw new AppError("prompt-not-found");
        await owned.remove(tx, row.user_id, id);
        if (row.user_id === null) await record(tx, "shared-prompt-removed", row, { visitor, request });
      });
    },

    /** What an export has: the visitor's own prompts, and the shared ones of somebody who may change them. */
    async listForExport(visitor: Visitor): Promise<Prompt[]> {
      if (!isOwnUser(visitor)) return [];
      const { prompts, may_share: isAdmin } = await list(visitor);
      return prompts.filter(({ is_shared: isShared }) => isAdmin || !isShared);
    },

    /**
     * Adds the prompts of an export that are not here, as the visitor's own: an administrator shares them again by hand.
     * `idOf` gives the id of one whose own id is taken. Returns how many were added, and how many had no room.
     */
    async import(
      visitor: Visitor,
      incoming: readonly Prompt[],
      idOf: (id: string) => string,
    ): Promise<{ added: number; refused: number }> {
      const counts = { added: 0, refused: 0 };
      if (!isOwnUser(visitor)) return { added: 0, refused: incoming.length };
      if (incoming.length === 0) return counts;
      const { appId, userId } = visitor;
      return await write(visitor, async (tx) => {
        Object.assign(counts, { added: 0, refused: 0 });
        for (const each of incoming) {
          const id = await idFor(
            tx,
            visitor,
            isId("prompt", each.id) ? [each.id, idOf(each.id)] : [idOf(each.id)],
          );
          if (id === undefined) continue;
          if (!(await hasRoom(tx, appId, userId))) {
            counts.refused += 1;
            continue;
          }
          const created = timeOf(each.created_at, clock.now());
          const updated = timeOf(each.updated_at, clock.now());
          const row = { id, app_id: appId, user_id: userId, ...columnsOf(each) };
          await owned.insert(tx, { ...row, created_at: created, updated_at: updated });
          counts.added += 1;
        }
        return counts;
      });
    },

    move: owned.move,
    /** Shared prompts stay, because others use them. */
    erase: owned.erase,
  };

  /** What is done to prompts that everybody gets is recorded; their own prompts are people's own business. */
  async function record(
    tx: Tx,
    action: Extract<AuditAction, `${string}prompt${string}`>,
    { id, title }: Pick<PromptRow, "id" | "title">,
    call: { visitor: Visitor; request: From },
  ): Promise<void> {
    const entry = { action, actor: actorOf(call), target: id, details: { name: title } };
    await recordAudit(tx, entry, clock.now());
  }

  /** The first of `ids` that is free; undefined if the visitor can use one of them already. */
  async function idFor(tx: Tx, visitor: Visitor, ids: string[]): Promise<string | undefined> {
    let free: string | undefined;
    for (const id of ids) {
      const row = await owned.find(tx.q, id);
      if (row !== undefined && isUsable(row, visitor)) return undefined;
      if (row === undefined) free ??= id;
    }
    return free;
  }
}

function columnsOf({ title, text }: Pick<PromptPut, "title" | "text">) {
  // JSON keeps characters that not every database can store.
  return { title: cleanText(title.trim()), text: JSON.stringify(text) };
}

function presentPrompt(row: PromptRow): Prompt {
  return {
    id: row.id,
    title: row.title,
    text: JSON.parse(row.text) as string,
    is_shared: row.user_id === null,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

/** Now, if an export says something else than a time. */
function timeOf(instant: string, nowMs: number): number {
  const ms = Date.parse(instant);
  return Number.isNaN(ms) ? nowMs : Math.max(0, Math.min(ms, nowMs));
}
