import { setTimeout as sleep } from "node:timers/promises";
import { sql, type Kysely } from "kysely";
import type { ClientBase } from "pg";
import type { Tables } from "../tables.ts";

/** The names of processes that hold a lock begin with this. Those of older versions and behind a pooler do not. */
const lockedPrefix = "locked-";

/**
 * 1 s: a process that lost its connections, as when PostgreSQL restarts, has its lock again within half a second (see
 * `storage/pub-sub/postgres-pub-sub.ts`).
 */
const reconnectMs = 1_000;

/** PostgreSQL's code for a missing right. */
const insufficientPrivilege = "42501";

/** The name of a process that holds the lock of this name on each of its connections. */
export const lockedProcessName = (id: string): string => lockedPrefix + id;

/**
 * Takes the lock of a process on one more connection. It ends with the connection. It is shared, so that all connections of
 * the process can hold it: as long as one of them is left, the process is not taken for ended.
 */
export async function holdProcessLock(client: ClientBase, processName: string): Promise<void> {
  await client.query("select pg_advisory_lock_shared(hashtextextended($1, 0))", [processName]);
}

/**
 * Which of these processes had a lock and hold it no more, not even after the time that a reconnect takes. None if the role
 * may not read `pg_locks`.
 */
export async function findEndedProcesses(
  db: Kysely<Tables>,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const locked = names.filter((name) => name.startsWith(lockedPrefix));
  try {
    const missing = await withoutLock(db, locked);
    if (missing.length === 0) return new Set();
    await sleep(reconnectMs);
    return new Set(await withoutLock(db, missing));
  } catch (error) {
    if ((error as { code?: unknown }).code === insufficientPrivilege) return new Set();
    throw error;
  }
}

async function withoutLock(db: Kysely<Tables>, names: string[]): Promise<string[]> {
  if (names.length === 0) return [];
  // PostgreSQL shows the two halves of a lock's key in two columns, and 1 in the third.
  const { rows } = await sql<{ name: string }>`
    select name from unnest(cast(${names} as text[])) as process(name)
    where hashtextextended(name, 0) not in (
      select cast(classid as bigint) << 32 | cast(objid as bigint) from pg_locks
      where locktype = 'advisory' and objsubid = 1 and granted
        and database = (select oid from pg_database where datname = current_database()))
  `.execute(db);
  return rows.map(({ name }) => name);
}
