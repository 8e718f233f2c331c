import type { Kysely } from "kysely";
import type { Engine } from "../../lib/engine.ts";
import { accounts } from "./accounts.ts";
import { feedback } from "./feedback.ts";
import { files } from "./files.ts";
import { logs } from "./logs.ts";
import { runs } from "./runs.ts";
import { search } from "./search.ts";
import { threads } from "./threads.ts";

/** The schema of the first release. `tables.ts` says what the tables and columns mean. */
export async function initial(db: Kysely<unknown>, engine: Engine): Promise<void> {
  // A table comes after the tables that it refers to.
  for (const statements of [accounts, threads, runs, feedback, files, search, logs])
    for (const statement of statements(engine)) await statement.execute(db);
}
