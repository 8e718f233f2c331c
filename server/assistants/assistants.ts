import type { BodyOf } from "#contract/api.ts";
import type { AuditAction } from "#contract/accounts/audit-actions.ts";
import type { Assistant, AssistantSettings, AssistantUpdate } from "#contract/endpoints/assistants.ts";
import { avatarColours, isOneCharacter } from "#contract/avatars.ts";
import { defaultAssistantId, isId, newId } from "#contract/ids.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { cleanText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { RowChange } from "#storage/database/tables.ts";
import { recordAudit, type Actor } from "../audit/audit.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError, badRequest } from "../lib/errors.ts";
import type { Live } from "../live/live.ts";
import { requestHash } from "../lib/request-hash.ts";
import type { Visitor } from "../lib/route.ts";
import { writeOnce } from "../lib/write-once.ts";
import { builtInRow, presentAssistant, presentSettings } from "./present.ts";
import * as rows from "./rows.ts";

type Caller = Pick<Visitor, "appId" | "workspaceId">;

/** `replaces`: the name of the deleted assistant that this one stands in for; "" if the name is not known. */
export type ResolvedAssistant = AssistantSettings & { id: string; model: string | null; replaces?: string };

export type Assistants = ReturnType<typeof createAssistants>;

/**
 * The assistants of each app. `default` always exists, with its built-in settings until an admin changes it. A
 * deleted assistant keeps its row, because threads and answers refer to it.
 */
export function createAssistants(options: {
  db: Database;
  live: Live;
  clock: Clock;
  /** The names of the available tools. */
  toolNames: () => readonly string[];
}) {
  const { db, live, clock, toolNames } = options;

  /** The app's assistants that can be selected, the default one included whether or not it has a row. */
  async function listRows(reader: Pick<Database, "read">, appId: string): Promise<rows.AssistantRow[]> {
    const found = await rows.listAssistants(reader, appId);
    return found.some(({ id }) => id === defaultAssistantId) ? found : [builtInRow(appId), ...found];
  }

  /** An assistant that can be selected. The default one always can. */
  async function findSelectable(
    reader: Pick<Database, "read">,
    appId: string,
    id: string,
  ): Promise<rows.AssistantRow | undefined> {
    const row = await rows.findAssistant(reader, appId, cleanText(id));
    if (row?.deleted_at === null) return row;
    return id === defaultAssistantId ? builtInRow(appId) : undefined;
  }

  function checkTools(tools: string[] | null | undefined): void {
    const known = toolNames();
    if (tools?.some((name) => !known.includes(name)) === true)
      throw badRequest("body.tools", `must be names of available tools: ${known.join(", ")}`);
  }

  /** Throws `too-many-assistants` if the app cannot have one more. Returns its assistants. */
  async function checkCapacity(tx: Tx, appId: string): Promise<rows.AssistantRow[]> {
    const existing = await rows.listAssistants({ read: tx.q }, appId);
    const own = existing.filter(({ id }) => id !== defaultAssistantId);
    if (own.length >= limits.assistantsMax) throw new AppError("too-many-assistants");
    return existing;
  }

  /** Changes an app's assistants, one transaction at a time, and publishes the change in the workspace's feed. */
  async function write<T>(caller: Caller, work: (tx: Tx) => Promise<T>): Promise<T> {
    return await writeOnce(db, async (tx) => {
      await rows.lockApp(tx, caller.appId);
      const result = await work(tx);
      await live.announce(tx, caller.workspaceId, [{ type: "assistants-put" }]);
      return result;
    });
  }

  return {
    /** The assistants that can be selected, in order. */
    list: async (appId: string) => (await listRows(db, appId)).map(presentAssistant),

    /** Throws `assistant-not-found`. */
    async get(appId: string, id: string): Promise<{ assistant: Assistant; settings: AssistantSettings }> {
      const row = await findSelectable(db, appId, id);
      if (row === undefined) throw new AppError("assistant-not-found");
      return { assistant: presentAssistant(row), settings: presentSettings(row) };
    },

    /** A repeated request with the same `id` and body returns the same assistant. Throws `conflict`, `too-many-assistants`. */
    async create(caller: Caller, body: BodyOf<"assistants.create">, actor: Actor): Promise<Assistant> {
      if (body.id !== undefined && !isId("assistant", body.id))
        throw badRequest("body.id", "must be an assistant id: asst_0 and 24 characters");
      checkTools(body.tools);
      const hash = body.id === undefined ? null : requestHash(body);
      return await write(caller, async (tx) => {
        const { appId } = caller;
        const existing =
          body.id === undefined ? undefined : await rows.findAssistant({ read: tx.q }, appId, body.id);
        if (existing !== undefined) {
          if (existing.request_hash !== hash || existing.deleted_at !== null) throw new AppError("conflict");
          return presentAssistant(existing);
        }
        const others = await checkCapacity(tx, appId);
        const nowMs = clock.now();
        const row: rows.AssistantRow = {
          ...builtInRow(appId),
          id: body.id ?? newId("assistant", nowMs),
          avatar: JSON.stringify({
            text: initialOf(body.name),
            colour: avatarColours[others.length % avatarColours.length]!,
          }),
          ...columnsOf(body),
          position: Math.max(0, ...others.map(({ position }) => position)) + 1,
          request_hash: hash,
          created_at: nowMs,
          updated_at: nowMs,
        };
        await rows.insertAssistant(tx, row);
        await record(tx, "assistant-created", actor, row);
        return presentAssistant(row);
      });
    },

    /** Throws `assistant-not-found`. */
    async update(caller: Caller, id: string, body: AssistantUpdate, actor: Actor): Promise<Assistant> {
      checkTools(body.tools);
      return await write(caller, async (tx) => {
        const row = await findSelectable({ read: tx.q }, caller.appId, id);
        if (row === undefined) throw new AppError("assistant-not-found");
        const next = { ...row, ...columnsOf(body), updated_at: clock.now() };
        await record(tx, "assistant-changed", actor, next, { fields: Object.keys(body) });
        return presentAssistant(await upsert(tx, next));
      });
    },

    async reorder(caller: Caller, ids: string[], actor: Actor): Promise<void> {
      await write(caller, async (tx) => {
        const assistants = await listRows({ read: tx.q }, caller.appId);
        const newPositionOf = (row: rows.AssistantRow) => {
          const index = ids.indexOf(row.id);
          return index === -1 ? ids.length : index;
        };
        const ordered = assistants.toSorted((a, b) => newPositionOf(a) - newPositionOf(b));
        for (const [position, row] of ordered.entries())
          if (row.position !== position) await upsert(tx, { ...row, position });
        await recordAudit(tx, { action: "assistants-reordered", actor }, clock.now());
      });
    },

    /** Does nothing if the assistant is deleted already. Throws `assistant-not-found`. */
    async remove(caller: Caller, id: string, actor: Actor): Promise<void> {
      await write(caller, async (tx) => {
        const row = await rows.findAssistant({ read: tx.q }, caller.appId, id);
        if (row === undefined && id !== defaultAssistantId) throw new AppError("assistant-not-found");
        if (row?.deleted_at !== null) return;
        await rows.updateAssistant(tx, row, { deleted_at: clock.now() });
        await record(tx, "assistant-removed", actor, row);
      });
    },

    /** Does nothing if the assistant is not deleted. Throws `assistant-not-found`, `too-many-assistants`. */
    async restore(caller: Caller, id: string, actor: Actor): Promise<Assistant> {
      return await write(caller, async (tx) => {
        const row = await rows.findAssistant({ read: tx.q }, caller.appId, id);
        if (row === undefined && id !== defaultAssistantId) throw new AppError("assistant-not-found");
        if (row === undefined) return presentAssistant(builtInRow(caller.appId));
        if (row.deleted_at !== null && id !== defaultAssistantId) await checkCapacity(tx, caller.appId);
        if (row.deleted_at !== null) await record(tx, "assistant-restored", actor, row);
        await rows.updateAssistant(tx, row, { deleted_at: null });
        return presentAssistant({ ...row, deleted_at: null });
      });
    },

    /** Throws `assistant-not-found` for an assistant that cannot be selected. */
    async checkSelectable(appId: string, id: string): Promise<void> {
      if ((await findSelectable(db, appId, id)) === undefined) throw new AppError("assistant-not-found");
    },

    /** The assistant's current settings, or those of the default assistant if it was deleted. */
    async resolve(appId: string, id: string): Promise<ResolvedAssistant> {
      const row = await findSelectable(db, appId, id);
      if (row !== undefined) return { id, model: row.model, ...presentSettings(row) };
      const deleted = await rows.findAssistant(db, appId, id);
      const replacement = (await findSelectable(db, appId, defaultAssistantId))!;
      return {
        id: defaultAssistantId,
        model: replacement.model,
        ...presentSettings(replacement),
        replaces: deleted?.name ?? "",
      };
    },

    /** Whether the app has or had an assistant with this id. */
    isKnown: async (appId: string, id: string): Promise<boolean> =>
      (await rows.findAssistant(db, appId, id)) !== undefined,

    /** The names of the assistants with these ids, including deleted ones. Unknown ids are left out. */
    async findNames(appId: string, ids: string[]): Promise<ReadonlyMap<string, string>> {
      const names = new Map(ids.includes(defaultAssistantId) ? [[defaultAssistantId, "Parlance"]] : []);
      for (const { id, name } of await rows.findNames(db, appId, ids)) names.set(id, name);
      return names;
    },
  };

  async function record(
    tx: Tx,
    action: Extract<AuditAction, `assistant-${string}`>,
    actor: Actor,
    { id, name }: Pick<rows.AssistantRow, "id" | "name">,
    details: JsonObject = {},
  ): Promise<void> {
    await recordAudit(tx, { action, actor, target: id, details: { name, ...details } }, clock.now());
  }

  /** Updates a row, or inserts the row of the default assistant at its first change. */
  async function upsert(tx: Tx, row: rows.AssistantRow): Promise<rows.AssistantRow> {
    const existing = await rows.findAssistant({ read: tx.q }, row.app_id, row.id);
    const stored = {
      ...row,
      created_at: existing?.created_at ?? clock.now(),
      updated_at: row.updated_at || clock.now(),
    };
    if (existing === undefined) await rows.insertAssistant(tx, stored);
    else await rows.updateAssistant(tx, existing, stored);
    return stored;
  }
}

function columnsOf(body: AssistantUpdate): RowChange<"assistants"> & Partial<rows.AssistantRow> {
  return {
    ...(body.name === undefined ? {} : { name: cleanText(body.name.trim()) }),
    ...(body.avatar === undefined ? {} : { avatar: JSON.stringify(body.avatar) }),
    ...(body.instructions === undefined ? {} : { instructions: JSON.stringify(body.instructions) }),
    ...(body.model === undefined ? {} : { model: body.model && cleanText(body.model) }),
    ...(body.tools === undefined ? {} : { tools: body.tools && JSON.stringify([...new Set(body.tools)]) }),
    ...(body.starters === undefined ? {} : { starters: JSON.stringify(body.starters) }),
    ...(body.parameters === undefined ? {} : { parameters: JSON.stringify(body.parameters) }),
  };
}

/** The text of a new assistant's avatar: the first character of its name. */
function initialOf(name: string): string {
  const first =
    [...new Intl.Segmenter().segment(cleanText(name).trim())][0]?.segment.toLocaleUpperCase() ?? "";
  return isOneCharacter(first) ? first : "A";
}
