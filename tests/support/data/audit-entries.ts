import { expect } from "vitest";
import type { AuditAction } from "#contract/accounts/audit-actions.ts";
import { actionsOf, type AuditRule } from "#contract/accounts/audit-rules.ts";
import { rawSql } from "../postgres/raw-sql.ts";
import type { ServerPlace } from "../servers/server.ts";

/** An entry as it is stored. */
export type StoredEntry = { action: AuditAction; text: string };

/** The result of `work`, and the entries that the audit log has got meanwhile. */
export async function auditedDuring<T>(
  place: ServerPlace,
  work: () => Promise<T>,
): Promise<{ result: T; entries: StoredEntry[] }> {
  const before = new Set((await read(place)).map(({ id }) => id));
  const result = await work();
  const entries = (await read(place)).filter(({ id }) => !before.has(id));
  return { result, entries };
}

async function read(place: ServerPlace): Promise<(StoredEntry & { id: string })[]> {
  const rows = await rawSql(place, async (run) => await run("select * from audit_entries order by id"));
  return rows.map((row) => ({
    id: row["id"] as string,
    action: row["action"] as AuditAction,
    text: JSON.stringify(row),
  }));
}

/** Throws if a success has written other entries than its rule says. `GET` has no rule, and writes none. */
export function expectAudited(audit: AuditRule | undefined, entries: readonly StoredEntry[]): void {
  const written = entries.map(({ action }) => action);
  const rule = audit ?? { none: "no-change" };
  const isAlways = typeof rule === "string" || Array.isArray(rule);
  if (isAlways) expect(written, "an entry in the audit log").not.toEqual([]);
  expect(actionsOf(rule), "the entries that contract/endpoints/ or cli/commands.ts allow").toEqual(
    expect.arrayContaining(written),
  );
}
