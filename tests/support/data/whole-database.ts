import { rawSql } from "../postgres/raw-sql.ts";
import type { EngineName, ServerPlace } from "../servers/server.ts";

/** Tables with their columns, keys, checks and indexes, triggers and functions. The order of columns is left out. */
export async function schemaOf(place: ServerPlace, engine: EngineName): Promise<string[]> {
  const found = await rawSql(place, async (run) => {
    const rows = [];
    for (const query of catalogs[engine]) rows.push(...(await run(query)));
    return rows;
  });
  return found.map((row) => normalized(JSON.stringify(Object.values(row)))).toSorted();
}

/** SQLite stores statements as they were written, and quotes names that it changes itself. */
function normalized(text: string): string {
  return text
    .replaceAll('\\"', "")
    .replaceAll(/(\\n|\s)+/g, " ")
    .replaceAll("( ", "(")
    .replaceAll(" )", ")");
}

const ownTables = "from sqlite_schema as t where t.type = 'table'";

const catalogs: Record<EngineName, string[]> = {
  sqlite: [
    `select 'table', name, type, wr, strict from pragma_table_list where schema = 'main'`,
    `select 'column', t.name, c.name, c.type, c."notnull", c.dflt_value, c.pk, c.hidden
     from sqlite_schema as t, pragma_table_xinfo(t.name) as c where t.type = 'table'`,
    `select 'foreign key', t.name, f."table", group_concat(f."from"), group_concat(f."to"), f.on_delete, f.on_update
     from sqlite_schema as t, pragma_foreign_key_list(t.name) as f where t.type = 'table' group by t.name, f.id`,
    `select 'key', t.name, i.origin, group_concat(c.name) from sqlite_schema as t, pragma_index_list(t.name) as i,
     pragma_index_info(i.name) as c where t.type = 'table' and i.origin <> 'c' group by t.name, i.name`,
    `select 'check', name, substr(sql, instr(lower(sql), 'check (')) ${ownTables} and lower(sql) like '%check (%'`,
    `select type, name, sql from sqlite_schema where type <> 'table' and sql is not null`,
  ],
  postgres: [
    `select 'table', relname, relkind, reloptions::text from pg_class
     where relnamespace = 'public'::regnamespace and relkind not in ('i', 't')`,
    `select 'column', table_name, column_name, data_type, is_nullable, column_default, collation_name, is_generated
     from information_schema.columns where table_schema = 'public'`,
    `select 'index', tablename, indexname, indexdef from pg_indexes where schemaname = 'public'`,
    `select 'trigger', tgrelid::regclass::text, tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal`,
    `select 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint
     where connamespace = 'public'::regnamespace`,
    `select 'function', proname, prosrc from pg_proc where pronamespace = 'public'::regnamespace`,
  ],
};

/** All rows of all tables as JSON with sorted columns, but for the names of the migrations. */
export async function rowsOf(place: ServerPlace, engine: EngineName): Promise<Record<string, string[]>> {
  return await rawSql(place, async (run) => {
    const names = await run(
      engine === "sqlite"
        ? "select name from sqlite_schema where type = 'table'"
        : "select table_name as name from information_schema.tables where table_schema = 'public'",
    );
    const tables = names.map(({ name }) => String(name)).filter((name) => !name.startsWith("migrations"));
    const rows: Record<string, string[]> = {};
    for (const table of tables)
      rows[table] = (await run(`select * from ${table}`)).map((row) => rowText(row)).toSorted();
    return rows;
  });
}

/** A row of a table or an archive. */
export function rowText(row: Record<string, unknown>): string {
  const fields = Object.entries(row).map(([name, value]) => [
    name,
    value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value,
  ]);
  return JSON.stringify(fields.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
}

/** Everything that the tables have as one text, but for the words of the search index on SQLite. */
export async function everyRow(place: ServerPlace): Promise<string> {
  return await rawSql(place, async (run) => {
    const tables =
      place.databaseUrl === undefined
        ? await run("select name from sqlite_schema where type = 'table' and name not like 'search_%words%'")
        : await run(
            "select table_name as name from information_schema.tables where table_schema = current_schema()",
          );
    let all = "";
    for (const { name } of tables) all += JSON.stringify(await run(`select * from "${String(name)}"`));
    return all;
  });
}
