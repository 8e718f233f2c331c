import type { AuditAction } from "#contract/accounts/audit-actions.ts";
import type { QueryOf } from "#contract/api.ts";
import { newId } from "#contract/ids.ts";
import { ensureFirstApp, owner } from "#server/apps/first-app.ts";
import { listAudit } from "#server/people/audit-log.ts";
import type { Database } from "#storage/database/database.ts";
import { openDatabase } from "#storage/database/open.ts";
import { createCluster } from "#tests/support/postgres/postgres-cluster.ts";
import { findPostgresPrograms } from "#tests/support/postgres/postgres-programs.ts";
import { percentile, type Bench, type Figure } from "../support/report.ts";
import { withFolder } from "../support/services.ts";

const entryCount = 100_000;
const peopleCount = 5_000;
/** So many entries are of the same person, who administers the server. */
const byAdministrator = 20_000;
const batch = 500;
const rounds = 40;
const hourMs = 3_600_000;
const maxMs = 50;

type Query = QueryOf<"audit.list">;

/** Each filter of the audit log on both engines, beside the newest page without a filter. */
export const audit: Bench = {
  about: `each filter of the audit log with ${entryCount} entries of ${peopleCount} people, beside no filter`,
  async run() {
    const programs = findPostgresPrograms();
    if (programs === undefined)
      throw new Error("This benchmark needs PostgreSQL: apt-get install postgresql");
    return await withFolder(async (dataDir) => {
      const figures = await measure("SQLite", await openDatabase({ dataDir }));
      const cluster = await createCluster(programs.folder, {});
      await cluster.start();
      try {
        const db = await openDatabase({ dataDir, databaseUrl: cluster.url });
        return [...figures, ...(await measure("PostgreSQL", db))];
      } finally {
        await cluster.end("SIGINT");
        cluster.remove();
      }
    });
  },
};

async function measure(engine: string, db: Database): Promise<Figure[]> {
  try {
    const nowMs = Date.now();
    const people = await store(db, nowMs);
    const at = (n: number) => new Date(nowMs - n * hourMs).toISOString();
    const oldest = { from: at(entryCount), before: at(entryCount - 24) };
    const filters: Record<string, Query> = {
      "an action that is common": { action: "signed-in" },
      "an action that is rare and long ago": { action: "mail-settings-changed" },
      "an action that never happened": { action: "backup-restored" },
      "a person": { person: people[7]! },
      "the person who did most": { person: people[0]! },
      "a person without entries": { person: "usr_nobody" },
      "a day long ago": oldest,
      "a day without entries": { from: at(-48), before: at(-24) },
      "an action on a day long ago": { ...oldest, action: "role-changed" },
      "a person on a day long ago": { ...oldest, person: people[0]! },
      "an action of the person who did most": { person: people[0]!, action: "mail-settings-changed" },
      "a common action of a person": { person: people[7]!, action: "signed-in" },
      "a name that many have": { search: "person" },
      "a name that one has": { search: "person 4321" },
      "a network address": { search: "192.0.2.77" },
      "a network address that nobody has": { search: "203.0.113.9" },
      "a name that nobody has": { search: "nobody at all" },
      "a name that one has, and an action": { search: "person 4321", action: "mail-settings-changed" },
      "a name that one has, long ago": { search: "person 4321", ...oldest },
    };
    const none = await timeOf(db, {});
    const { next } = await listAudit(db, { action: "signed-in", before: at(entryCount - 300), limit: 200 });
    filters["a page at the end"] = { after: next! };
    filters["a page at the end of an action"] = { after: next!, action: "role-changed" };
    const figures: Figure[] = [];
    for (const [filter, query] of Object.entries(filters)) {
      const ours = await timeOf(db, query);
      figures.push({
        what: `${engine}, ${filter}, p95`,
        unit: "ms",
        ours,
        baseline: none,
        against: "no filter",
        aim: `at most ${maxMs} ms`,
        met: ours <= maxMs,
      });
    }
    return figures;
  } finally {
    await db.close();
  }
}

async function timeOf(db: Database, query: Query): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    await listAudit(db, query);
    times.push(performance.now() - startedAt);
  }
  return percentile(times, 95);
}

/** Stores people and their entries, one an hour. Returns the ids of the people, first the one who did most. */
async function store(db: Database, nowMs: number): Promise<string[]> {
  await ensureFirstApp(db, nowMs);
  const people = Array.from({ length: peopleCount }, () => newId("user"));
  await inBatches(db, people, async (tx, ids, from) => {
    const workspaces = ids.map((id) => ({
      id: newId("workspace"),
      app_id: owner.appId,
      name: id,
      realm: "own" as const,
      created_at: nowMs,
    }));
    await tx.q.insertInto("workspaces").values(workspaces).execute();
    const users = ids.map((id, n) => ({
      id,
      kind: "member" as const,
      workspace_id: workspaces[n]!.id,
      name: `Person ${from + n}`,
      email: `person-${from + n}@example.com`,
      email_key: `person-${from + n}@example.com`,
      created_at: nowMs,
      joined_at: nowMs,
      last_seen_at: nowMs,
    }));
    await tx.q.insertInto("users").values(users).execute();
  });
  const numbers = Array.from({ length: entryCount }, (_, n) => entryCount - 1 - n);
  await inBatches(db, numbers, async (tx, hours) => {
    const entries = hours.map((n) => {
      const at = nowMs - n * hourMs;
      const isAdministrator = n % Math.round(entryCount / byAdministrator) === 0;
      return {
        id: newId("audit", at),
        at,
        action: actionOf(n),
        actor: isAdministrator ? people[0]! : people[n % peopleCount]!,
        target: isAdministrator ? people[(n * 7) % peopleCount]! : null,
        address: `192.0.2.${n % 250}`,
        details: JSON.stringify({ method: "password" }),
      };
    });
    await tx.q.insertInto("audit_entries").values(entries).execute();
  });
  return people;
}

function actionOf(n: number): AuditAction {
  if (n > entryCount - 4) return "mail-settings-changed";
  return n % 50 === 0 ? "role-changed" : "signed-in";
}

async function inBatches<Row>(
  db: Database,
  rows: readonly Row[],
  insert: (
    tx: Parameters<Parameters<Database["write"]>[0]>[0],
    rows: Row[],
    from: number,
  ) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < rows.length; from += batch)
    await db.write(async (tx) => void (await insert(tx, rows.slice(from, from + batch), from)));
}
