import { setTimeout as sleep } from "node:timers/promises";
import { sql, type Kysely } from "kysely";
import { channel } from "../pub-sub/postgres-pub-sub.ts";
import { StorageBusyError } from "../errors.ts";
import type { Tables } from "./tables.ts";

/**
 * The last statement of a transaction: notifies `payloads` at its commit, and answers the transaction's number, by
 * which it can be asked later whether it was committed. Undefined for one that changed nothing.
 */
export async function beforeCommit(q: Kysely<Tables>, payloads: string[]): Promise<string | undefined> {
  const { rows } = await sql<{ number: string | null }>`
    select own.number, case when each.payload is not null then cast(pg_notify(${channel}, each.payload) as text) end
    from (select cast(pg_current_xact_id_if_assigned() as text) as number) as own
    left join json_array_elements_text(cast(${JSON.stringify(payloads)} as json)) as each(payload) on true
  `.execute(q);
  return rows[0]?.number ?? undefined;
}

/** 15 s: as long as a run's lease; after that its owner is taken for dead anyway. */
const askMaxMs = 15_000;
const askAgainMs = 200;

/**
 * Whether a transaction was committed whose connection broke in the very moment of its commit: nothing else says
 * whether repeating it would do everything twice. Throws `StorageBusyError` when nobody is there to ask.
 */
export async function wasCommitted(db: Kysely<Tables>, number: string): Promise<boolean> {
  const deadlineMs = performance.now() + askMaxMs;
  for (;;) {
    try {
      const status = await statusOf(db, number);
      if (status !== "in progress") return status === "committed";
    } catch (error) {
      // After a crash the server may not have come as far as this number again; then it is not committed.
      if ((error as { code?: unknown }).code === "22023") return false;
      if (!(error instanceof StorageBusyError)) throw error;
    }
    if (performance.now() > deadlineMs) throw new StorageBusyError("The database went away during a commit.");
    await sleep(askAgainMs);
  }
}

async function statusOf(db: Kysely<Tables>, number: string): Promise<string | null | undefined> {
  const { rows } = await sql<{ status: string | null }>`
    select pg_xact_status(cast(${number} as xid8)) as status
  `.execute(db);
  return rows[0]?.status;
}
