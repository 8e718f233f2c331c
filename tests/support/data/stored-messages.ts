import { emptyReply } from "#contract/fold.ts";
import { newId } from "#contract/ids.ts";
import { createTextGenerator, type TextGenerator } from "#fixtures/random-text.ts";
import { ensureFirstApp, owner } from "#server/apps/first-app.ts";
import { replyContent } from "#server/messages/replies/reply-content.ts";
import { insertMessage } from "#server/messages/rows.ts";
import { runTopic } from "#server/runs/log/topics.ts";
import { createIndexer } from "#server/search/index-texts.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { openDatabase } from "#storage/database/open.ts";
import { messageRow, threadRow } from "#storage/testing/rows.ts";

export const charactersPerMessage = 1_100;
const perThread = 20;
const threadsPerBatch = 50;

/** Stores and indexes so many questions and answers, with their runs, whose logs are pruned, in a new SQLite database. */
export async function storeMessages(folder: string, messages: number): Promise<void> {
  const db = await openDatabase({ dataDir: folder });
  const indexer = createIndexer({ db });
  const generator = createTextGenerator();
  try {
    await ensureFirstApp(db, Date.now());
    for (let from = 0; from < messages; from += threadsPerBatch * perThread) {
      await store(db, generator, Date.UTC(2026, 0, 1) + from * 60_000);
      await indexer.catchUp(Infinity);
    }
  } finally {
    await db.close();
  }
}

async function store(db: Database, generator: TextGenerator, fromMs: number): Promise<void> {
  await db.write(async (tx) => {
    for (let n = 0; n < threadsPerBatch; n++)
      await storeThread(tx, generator, fromMs + n * perThread * 60_000);
  });
}

/** One message a minute. */
async function storeThread(tx: Tx, generator: TextGenerator, fromMs: number): Promise<void> {
  const scope = { app_id: owner.appId, workspace_id: owner.workspaceId };
  const thread = threadRow(scope, fromMs);
  await tx.q
    .insertInto("threads")
    .values({ ...thread, title: generator.text(6), created_by: owner.userId })
    .execute();
  let parentId: string | null = null;
  for (let height = 0; height < perThread; height++) {
    const nowMs = fromMs + height * 60_000;
    const text = prose(generator);
    const isReply = height % 2 === 1;
    const runId = isReply ? newId("run", nowMs) : null;
    const part = { type: "text" as const, text };
    const content = isReply
      ? replyContent({
          ...emptyReply,
          parts: [part],
          end: { state: "completed", finishReason: "stop", usage: {} },
        })
      : { role: "user", content: [part] };
    const message: ReturnType<typeof messageRow> = {
      ...messageRow(thread.id, text, nowMs),
      parent_id: parentId,
      height,
      role: isReply ? "assistant" : "user",
      content: JSON.stringify(content),
      status_reason: "stop",
      run_id: runId,
      created_by: owner.userId,
    };
    await insertMessage(tx, message);
    if (runId !== null)
      await storeRun(tx, { runId, threadId: thread.id, parentId, replyId: message.id, nowMs });
    parentId = message.id;
  }
}

async function storeRun(
  tx: Tx,
  run: { runId: string; threadId: string; parentId: string | null; replyId: string; nowMs: number },
): Promise<void> {
  await tx.q
    .insertInto("runs")
    .values({
      id: run.runId,
      origin: "own",
      app_id: owner.appId,
      workspace_id: owner.workspaceId,
      user_id: owner.userId,
      thread_id: run.threadId,
      message_id: run.parentId,
      reply_id: run.replyId,
      assistant_id: "default",
      model: "fixture-1",
      state: "completed",
      finish_reason: "stop",
      request_hash: "0".repeat(43),
      time_zone: "Europe/Berlin",
      input_tokens: 1_000,
      output_tokens: 250,
      created_at: run.nowMs,
      started_at: run.nowMs,
      first_token_at: run.nowMs,
      ended_at: run.nowMs,
    })
    .execute();
  // What remains of a pruned log.
  await tx.q
    .insertInto("log_topics")
    .values({ topic: runTopic(run.runId), last_seq: 100, pruned_seq: 100 })
    .execute();
}

const endings = ["ing", "s", "", "er"];

/** Sentences. The endings make the words as long as English ones. */
function prose(generator: TextGenerator): string {
  let text = "";
  for (let n = 1; text.length < charactersPerMessage; n++) {
    const word = generator.word();
    text += `${word}${endings[word.charCodeAt(0) % endings.length]}${n % 14 === 0 ? "." : ""} `;
  }
  return text.slice(0, charactersPerMessage);
}
