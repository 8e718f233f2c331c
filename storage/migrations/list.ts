import { sql, type QueryExecutorProvider } from "kysely";
import type { Engine } from "../lib/engine.ts";
import type { Table } from "../schema/table.ts";
import { webhookDeliveries } from "../tables/apps/webhooks.ts";
import { modelSettings } from "../tables/assistants/model-settings.ts";
import { fileTexts } from "../tables/files/file-texts.ts";
import { preparedPeople } from "../tables/people/prepared-people.ts";
import { signInProviders } from "../tables/sign-in/sign-in-providers.ts";
import { tables } from "../tables/tables.ts";
import { oneSchema } from "./0055-one-schema.ts";
import { addColumn, addIndex, createTable, createTriggers, dropTriggers, hasColumn } from "./schema.ts";

/**
 * Takes the schema of an existing database one version further, inside a transaction. A new database begins with the tables
 * of this version instead. Never edit one that has been on the main branch.
 */
export type Migration = (db: QueryExecutorProvider, engine: Engine) => Promise<void>;

/** What changes tables that exist. */
const changes: Record<string, Migration> = {
  "0055-one-schema": oneSchema,
  // After its tables are created, the triggers that write in them. An older migration may have created these already.
  "0058-webhooks": async (db, engine) => {
    await dropTriggers(db, engine);
    await createTriggers(db, engine);
  },
  "0059-due-deliveries": async (db, engine) => {
    await addIndex(db, engine, webhookDeliveries, "webhook_deliveries_pending");
    await sql`drop index if exists webhook_deliveries_due`.execute(db);
    await dropTriggers(db, engine);
    await createTriggers(db, engine);
  },
  "0062-recognized-texts": async (db, engine) => {
    await addColumn(db, engine, fileTexts, "recognized_in");
    await addColumn(db, engine, fileTexts, "recognized_pages");
  },
  "0063-claims-of-imports": async (db, engine) => {
    for (const column of ["name", "email", "email_key", "mailed_at"] as const)
      await addColumn(db, engine, preparedPeople, column);
    await addIndex(db, engine, preparedPeople, "prepared_people_by_email");
    await addColumn(db, engine, signInProviders, "claims_imports");
  },
  "0064-updates": async (db, engine) => {
    if (!(await hasColumn(db, engine, "migrations", "version")))
      await sql`alter table migrations add column version varchar(255)`.execute(db);
  },
  "0066-tools": async (db, engine) => await addColumn(db, engine, modelSettings, "steps_max"),
};

const names = new Set([...Object.keys(changes), ...tables.flatMap(({ since }: Table) => since ?? [])]);

/** Every migration, in the order of their names, in which they run. Each creates the tables that name it, then changes others. */
export const migrations: Record<string, Migration> = Object.fromEntries(
  [...names].toSorted().map((name) => [name, migrationNamed(name)]),
);

function migrationNamed(name: string): Migration {
  return async (db, engine) => {
    for (const table of tables)
      if ("since" in table && table.since === name) await createTable(db, engine, table);
    await changes[name]?.(db, engine);
  };
}

/** The newest migration of the versions whose migrations were deleted. Only databases that have all of them are opened. */
export const lastDeleted = { name: "0054-client-leases", count: 48, commit: "619f7d146ca8" };
