import type { Engine } from "#storage/engine.ts";

/** The database as of one moment, as checks read it: a statement, and its rows. */
export type Reading = {
  engine: Engine;
  nowMs: number;
  rows(statement: string): Promise<Record<string, unknown>[]>;
};

/** Something that is not as it must be, in plain words; `ids` are the rows that it is about, the first twenty. */
export type Finding = { about: string; count: number; ids: string[]; remedy: string };

export type Check = {
  /** What it looks after, in a word or two. */
  name: string;
  find(reading: Reading): Promise<Finding[]>;
};

const shownMax = 20;

/** A check of one statement, which answers the `id` of each row that is wrong. */
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
