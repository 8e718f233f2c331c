import type { Database } from "#storage/sql/database.ts";
import type { Row } from "#storage/sql/tables.ts";
import type { Clock } from "../clock.ts";
import { ensureFirstRows } from "./first-rows.ts";
import * as rows from "./rows.ts";

/** A tenant of the service: its keys, workspaces and threads are nobody else's. */
export type Project = Pick<Row<"projects">, "id" | "name" | "created_at">;

export type Projects = {
  /** Every project, the oldest first; the first is the install's own, made where it is not there yet. */
  list(): Promise<[Project, ...Project[]]>;
};

export function createProjects(options: { db: Database; clock: Clock }): Projects {
  const { db, clock } = options;
  return {
    async list() {
      const found = (await rows.listProjects(db)).map(shown);
      if (isSome(found)) return found;
      await ensureFirstRows(db, clock.now());
      return (await rows.listProjects(db)).map(shown) as [Project];
    },
  };
}

function shown({ id, name, created_at }: Row<"projects">): Project {
  return { id, name, created_at };
}

function isSome<T>(list: T[]): list is [T, ...T[]] {
  return list.length > 0;
}
