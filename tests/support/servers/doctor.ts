import { textBytes } from "#storage/database/text-bytes.ts";
import { runCommand } from "./cli.ts";
import { rawSql } from "../postgres/raw-sql.ts";
import type { EngineName, ServerPlace } from "./server.ts";

type Diagnosis = {
  checks: string[];
  faults: { check: string; about: string; count: number; ids: string[]; remedy: string }[];
  notes: { check: string; ids: string[] }[];
};

export async function examine(where: ServerPlace, ...args: string[]): Promise<Diagnosis & { code: number }> {
  const { code, out } = await runCommand(where, ["doctor", "--json", ...args]);
  return { code, ...(JSON.parse(out) as Diagnosis) };
}

/** Changes the database without its constraints and triggers. */
export async function editDatabase(
  engine: EngineName,
  where: ServerPlace,
  statements: string[],
): Promise<void> {
  await rawSql(where, async (run) => {
    if (engine === "postgres") await run("set session_replication_role = replica");
    for (const statement of statements) await run(statement);
    // Without triggers PostgreSQL does not maintain this column.
    if (engine === "postgres" && !statements.some((statement) => statement.includes("text_bytes")))
      await run(`update threads set text_bytes = ${textBytes}`);
  });
}
