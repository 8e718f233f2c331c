import { newId } from "#contract/ids.ts";
import { owner } from "#server/apps/first-app.ts";
import type { Database } from "#storage/database/database.ts";
import { messageRow, modelRequestRow, threadRow, workspaceRow } from "#storage/testing/rows.ts";

const appUserCount = 10_000;
const batch = 500;
const dayMs = 86_400_000;

/** A thread and its run, as an app's console shows them. */
export type AppThread = { threadId: string; runId: string };

/**
 * Stores what an application with many users left in the first app: of each user a thread with a question and an answer,
 * a run with a rating, and a request to a model, within the last 30 days. Returns the newest thread.
 */
export async function storeAppApp(db: Database, nowMs: number): Promise<AppThread> {
  let newest: AppThread | undefined;
  for (let from = 0; from < appUserCount; from += batch) {
    const stored = Array.from({ length: batch }, (_, n) =>
      rowsOf(`app-user-${from + n}`, nowMs - atOf(from + n)),
    );
    newest ??= { threadId: stored[0]!.thread.id, runId: stored[0]!.run.id };
    await db.write(async ({ q }) => {
      await q
        .insertInto("workspaces")
        .values(stored.map(({ workspace }) => workspace))
        .execute();
      await q
        .insertInto("threads")
        .values(stored.map(({ thread }) => thread))
        .execute();
      await q
        .insertInto("messages")
        .values(stored.flatMap(({ messages }) => messages))
        .execute();
      await q
        .insertInto("runs")
        .values(stored.map(({ run }) => run))
        .execute();
      await q
        .insertInto("model_requests")
        .values(stored.map(({ request }) => request))
        .execute();
      await q
        .insertInto("scores")
        .values(stored.map(({ score }) => score))
        .execute();
    });
  }
  return newest!;
}

const atOf = (n: number): number => Math.floor((n / appUserCount) * 30 * dayMs);

function rowsOf(userId: string, at: number) {
  const workspace = { ...workspaceRow(owner.appId, userId, at), id: newId("workspace") };
  const place = { app_id: owner.appId, workspace_id: workspace.id };
  const thread = { ...threadRow(place, at), title: `A question of ${userId}`, created_by: userId };
  const question = messageRow(thread.id, "How do I water a fern?", at);
  const answer = {
    ...messageRow(thread.id, "Keep its soil moist.", at + 1),
    parent_id: question.id,
    height: 1,
    role: "assistant" as const,
  };
  const run = {
    ...place,
    user_id: userId,
    thread_id: thread.id,
    assistant_id: "default",
    model: "env/model-1",
    input_tokens: 500,
    output_tokens: 200,
    reasoning_tokens: 0,
    cached_tokens: 0,
    cost_micros: 900,
    id: newId("run", at),
    origin: "own" as const,
    message_id: question.id,
    reply_id: answer.id,
    state: "completed" as const,
    created_at: at,
    started_at: at,
    first_token_at: at + 300,
    ended_at: at + 3_000,
  };
  const request = {
    ...modelRequestRow({ ...place, user_id: userId, thread_id: thread.id }, at),
    run_id: run.id,
    message_id: answer.id,
  };
  const score = {
    ...place,
    id: newId("score", at),
    author_id: userId,
    source: "end_user" as const,
    name: "feedback",
    data_type: "boolean" as const,
    value: 1,
    string_value: null,
    comment: null,
    target: `message:${answer.id}`,
    thread_id: thread.id,
    message_id: answer.id,
    run_id: run.id,
    created_at: at,
    updated_at: at,
  };
  return { workspace, thread, messages: [question, answer], run, request, score };
}
