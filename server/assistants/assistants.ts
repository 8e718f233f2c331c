import type { BodyOf } from "#contract/api.ts";
import type { Assistant, AssistantSettings, AssistantUpdate } from "#contract/endpoints/assistants.ts";
import { avatarColours, isOneCharacter } from "#contract/avatars.ts";
import { defaultAssistantId, isId, newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { cleanText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { RowChange } from "#storage/database/tables.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError, badRequest } from "../lib/errors.ts";
import type { Live } from "../live/live.ts";
import { requestHash } from "../lib/request-hash.ts";
import type { Visitor } from "../lib/route.ts";
import { writeOnce } from "../lib/write-once.ts";
import { builtInRow, presentAssistant, presentSettings } from "./present.ts";
import * as rows from "./rows.ts";

type Who = Pick<Visitor, "projectId" | "workspaceId">;

/**
 * Who answers. Each project has its own; `default` is always one of them, as it was at the start until somebody changes
 * it. Nothing is ever forgotten of one that is deleted: threads and answers name it.
 */
export type Assistants = {
  /** Those that can be chosen, in their order. */
  list(projectId: string): Promise<Assistant[]>;
  /** Throws `assistant-not-found`. */
  get(projectId: string, id: string): Promise<{ assistant: Assistant; settings: AssistantSettings }>;
  /** The same `id` again with the same body answers the same one. Throws `conflict`, `too-many-assistants`. */
  create(who: Who, body: BodyOf<"assistants.create">): Promise<Assistant>;
  /** Throws `assistant-not-found`. */
  update(who: Who, id: string, body: AssistantUpdate): Promise<Assistant>;
  reorder(who: Who, ids: string[]): Promise<void>;
  /** A second time does nothing. Throws `assistant-not-found`. */
  remove(who: Who, id: string): Promise<void>;
  /** One that was not deleted stays as it is. Throws `assistant-not-found`, `too-many-assistants`. */
  restore(who: Who, id: string): Promise<Assistant>;
  /** Throws `assistant-not-found` for one that cannot be chosen. */
  check(projectId: string, id: string): Promise<void>;
  /** How this one answers now; in the place of one that is gone, how the default one does. */
  answering(projectId: string, id: string): Promise<Answering>;
  /** What those of `ids` are or were called, where that is known. */
  namesOf(projectId: string, ids: string[]): Promise<ReadonlyMap<string, string>>;
};

/** How an assistant answers. `insteadOf` names the one that is gone, emptily where its name is not known. */
export type Answering = AssistantSettings & { id: string; model: string | null; insteadOf?: string };

export function createAssistants(options: {
  db: Database;
  live: Live;
  clock: Clock;
  /** The names of the tools that there are. */
  toolNames: () => readonly string[];
}): Assistants {
  const { db, live, clock, toolNames } = options;

  /** Those of the project, the default one among them whether or not it has a row. */
  async function all(projectId: string): Promise<rows.AssistantRow[]> {
    const found = await rows.listAssistants(db, projectId);
    return found.some(({ id }) => id === defaultAssistantId) ? found : [builtInRow(projectId), ...found];
  }

  /** One that can be chosen; the default one always can. */
  async function standing(
    reader: Pick<Database, "read">,
    projectId: string,
    id: string,
  ): Promise<rows.AssistantRow | undefined> {
    const row = await rows.findAssistant(reader, projectId, cleanText(id));
    if (row?.deleted_at === null) return row;
    return id === defaultAssistantId ? builtInRow(projectId) : undefined;
  }

  function checkTools(tools: string[] | null | undefined): void {
    const known = toolNames();
    const strange = tools?.find((name) => !known.includes(name));
    if (strange !== undefined)
      throw badRequest("body.tools", `must name tools that there are: ${known.join(", ")}`);
  }

  async function makeRoom(tx: Tx, projectId: string): Promise<rows.AssistantRow[]> {
    const there = await rows.listAssistants({ read: tx.q }, projectId);
    const own = there.filter(({ id }) => id !== defaultAssistantId);
    if (own.length >= limits.assistantsMax) throw new AppError("too-many-assistants");
    return there;
  }

  /** Changes a project's assistants, one transaction after the other, and tells the other tabs of whoever does it. */
  async function write<T>(who: Who, work: (tx: Tx) => Promise<T>): Promise<T> {
    return await writeOnce(db, async (tx) => {
      await rows.holdProject(tx, who.projectId);
      const made = await work(tx);
      await live.announce(tx, who.workspaceId, [{ type: "assistants-put" }]);
      return made;
    });
  }

  return {
    list: async (projectId) => (await all(projectId)).map(presentAssistant),

    async get(projectId, id) {
      const row = await standing(db, projectId, id);
      if (row === undefined) throw new AppError("assistant-not-found");
      return { assistant: presentAssistant(row), settings: presentSettings(row) };
    },

    async create(who, body) {
      if (body.id !== undefined && !isId("assistant", body.id))
        throw badRequest("body.id", "must be an assistant id: asst_0 and 24 characters");
      checkTools(body.tools);
      const hash = body.id === undefined ? null : requestHash(body);
      return await write(who, async (tx) => {
        const { projectId } = who;
        const before =
          body.id === undefined ? undefined : await rows.findAssistant({ read: tx.q }, projectId, body.id);
        if (before !== undefined) {
          if (before.request_hash !== hash || before.deleted_at !== null) throw new AppError("conflict");
          return presentAssistant(before);
        }
        const there = await makeRoom(tx, projectId);
        const nowMs = clock.now();
        const row: rows.AssistantRow = {
          ...builtInRow(projectId),
          id: body.id ?? newId("assistant", nowMs),
          avatar: JSON.stringify({
            text: initialOf(body.name),
            colour: avatarColours[there.length % avatarColours.length]!,
          }),
          ...changeOf(body),
          position: Math.max(0, ...there.map(({ position }) => position)) + 1,
          request_hash: hash,
          created_at: nowMs,
          updated_at: nowMs,
        };
        await rows.insertAssistant(tx, row);
        return presentAssistant(row);
      });
    },

    async update(who, id, body) {
      checkTools(body.tools);
      return await write(who, async (tx) => {
        const row = await standing({ read: tx.q }, who.projectId, id);
        if (row === undefined) throw new AppError("assistant-not-found");
        const next = { ...row, ...changeOf(body), updated_at: clock.now() };
        return presentAssistant(await put(tx, next));
      });
    },

    async reorder(who, ids) {
      await write(who, async (tx) => {
        const there = await rows.listAssistants({ read: tx.q }, who.projectId);
        if (!there.some(({ id }) => id === defaultAssistantId)) there.unshift(builtInRow(who.projectId));
        const placeOf = (row: rows.AssistantRow) => {
          const place = ids.indexOf(row.id);
          return place === -1 ? ids.length : place;
        };
        const ordered = there.toSorted((a, b) => placeOf(a) - placeOf(b));
        for (const [position, row] of ordered.entries())
          if (row.position !== position) await put(tx, { ...row, position });
      });
    },

    async remove(who, id) {
      await write(who, async (tx) => {
        const row = await rows.findAssistant({ read: tx.q }, who.projectId, id);
        if (row === undefined && id !== defaultAssistantId) throw new AppError("assistant-not-found");
        if (row?.deleted_at === null) await rows.changeAssistant(tx, row, { deleted_at: clock.now() });
      });
    },

    async restore(who, id) {
      return await write(who, async (tx) => {
        const row = await rows.findAssistant({ read: tx.q }, who.projectId, id);
        if (row === undefined && id !== defaultAssistantId) throw new AppError("assistant-not-found");
        if (row === undefined) return presentAssistant(builtInRow(who.projectId));
        if (row.deleted_at !== null && id !== defaultAssistantId) await makeRoom(tx, who.projectId);
        await rows.changeAssistant(tx, row, { deleted_at: null });
        return presentAssistant({ ...row, deleted_at: null });
      });
    },

    async check(projectId, id) {
      if ((await standing(db, projectId, id)) === undefined) throw new AppError("assistant-not-found");
    },

    async answering(projectId, id) {
      const row = await standing(db, projectId, id);
      if (row !== undefined) return { id, model: row.model, ...presentSettings(row) };
      const gone = await rows.findAssistant(db, projectId, id);
      const instead = (await standing(db, projectId, defaultAssistantId))!;
      return {
        id: defaultAssistantId,
        model: instead.model,
        ...presentSettings(instead),
        insteadOf: gone?.name ?? "",
      };
    },

    async namesOf(projectId, ids) {
      const names = new Map(ids.includes(defaultAssistantId) ? [[defaultAssistantId, "Parlance"]] : []);
      for (const { id, name } of await rows.findNames(db, projectId, ids)) names.set(id, name);
      return names;
    },
  };

  /** Stores a row that may not be there yet: the default one's. */
  async function put(tx: Tx, row: rows.AssistantRow): Promise<rows.AssistantRow> {
    const there = await rows.findAssistant({ read: tx.q }, row.project_id, row.id);
    const stored = {
      ...row,
      created_at: there?.created_at ?? clock.now(),
      updated_at: row.updated_at || clock.now(),
    };
    if (there === undefined) await rows.insertAssistant(tx, stored);
    else await rows.changeAssistant(tx, there, stored);
    return stored;
  }
}

function changeOf(body: AssistantUpdate): RowChange<"assistants"> & Partial<rows.AssistantRow> {
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

/** What tells a new assistant apart until somebody chooses something else. */
function initialOf(name: string): string {
  const first =
    [...new Intl.Segmenter().segment(cleanText(name).trim())][0]?.segment.toLocaleUpperCase() ?? "";
  return isOneCharacter(first) ? first : "A";
}
