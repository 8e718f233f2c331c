import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { idsOf } from "#storage/database/portable-sql.ts";
import { findRetention, rulesAt } from "#server/apps/retention-rules.ts";
import { erasedUser } from "#server/sign-in/auth.ts";
import type { Erased } from "#server/threads/erase.ts";

/** The steps of runs that are kept as evidence: a table that only this file reads and writes. */

/** The item with the reply; the others are requests. */
export const replyItem = "reply";

/**
 * In the transaction that stores a request or a reply: keeps it, if the app of the run keeps steps and its thread is neither
 * temporary nor local only, and nobody who wrote in it was erased.
 */
export async function keepStep(
  tx: Tx,
  run: { id: string; app_id: string; thread_id: string | null },
  { item, content, nowMs }: { item: string; content: () => string; nowMs: number },
): Promise<void> {
  if (run.thread_id === null) return;
  if (rulesAt(await findRetention(tx.q, run.app_id), nowMs).keep_steps_days === null) return;
  if (!(await mayKeep(tx.q, run.thread_id))) return;
  const text = content();
  if (Buffer.byteLength(text) > limits.keptRequestBytesMax) return;
  await tx.q
    .insertInto("run_steps")
    .values({ run_id: run.id, item, thread_id: run.thread_id, content: text, created_at: nowMs })
    .onConflict((row) => row.columns(["run_id", "item"]).doUpdateSet({ content: text }))
    .execute();
}

/** Not in a thread in which an erased person wrote: a run that was in progress then would keep their words again. */
async function mayKeep(q: Tx["q"], threadId: string): Promise<boolean> {
  const thread = await q
    .selectFrom("threads")
    .select(["temporary_until", "local_only"])
    .where("id", "=", threadId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("messages")
            .select("id")
            .whereRef("messages.thread_id", "=", "threads.id")
            .where("messages.created_by", "=", erasedUser),
        ),
      ),
    )
    .executeTakeFirst();
  return thread !== undefined && thread.temporary_until === null && thread.local_only !== 1;
}

/** What is kept of a run, by its items; empty for a thread that is local only by now. */
export async function listKeptSteps(db: Database, runId: string): Promise<Map<string, string>> {
  const found = await db.read
    .selectFrom("run_steps")
    .select(["item", "content", "thread_id"])
    .where("run_id", "=", runId)
    .execute();
  const [first] = found;
  if (first === undefined || !(await mayKeep(db.read, first.thread_id))) return new Map();
  return new Map(found.map(({ item, content }) => [item, content]));
}

/** In the transaction of an erasure: deletes the steps of these runs, and of all threads in which the person wrote. */
export async function eraseSteps(tx: Tx, runIds: string[], { appId, userId }: Erased): Promise<void> {
  const threads = tx.q
    .selectFrom("messages")
    .innerJoin("threads", "threads.id", "messages.thread_id")
    .select("threads.id")
    .where("threads.app_id", "=", appId)
    .where("messages.created_by", "=", userId);
  await tx.q
    .deleteFrom("run_steps")
    .where((is) => is.or([is("run_id", "in", idsOf(tx, runIds)), is("thread_id", "in", threads)]))
    .execute();
}

/**
 * Deletes up to `limit` items of the app's runs that are older than `before` says, also when they are deleted. Returns how
 * many it found.
 */
export async function deleteOldSteps(
  db: Database,
  { appId, before }: { appId: string; before: (q: Tx["q"]) => Promise<number | undefined> },
  limit: number,
): Promise<number> {
  const beforeMs = await before(db.read);
  if (beforeMs === undefined) return 0;
  const old = await db.readWorker
    .selectFrom("run_steps")
    .innerJoin("runs", "runs.id", "run_steps.run_id")
    .select(["run_steps.run_id", "run_steps.item"])
    .where("run_steps.created_at", "<=", beforeMs)
    .where("runs.app_id", "=", appId)
    .orderBy("run_steps.created_at")
    .limit(limit)
    .execute();
  if (old.length > 0)
    await db.write(async (tx) => {
      if (((await before(tx.q)) ?? 0) < beforeMs) return;
      for (const { run_id: runId, item } of old)
        await tx.q.deleteFrom("run_steps").where("run_id", "=", runId).where("item", "=", item).execute();
    });
  return old.length;
}
