import type { Check, Finding } from "./check.ts";

const restore = "The database is damaged: restore the last good backup, and check the disk.";

/** The database engine's own integrity checks. */
export const engineCheck: Check = {
  name: "database",
  async find({ engine, rows }) {
    return engine === "sqlite" ? await sqliteFindings(rows) : await brokenReferences(rows);
  },
};

type Rows = (statement: string) => Promise<Record<string, unknown>[]>;

async function sqliteFindings(rows: Rows): Promise<Finding[]> {
  const findings: Finding[] = [];
  const messages = (await rows("pragma integrity_check(20)")).map((row) => String(Object.values(row)[0]));
  const errors = messages.filter((message) => message !== "ok");
  if (errors.length > 0)
    findings.push({
      about: "SQLite reports a damaged file",
      count: errors.length,
      ids: errors,
      remedy: restore,
    });
  const links = await rows("pragma foreign_key_check");
  if (links.length > 0) {
    const ids = links.map(
      ({ table, rowid, parent }) =>
        `${String(table)} ${typeof rowid === "number" ? rowid : ""} → ${String(parent)}`,
    );
    findings.push({
      about: "rows refer to missing rows",
      count: links.length,
      ids: [...new Set(ids)].slice(0, 20),
      remedy: restore,
    });
  }
  return findings;
}

/** PostgreSQL enforces foreign keys, unless somebody disabled them temporarily. */
async function brokenReferences(rows: Rows): Promise<Finding[]> {
  const links = await rows(`
    select conname as name, conrelid::regclass::text as child, confrelid::regclass::text as parent,
      (select string_agg(quote_ident(attname), ',' order by place) from unnest(conkey) with ordinality as k(number, place)
        join pg_attribute on attrelid = conrelid and attnum = number) as keys,
      (select string_agg(quote_ident(attname), ',' order by place) from unnest(confkey) with ordinality as k(number, place)
        join pg_attribute on attrelid = confrelid and attnum = number) as targets
    from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`);
  const findings: Finding[] = [];
  for (const { name, child, parent, keys, targets } of links) {
    const columns = String(keys).split(",");
    const pairs = String(targets)
      .split(",")
      .map((target, index) => `parent.${target} = child.${columns[index]}`);
    const [row] = await rows(
      `select count(*) as count from ${String(child)} as child
       where ${columns.map((column) => `child.${column} is not null`).join(" and ")}
         and not exists (select 1 from ${String(parent)} as parent where ${pairs.join(" and ")})`,
    );
    const count = Number(row?.count ?? 0);
    if (count > 0)
      findings.push({
        about: `rows of ${String(child)} refer to missing rows of ${String(parent)}`,
        count,
        ids: [String(name)],
        remedy: restore,
      });
  }
  return findings;
}
