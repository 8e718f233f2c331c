import { ensureFirstApp, owner } from "#server/apps/first-app.ts";
import { createIndexer } from "#server/search/index-texts.ts";
import type { Database } from "#storage/database/database.ts";
import { openDatabase } from "#storage/database/open.ts";
import { messageRow, threadRow, workspaceRow } from "#storage/testing/rows.ts";
import type { TextGenerator } from "#fixtures/random-text.ts";

const messages = 1_000_000;
const ownEvery = 20;
const ownPerThread = 25;
const otherWorkspaces = 95;
const wordsPerMessage = 40;
/** Every tenth message is Chinese, also among the user's own. */
const hanEvery = 10;
const batch = 5_000;

/**
 * Stores 1,000,000 messages in the database in `folder`. Every twentieth is in the workspace `own`, in threads of 25
 * messages; `onOwnTexts` gets those. Returns the time to index a message, in microseconds.
 */
export async function storeMillionMessages(
  folder: string,
  generator: TextGenerator,
  onOwnTexts: (own: { number: number; text: string }[]) => void = () => {},
): Promise<{ indexUs: number; workspaceId: string }> {
  const db = await openDatabase({ dataDir: folder });
  const indexer = createIndexer({ db });
  let indexMs = 0;
  try {
    await ensureFirstApp(db, Date.now());
    const { threads, workspaceId } = await makeThreads(db);
    for (let from = 0; from < messages; from += batch) {
      const texts = Array.from({ length: batch }, (_, n) =>
        Math.floor((from + n) / ownEvery) % hanEvery === 0
          ? generator.han(wordsPerMessage)
          : generator.text(wordsPerMessage),
      );
      await store(db, threads, from, texts);
      onOwnTexts(
        texts.flatMap((text, n) => ((from + n) % ownEvery === 0 ? [{ number: from + n + 1, text }] : [])),
      );
      const startedMs = performance.now();
      await indexer.catchUp(Infinity);
      indexMs += performance.now() - startedMs;
      if ((from + batch) % 100_000 === 0) console.log(`  ${from + batch} messages`);
    }
    return { indexUs: (indexMs * 1_000) / messages, workspaceId };
  } finally {
    await db.close();
  }
}

type Threads = { own: string[]; others: string[] };

async function makeThreads(db: Database): Promise<{ threads: Threads; workspaceId: string }> {
  const nowMs = Date.now();
  const threads: Threads = { own: [], others: [] };
  const workspaceId = await makeWorkspace(db, "own", threads.own, messages / ownEvery / ownPerThread, nowMs);
  for (let n = 1; n <= otherWorkspaces; n++) await makeWorkspace(db, `other-${n}`, threads.others, 1, nowMs);
  return { threads, workspaceId };
}

/** Stores a workspace with `count` threads and adds their ids to `threads`. Returns the workspace's id. */
async function makeWorkspace(
  db: Database,
  name: string,
  threads: string[],
  count: number,
  nowMs: number,
): Promise<string> {
  const workspace = workspaceRow(owner.appId, name, nowMs);
  await db.write(async (tx) => {
    await tx.q.insertInto("workspaces").values(workspace).execute();
    for (let n = 0; n < count; n++) {
      const thread = threadRow({ app_id: owner.appId, workspace_id: workspace.id }, nowMs);
      await tx.q.insertInto("threads").values(thread).execute();
      threads.push(thread.id);
    }
  });
  return workspace.id;
}

async function store(db: Database, threads: Threads, from: number, texts: string[]): Promise<void> {
  const startMs = Date.UTC(2026, 0, 1);
  await db.write(async (tx) => {
    for (let at = 0; at < texts.length; at += 500) {
      const rows = texts.slice(at, at + 500).map((text, index) => {
        const number = from + at + index;
        const thread =
          number % ownEvery === 0
            ? threads.own[Math.floor(number / ownEvery / ownPerThread)]!
            : threads.others[number % otherWorkspaces]!;
        return messageRow(thread, text, startMs + number * 1_000);
      });
      await tx.q.insertInto("messages").values(rows).execute();
    }
  });
}
