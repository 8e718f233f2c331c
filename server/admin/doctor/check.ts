import type { Engine } from "#storage/lib/engine.ts";

/** A consistent snapshot of the database. `rows` executes a query. */
export type Snapshot = {
  engine: Engine;
  nowMs: number;
  rows(statement: string): Promise<Record<string, unknown>[]>;
};

/** A problem in plain words. `ids` has the first twenty rows with it. */
export type Finding = { about: string; count: number; ids: string[]; remedy: string };

export type Check = {
  /** The subject of the check, in a word or two. */
  name: string;
  find(snapshot: Snapshot): Promise<Finding[]>;
};

const shownMax = 20;

/** A check whose query returns the `id` of each wrong row. */
export function rule(name: string, about: string, remedy: string, statement: string): Check {
  return {
    name,
    async find({ rows }) {
      const found = await rows(`select count(*) as count from (${statement}) as wrong`);
      const count = Number(found[0]?.count ?? 0);
      if (count === 0) return [];
      const first = await rows(`select id from (${statement}) as wrong order by id limit ${shownMax}`);
      return [{ about, count, ids: first.map(({ id }) => String(id)), remedy }];
    },
  };
}
