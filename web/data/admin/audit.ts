import type { AuditAction } from "#contract/accounts/audit-actions.ts";
import type { AuditEntry } from "#contract/endpoints/people.ts";
import { useServices } from "../provider.tsx";
import { usePages, useResource } from "../resource.ts";

/** `from` and `to` are days such as 2026-01-31 in the browser's time zone. Empty texts match everything. */
export type AuditFilters = { search: string; action: AuditAction | ""; from: string; to: string };

/** The audit log, newest first. */
export function useAudit(filters: AuditFilters) {
  const { call } = useServices();
  const inputOf = (after: { after?: string }, limit: number) => ({
    query: { ...auditQuery(filters), ...after, limit: String(limit) },
  });
  const { pages, ...list } = usePages(["audit", filters], "audit.list", (after) => inputOf(after, 50));
  return {
    ...list,
    entries: pages.flatMap(({ entries }): AuditEntry[] => entries),
    /** All entries that match the filters, one JSON object per line. */
    async exportLines(): Promise<Blob> {
      const lines: string[] = [];
      let after: string | null = null;
      do {
        const page: { entries: AuditEntry[]; next: string | null } = await call(
          "audit.list",
          inputOf(after === null ? {} : { after }, 200),
        );
        for (const entry of page.entries) lines.push(`${JSON.stringify(entry)}\n`);
        after = page.next;
      } while (after !== null);
      return new Blob(lines, { type: "application/jsonl" });
    },
  };
}

/** How many days entries are kept; `null` for ever. `undefined` while it is not known. */
export function useAuditRetention() {
  const others = [["audit"]];
  const { data, change, ...loaded } = useResource(["audit-settings"], "audit.settings", {}, { others });
  return {
    ...loaded,
    keepDays: data?.keep_days,
    change: async (keepDays: number | null) =>
      await change("audit.changeSettings", { body: { keep_days: keepDays } }),
  };
}

function auditQuery({ search, action, from, to }: AuditFilters) {
  const startOf = (day: string, daysLater: number) => {
    const date = new Date(`${day}T00:00`);
    date.setDate(date.getDate() + daysLater);
    return date.toISOString();
  };
  return {
    ...(search !== "" && { search }),
    ...(action !== "" && { action }),
    ...(from !== "" && { from: startOf(from, 0) }),
    ...(to !== "" && { before: startOf(to, 1) }),
  };
}
