import { newId } from "#contract/ids.ts";
import type { Database } from "#storage/database/database.ts";
import type { Row } from "#storage/database/tables.ts";
import type { Clock } from "#server/lib/clock.ts";
import { ensureFirstProject } from "../first-project.ts";
import * as rows from "./rows.ts";

/** A tenant of the service, with its own keys, workspaces and threads. */
export type Project = Pick<Row<"projects">, "id" | "name" | "created_at"> & {
  /** Origins whose pages may call. If there are none here and in the setting, see `KnownHosts.isOriginNear`. */
  origins: string[];
};

export type Projects = {
  /** All projects, oldest first. Creates the first project if it is missing. */
  list(): Promise<[Project, ...Project[]]>;
  /** Creates a project; `undefined` if the name is taken. */
  create(name: string): Promise<Project | undefined>;
  /** Adds an origin, as `parseOrigin` returns it, to the project's list. Returns `false` if it was there already. */
  addOrigin(projectId: string, origin: string): Promise<boolean>;
  /** Removes an origin. Returns `false` if it was not on the list. */
  removeOrigin(projectId: string, origin: string): Promise<boolean>;
};

export function createProjects(options: { db: Database; clock: Clock }): Projects {
  const { db, clock } = options;

  async function changeOrigins(projectId: string, change: (origins: string[]) => string[]): Promise<boolean> {
    return await db.write(async (tx) => {
      const row = (await rows.lockProjects(tx)).find(({ id }) => id === projectId);
      if (row === undefined) return false;
      const before = projectFrom(row).origins;
      const after = change(before);
      if (after.length === before.length) return false;
      await rows.setOrigins(tx, projectId, JSON.stringify(after));
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

    async create(name) {
      await ensureFirstProject(db, clock.now());
      return await db.write(async (tx) => {
        // Locked, so that two concurrent calls cannot create the same name.
        if ((await rows.lockProjects(tx)).some((project) => project.name === name)) return undefined;
        const nowMs = clock.now();
        const row = { id: newId("project", nowMs), name, allowed_origins: "[]", created_at: nowMs };
        await rows.insertProject(tx, row);
        return projectFrom(row);
      });
    },

    addOrigin: async (projectId, origin) =>
      await changeOrigins(projectId, (origins) => [...new Set([...origins, origin])]),
    removeOrigin: async (projectId, origin) =>
      await changeOrigins(projectId, (origins) => origins.filter((listed) => listed !== origin)),
  };
}

function projectFrom({ id, name, created_at, allowed_origins }: Row<"projects">): Project {
  return { id, name, created_at, origins: JSON.parse(allowed_origins) as string[] };
}

function isNotEmpty<T>(list: T[]): list is [T, ...T[]] {
  return list.length > 0;
}
