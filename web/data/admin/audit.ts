import { useQuery } from "@tanstack/react-query";
import type { AuditAction } from "#contract/accounts/audit-actions.ts";
import type { AuditEntry } from "#contract/endpoints/people.ts";
import { loadedOf } from "../load-state.ts";
import { usePagedList } from "../paged-list.ts";
import { useServices } from "../provider.tsx";

/** `from` and `to` are days such as 2026-01-31 in the browser's time zone. Empty texts match everything. */
export type AuditFilters = { search: string; action: AuditAction | ""; from: string; to: string };

/** The audit log, newest first. */
export function useAudit(filters: AuditFilters) {
  const { call } = useServices();
  const read = async (after: { after?: string }, limit: number, signal?: AbortSignal) =>
    await call("audit.list", { query: { ...auditQuery(filters), ...after, limit: String(limit) } }, signal);
  const { pages, ...list } = usePagedList({
    key: ["audit", filters],
    read: async (after, signal) => await read(after, 50, signal),
    next: (page) => page.next,
  });
  return {
    ...list,
    entries: pages.flatMap(({ entries }): AuditEntry[] => entries),
    /** All entries that match the filters, one JSON object per line. */
    async exportLines(): Promise<Blob> {
      const lines: string[] = [];
      let after: string | null = null;
      do {
        const page: { entries: AuditEntry[]; next: string | null } = await read(
          after === null ? {} : { after },
          200,
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
  const { call, queries } = useServices();
  const queryKey = ["audit-settings"];
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }) => await call("audit.settings", {}, signal),
    staleTime: 0,
  });
  return {
    ...loadedOf(query),
    keepDays: query.data?.keep_days,
    async change(keepDays: number | null) {
      await call("audit.changeSettings", { body: { keep_days: keepDays } });
      await queries.invalidateQueries({ queryKey });
      await queries.invalidateQueries({ queryKey: ["audit"] });
    },
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
