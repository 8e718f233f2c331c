import type { QueryExecutorProvider } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { jobs } from "../tables/jobs/jobs.ts";
import { oneSchema } from "./0055-one-schema.ts";
import { createTable } from "./schema.ts";

/**
 * Takes the schema of an existing database one version further, inside a transaction. A new database begins with the tables
 * of this version instead. Never edit one that has been on the main branch.
 */
export type Migration = (db: QueryExecutorProvider, engine: Engine) => Promise<void>;

/** Every migration. They run in the order of their names. */
export const migrations: Record<string, Migration> = {
  "0055-one-schema": oneSchema,
  "0056-jobs": async (db, engine) => await createTable(db, engine, jobs),
};

/** The newest migration of the versions whose migrations were deleted. Only databases that have all of them are opened. */
export const lastDeleted = { name: "0054-client-leases", count: 48, commit: "619f7d146ca8" };
