import { noRights } from "#contract/accounts/rights.ts";
import { newId } from "#contract/ids.ts";
import type { TextGenerator } from "#fixtures/random-text.ts";
import { createPasswordHasher } from "#server/people/accounts/password-hash.ts";
import { ensureFirstApp, owner } from "#server/apps/first-app.ts";
import { createIndexer } from "#server/search/index-texts.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { openDatabase } from "#storage/database/open.ts";
import { storeAppApp } from "./app-thread.ts";
import { messageRow, modelRequestRow, threadRow, workspaceRow } from "#storage/testing/rows.ts";

export const peopleCount = 10_000;
export const groupCount = 1_000;
/** The people who share a thread with the first one. */
export const sharingCount = 50;
export const password = "correct horse battery";
const groupsPerPerson = 5;
const requestsPerPerson = 10;
/** One of so many answers is rated. */
const ratedEvery = 20;
const auditPerPerson = 10;
const messagesPerPerson = 400;
const messageWords = 40;
const batch = 500;
const dayMs = 86_400_000;

export const addressOf = (n: number): string => `person-${n}@example.com`;

type Person = { id: string; workspaceId: string; threadId: string };

/**
 * Stores people, groups, budgets, requests and audit entries before a server opens the database in `folder`. The first two
 * people have a password and equally many messages. `sharingCount` others share a thread as long with the first one. The
 * first app also has the threads of an application.
 */
export async function storeManyPeople(folder: string, generator: TextGenerator) {
  const db = await openDatabase({ dataDir: folder });
  const indexer = createIndexer({ db });
  try {
    const nowMs = Date.now();
    await ensureFirstApp(db, nowMs);
    const people = Array.from({ length: peopleCount }, (_, n) => ({
      id: newId("user", nowMs - n * 1_000),
      workspaceId: newId("workspace"),
      threadId: newId("thread"),
    }));
    await storePeople(db, people, nowMs);
    await storeGroups(db, people, nowMs);
    await storeHistory(db, people, nowMs);
    const texts = people.slice(0, sharingCount + 2);
    for (const { threadId } of texts) await storeMessages(db, threadId, generator, nowMs);
    await share(db, people[0]!, texts.slice(2), nowMs);
    const appThread = await storeAppApp(db, nowMs);
    await indexer.catchUp(Infinity);
    return { people, appThread };
  } finally {
    await db.close();
  }
}

async function inBatches<Row>(
  db: Database,
  rows: readonly Row[],
  insert: (tx: Tx, rows: readonly Row[]) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < rows.length; from += batch)
    await db.write(async (tx) => {
      await insert(tx, rows.slice(from, from + batch));
    });
}

async function storePeople(db: Database, people: readonly Person[], nowMs: number): Promise<void> {
  const hash = await createPasswordHasher().hash(password);
  await inBatches(db, [...people.entries()], async (tx, entries) => {
    await tx.q
      .insertInto("workspaces")
      .values(
        entries.map(([, { id, workspaceId }]) => ({
          ...workspaceRow(owner.appId, id, nowMs),
          id: workspaceId,
          realm: "own" as const,
        })),
      )
      .execute();
    await tx.q
      .insertInto("users")
      .values(
        entries.map(([n, { id, workspaceId }]) => ({
          id,
          kind: "member" as const,
          workspace_id: workspaceId,
          email: addressOf(n),
          email_key: addressOf(n),
          name: `Person ${n}`,
          created_at: nowMs - n * 1_000,
          joined_at: nowMs - n * 1_000,
          last_seen_at: nowMs - n * 1_000,
        })),
      )
      .execute();
    await tx.q
      .insertInto("threads")
      .values(
        entries.map(([, { id, workspaceId, threadId }]) => ({
          ...threadRow({ app_id: owner.appId, workspace_id: workspaceId }, nowMs),
          id: threadId,
          title: "A garden",
          created_by: id,
        })),
      )
      .execute();
  });
  const signingIn = people.slice(0, 2).map(({ id }) => ({ user_id: id, hash, changed_at: nowMs }));
  await db.write(async (tx) => {
    await tx.q.insertInto("passwords").values(signingIn).execute();
  });
}

async function storeGroups(db: Database, people: readonly Person[], nowMs: number): Promise<void> {
  const groups = Array.from({ length: groupCount }, (_, n) => ({
    id: newId("group"),
    name: `Group ${n}`,
    name_key: `group ${n}`,
    rights: JSON.stringify({ ...noRights, models: [`env/model-${n}`] }),
    claim_provider_id: null,
    claim_value: null,
    created_at: nowMs,
    updated_at: nowMs,
  }));
  await inBatches(
    db,
    groups,
    async (tx, rows) => await tx.q.insertInto("user_groups").values(rows).execute(),
  );
  const members = people.flatMap(({ id }, n) =>
    Array.from({ length: groupsPerPerson }, (_, g) => ({
      group_id: groups[(n * groupsPerPerson + g) % groupCount]!.id,
      user_id: id,
      added_at: nowMs,
    })),
  );
  await inBatches(
    db,
    members,
    async (tx, rows) => await tx.q.insertInto("user_group_members").values(rows).execute(),
  );
  const limits = JSON.stringify({
    tokens_per_day: 1_000_000,
    tokens_per_month: null,
    usd_per_day: null,
    usd_per_month: 20,
  });
  const budgets = [
    ...groups.map(({ id }) => ({ id, group_id: id, user_id: null })),
    ...people.slice(0, groupCount).map(({ id }) => ({ id, group_id: null, user_id: id })),
    { id: "guests", group_id: null, user_id: null },
  ].map((each) => ({ ...each, limits, updated_at: nowMs }));
  await inBatches(db, budgets, async (tx, rows) => await tx.q.insertInto("budgets").values(rows).execute());
}

/** Requests and ratings of the last 30 days, and audit entries. */
async function storeHistory(db: Database, people: readonly Person[], nowMs: number): Promise<void> {
  const requests = people.flatMap((person, n) =>
    Array.from({ length: requestsPerPerson }, (_, r) => ({ person, at: nowMs - ((n + r * 3) % 30) * dayMs })),
  );
  await inBatches(db, requests, async (tx, rows) => {
    await tx.q
      .insertInto("model_requests")
      .values(
        rows.map(({ person, at }) =>
          modelRequestRow(
            {
              app_id: owner.appId,
              workspace_id: person.workspaceId,
              user_id: person.id,
              thread_id: person.threadId,
            },
            at,
          ),
        ),
      )
      .execute();
    await tx.q
      .insertInto("scores")
      .values(
        rows
          .filter((_, n) => n % ratedEvery === 0)
          .map(({ person, at }, n) => ({
            id: newId("score"),
            app_id: owner.appId,
            workspace_id: person.workspaceId,
            author_id: person.id,
            source: "end_user" as const,
            name: "feedback",
            data_type: "boolean" as const,
            value: n % 2,
            string_value: null,
            comment: null,
            target: `message:${newId("message")}`,
            thread_id: person.threadId,
            message_id: null,
            run_id: null,
            created_at: at,
            updated_at: at,
          })),
      )
      .execute();
  });
  const audits = people.flatMap(({ id }, n) =>
    Array.from({ length: auditPerPerson }, (_, a) => ({ id, at: nowMs - (n * auditPerPerson + a) * 1_000 })),
  );
  await inBatches(db, audits, async (tx, rows) => {
    await tx.q
      .insertInto("audit_entries")
      .values(
        rows.map(({ id, at }) => ({
          id: newId("audit", at),
          at,
          action: "signed-in",
          actor: id,
          target: null,
          address: "192.0.2.1",
          details: null,
        })),
      )
      .execute();
  });
}

async function storeMessages(
  db: Database,
  threadId: string,
  generator: TextGenerator,
  nowMs: number,
): Promise<void> {
  const rows = Array.from({ length: messagesPerPerson }, (_, n) =>
    messageRow(threadId, generator.text(messageWords), nowMs + n),
  );
  await inBatches(db, rows, async (tx, some) => await tx.q.insertInto("messages").values(some).execute());
}

async function share(db: Database, { id }: Person, owners: readonly Person[], nowMs: number): Promise<void> {
  const rows = owners.map(({ threadId }) => ({
    thread_id: threadId,
    member_id: id,
    user_id: id,
    group_id: null,
    access: "read" as const,
    added_at: nowMs,
  }));
  await db.write(async (tx) => {
    await tx.q.insertInto("thread_members").values(rows).execute();
  });
}
