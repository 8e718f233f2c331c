import type { Database } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import { createProjects } from "./projects/projects.ts";

/**
 * Whose pages may call the service from a browser. Each project has its list, the operator's setting counts for every
 * project, and where both are empty every page may.
 */
export type Origins = {
  /** Whether a page of `origin` may call for some project: all that is known of a preflight, which says not whose. */
  someAllows(origin: string): Promise<boolean>;
  /** Whether it may call for this project. */
  allows(origin: string, projectId: string): Promise<boolean>;
};

/** 1 s: a change counts that soon, and a page that calls a hundred times in it asks the database once. */
const keptMs = 1_000;

/** Reads the lists once, so that they are known even if the database goes away at once. */
export async function createOrigins(options: {
  db: Database;
  clock: Clock;
  everywhere: readonly string[];
}): Promise<Origins> {
  const { clock, everywhere } = options;
  const projects = createProjects(options);
  let lists = await read();
  let readAt = clock.now();
  let reading: Promise<void> | undefined;

  async function read(): Promise<Map<string, readonly string[]>> {
    return new Map((await projects.list()).map(({ id, origins }) => [id, [...everywhere, ...origins]]));
  }

  async function readAgain(): Promise<void> {
    try {
      lists = await read();
      readAt = clock.now();
    } catch {
      // While the database is away, what was true last counts: a failure that carries no CORS headers would look to
      // pages like a dead line, and not like a server that asks for patience.
    } finally {
      reading = undefined;
    }
  }

  async function known(): Promise<Map<string, readonly string[]>> {
    const ageMs = clock.now() - readAt;
    if (ageMs >= keptMs || ageMs < 0) await (reading ??= readAgain());
    return lists;
  }

  return {
    async someAllows(origin) {
      return [...(await known()).values()].some((list) => isOn(list, origin));
    },
    async allows(origin, projectId) {
      return isOn((await known()).get(projectId) ?? everywhere, origin);
    },
  };
}

function isOn(list: readonly string[], origin: string): boolean {
  return list.length === 0 || list.includes(origin);
}
