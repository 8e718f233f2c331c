import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import type { Row } from "#storage/database/tables.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { ensureFirstProject } from "./first-app.ts";
import * as rows from "./rows.ts";

/** A tenant of the service, with its own keys, workspaces and threads. */
export type Project = Pick<Row<"projects">, "id" | "name" | "created_at"> & {
  /** Origins whose pages may call. If there are none here and in the setting, see `KnownHosts.isOriginNear`. */
  origins: string[];
};

/** Changes are in the audit log. */
export type Projects = {
  /** All projects, oldest first. Creates the first project if it is missing. */
  list(): Promise<[Project, ...Project[]]>;
  /** Throws `project-not-found`. */
  get(id: string): Promise<Project>;
  /** Creates a project; `undefined` if the name is taken. */
  create(name: string, actor: Actor): Promise<Project | undefined>;
  /**
   * Adds an origin, as `parseOrigin` returns it, to the project's list. Returns `false` if it was there already. Throws
   * `project-not-found` and `too-many-origins`.
   */
  addOrigin(projectId: string, origin: string, actor: Actor): Promise<boolean>;
  /** Removes an origin. Returns `false` if it was not on the list. Throws `project-not-found`. */
  removeOrigin(projectId: string, origin: string, actor: Actor): Promise<boolean>;
};

export function createProjects(options: { db: Database; clock: Clock }): Projects {
  const { db, clock } = options;

  async function changeOrigins(
    projectId: string,
    { action, origin, actor }: { action: OriginAction; origin: string; actor: Actor },
    change: (origins: string[]) => string[],
  ): Promise<boolean> {
    return await db.write(async (tx) => {
      const row = (await rows.lockProjects(tx)).find(({ id }) => id === projectId);
      if (row === undefined) throw new AppError("project-not-found");
      const before = projectFrom(row).origins;
      const after = change(before);
      if (after.length === before.length) return false;
      if (after.length > limits.projectOriginsMax && after.length > before.length)
        throw new AppError("too-many-origins");
      await rows.setOrigins(tx, projectId, JSON.stringify(after));
      await recordAudit(tx, { action, actor, target: projectId, details: { origin } }, clock.now());
      return true;
    });
  }

  return {
    async list() {
      const found = (await rows.listProjects(db)).map(projectFrom);
      if (isNotEmpty(found)) return found;
      await ensureFirstProject(db, clock.now());
      return (await rows.listProjects(db)).map(projectFrom) as [Project];
    },

    async get(id) {
      const row = await rows.findProject(db, id);
      if (row === undefined) throw new AppError("project-not-found");
      return projectFrom(row);
    },

    async create(name, actor) {
      await ensureFirstProject(db, clock.now());
      return await db.write(async (tx) => {
        // Locked, so that two concurrent calls cannot create the same name.
        if ((await rows.lockProjects(tx)).some((project) => project.name === name)) return undefined;
        const nowMs = clock.now();
        const row = { id: newId("project", nowMs), name, allowed_origins: "[]", created_at: nowMs };
        await rows.insertProject(tx, row);
        await recordAudit(tx, { action: "project-created", actor, target: row.id, details: { name } }, nowMs);
        return projectFrom(row);
      });
    },

    addOrigin: async (projectId, origin, actor) =>
      await changeOrigins(projectId, { action: "project-origin-added", origin, actor }, (origins) => [
        ...new Set([...origins, origin]),
      ]),
    removeOrigin: async (projectId, origin, actor) =>
      await changeOrigins(projectId, { action: "project-origin-removed", origin, actor }, (origins) =>
        origins.filter((listed) => listed !== origin),
      ),
  };
}

type OriginAction = "project-origin-added" | "project-origin-removed";

function projectFrom({
  id,
  name,
  created_at,
  allowed_origins,
}: Pick<Row<"projects">, "id" | "name" | "created_at" | "allowed_origins">): Project {
  return { id, name, created_at, origins: JSON.parse(allowed_origins) as string[] };
}

function isNotEmpty<T>(list: T[]): list is [T, ...T[]] {
  return list.length > 0;
}
