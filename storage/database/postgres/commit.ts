import { setTimeout as sleep } from "node:timers/promises";
import { sql, type Kysely } from "kysely";
import { channel } from "#storage/pub-sub/postgres-pub-sub.ts";
import { StorageBusyError } from "#storage/lib/errors.ts";
import type { Tables } from "../tables.ts";

/**
 * The last statement of a transaction: notifies `payloads` at the commit and returns the id of the transaction, with
 * which `wasCommitted` can be asked. Undefined if the transaction changed nothing.
 */
export async function notifyOnCommit(q: Kysely<Tables>, payloads: string[]): Promise<string | undefined> {
  const { rows } = await sql<{ id: string | null }>`
    select own.id, case when each.payload is not null then cast(pg_notify(${channel}, each.payload) as text) end
    from (select cast(pg_current_xact_id_if_assigned() as text) as id) as own
    left join json_array_elements_text(cast(${JSON.stringify(payloads)} as json)) as each(payload) on true
  `.execute(q);
  return rows[0]?.id ?? undefined;
}

/** 15 s: the length of a run's lease, after which its owner counts as dead anyway. */
const statusTimeoutMs = 15_000;
const statusRetryMs = 200;

/**
 * Whether a transaction was committed whose connection broke during the commit. Without asking, repeating it could apply
 * it twice. Throws `StorageBusyError` if the database stays unreachable.
 */
export async function wasCommitted(db: Kysely<Tables>, id: string): Promise<boolean> {
  const deadlineMs = performance.now() + statusTimeoutMs;
  for (;;) {
    try {
      const status = await statusOf(db, id);
      if (status !== "in progress") return status === "committed";
    } catch (error) {
      // Invalid parameter: after a crash the server does not know the id yet, so it was not committed.
      if ((error as { code?: unknown }).code === "22023") return false;
      if (!(error instanceof StorageBusyError)) throw error;
    }
    if (performance.now() > deadlineMs) throw new StorageBusyError("The database went away during a commit.");
    await sleep(statusRetryMs);
  }
}

async function statusOf(db: Kysely<Tables>, id: string): Promise<string | null | undefined> {
  const { rows } = await sql<{ status: string | null }>`
    select pg_xact_status(cast(${id} as xid8)) as status
  `.execute(db);
  return rows[0]?.status;
}
