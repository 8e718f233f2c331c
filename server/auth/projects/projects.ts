import { newId } from "#contract/ids.ts";
import type { Database } from "#storage/database/database.ts";
import type { Row } from "#storage/database/tables.ts";
import type { Clock } from "#server/lib/clock.ts";
import { ensureFirstRows } from "../first-rows.ts";
import * as rows from "./rows.ts";

/** A tenant of the service: its keys, workspaces and threads are nobody else's. */
export type Project = Pick<Row<"projects">, "id" | "name" | "created_at"> & {
  /** Whose pages may call, as browsers name them; none: everybody's. */
  origins: string[];
};

export type Projects = {
  /** Every project, the oldest first; the first is the install's own, made where it is not there yet. */
  list(): Promise<[Project, ...Project[]]>;
  /** Makes a project; `undefined` where the name is taken. */
  make(name: string): Promise<Project | undefined>;
  /** Puts an origin, as `originOf` gives it, on the project's list; `false` where it stood there. */
  allow(projectId: string, origin: string): Promise<boolean>;
  /** Takes it off again; `false` where it did not stand there. */
  forbid(projectId: string, origin: string): Promise<boolean>;
};

export function createProjects(options: { db: Database; clock: Clock }): Projects {
  const { db, clock } = options;

  async function changeOrigins(projectId: string, change: (origins: string[]) => string[]): Promise<boolean> {
    return await db.write(async (tx) => {
      const held = (await rows.holdProjects(tx)).find(({ id }) => id === projectId);
      if (held === undefined) return false;
      const before = shown(held).origins;
      const after = change(before);
      if (after.length === before.length) return false;
      await rows.setOrigins(tx, projectId, JSON.stringify(after));
      return true;
    });
  }

  return {
    async list() {
      const found = (await rows.listProjects(db)).map(shown);
      if (isSome(found)) return found;
      await ensureFirstRows(db, clock.now());
      return (await rows.listProjects(db)).map(shown) as [Project];
    },

    async make(name) {
      await ensureFirstRows(db, clock.now());
      return await db.write(async (tx) => {
        // Held, so that two who choose the same name at once do not both get it.
        if ((await rows.holdProjects(tx)).some((project) => project.name === name)) return undefined;
        const nowMs = clock.now();
        const row = { id: newId("project", nowMs), name, allowed_origins: "[]", created_at: nowMs };
        await rows.insertProject(tx, row);
        return shown(row);
      });
    },

    allow: async (projectId, origin) =>
      await changeOrigins(projectId, (origins) => [...new Set([...origins, origin])]),
    forbid: async (projectId, origin) =>
      await changeOrigins(projectId, (origins) => origins.filter((one) => one !== origin)),
  };
}

function shown({ id, name, created_at, allowed_origins }: Row<"projects">): Project {
  return { id, name, created_at, origins: JSON.parse(allowed_origins) as string[] };
}

function isSome<T>(list: T[]): list is [T, ...T[]] {
  return list.length > 0;
}
