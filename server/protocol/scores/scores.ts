import type { BodyOf, QueryOf } from "#contract/api.ts";
import { limits } from "#contract/limits.ts";
import type { Feedback, Score, ScoreResponse } from "#contract/endpoints/scores.ts";
import { cleanText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { rowAt } from "#server/lib/page.ts";
import type { Live } from "#server/live/live.ts";
import type { FeedbackOf } from "#server/messages/branch.ts";
import type { Messages } from "#server/messages/messages.ts";
import type { AppKey, Visitor } from "#server/lib/route.ts";
import type { Runs } from "#server/runs/lifecycle/runs.ts";
import type { MoveHook } from "#server/threads/claim.ts";
import type { Erased } from "#server/threads/erase.ts";
import type { ThreadEraser } from "#server/threads/temporary.ts";
import type { Threads } from "#server/threads/threads.ts";
import { newScore, messageTarget, threadTarget } from "./new-score.ts";
import { feedbackOfScore, presentScore, presentScoreResult } from "./present.ts";
import * as rows from "./rows.ts";

/** A person's thumb up or down on a message is a boolean score with this name. */
const feedbackName = "feedback";

/** Scores of threads, messages and runs. */
export type Scores = {
  /**
   * Stores a score. It replaces the author's earlier score of that name and target. Throws `thread-not-found`,
   * `message-not-in-thread`, `run-not-found`.
   */
  put(visitor: Visitor, body: BodyOf<"scores.put">): Promise<ScoreResponse>;
  /**
   * Stores a person's thumb. With `reason`, also null, the reason and the comment are replaced; otherwise the earlier
   * ones stay if the thumb is the same. Throws `thread-not-found`, `message-not-found`.
   */
  rate(
    visitor: Visitor,
    threadId: string,
    messageId: string,
    body: BodyOf<"messages.feedback">,
  ): Promise<Feedback>;
  /** Deletes a person's thumb, if there is one. Throws `thread-not-found`, `message-not-found`. */
  withdrawRating(visitor: Visitor, threadId: string, messageId: string): Promise<void>;
  /** A person's thumbs on these messages. */
  feedbackOf: FeedbackOf;
  /** The scores of every workspace of the key's app, newest first. Throws `bad-cursor`. */
  listOfApp(key: AppKey, query: QueryOf<"apps.scores">): Promise<Score[]>;
  /** In the transaction of a claim: moves the scores of moved threads to the new workspace and author. */
  reassign: MoveHook;
  /** In the transaction of an erasure: deletes the person's scores. */
  erase(tx: Tx, person: Erased): Promise<void>;
  eraseThread: ThreadEraser;
};

export function createScores(options: {
  db: Database;
  threads: Threads;
  messages: Messages;
  runs: Runs;
  live: Live;
  clock: Clock;
}): Scores {
  const { db, threads, messages, runs, live, clock } = options;

  /** What the score is of. Locks the thread, so that it stays the visitor's until the transaction ends. */
  async function findTarget(tx: Tx, visitor: Visitor, body: BodyOf<"scores.put">): Promise<rows.Target> {
    const { thread_id: threadId, message_id: messageId, run_id: runId } = body;
    if (runId !== undefined)
      return { target: `run:${runId}`, run_id: runId, thread_id: null, message_id: null };
    await threads.lock(tx, visitor, threadId!);
    if (messageId === undefined) return threadTarget(threadId!);
    await messages.find(tx, threadId!, messageId, "message-not-in-thread");
    return messageTarget(threadId!, messageId);
  }

  /** Publishes the thumb for the person's other tabs and devices. */
  async function announceFeedback(
    tx: Tx,
    visitor: Visitor,
    threadId: string,
    messageId: string,
  ): Promise<void> {
    await live.announce(tx, visitor.workspaceId, [
      { type: "feedback-put", thread_id: threadId, user_id: visitor.userId, message_id: messageId },
    ]);
  }

  return {
    async put(visitor, body) {
      if (body.run_id !== undefined) await runs.get(visitor, body.run_id);
      const row = await db.write(async (tx) => {
        const target = await findTarget(tx, visitor, body);
        if (body.name === feedbackName && target.message_id !== null)
          await announceFeedback(tx, visitor, target.thread_id!, target.message_id);
        return await rows.saveScore(tx, {
          ...newScore(visitor, clock.now()),
          ...target,
          source: visitor.kind === "key" ? "api" : "end_user",
          name: body.name,
          data_type: body.data_type,
          value: body.value === undefined ? null : Number(body.value),
          string_value: body.string_value === undefined ? null : cleanText(body.string_value),
          comment: body.comment == null ? null : cleanText(body.comment),
        });
      });
      return presentScoreResult(row);
    },

    async rate(visitor, threadId, messageId, { type, reason, comment }) {
      const row = await db.write(async (tx) => {
        await threads.lock(tx, visitor, threadId);
        await messages.find(tx, threadId, messageId, "message-not-found");
        const target = messageTarget(threadId, messageId);
        const value = type === "positive" ? 1 : 0;
        const existing = await rows.findScore(tx, target.target, feedbackName, visitor.userId);
        const earlier = reason === undefined && existing?.value === value ? existing : undefined;
        await announceFeedback(tx, visitor, threadId, messageId);
        return await rows.saveScore(tx, {
          ...newScore(visitor, clock.now()),
          ...target,
          source: "end_user",
          name: feedbackName,
          data_type: "boolean",
          value,
          string_value: reason ?? earlier?.string_value ?? null,
          comment: comment == null ? (earlier?.comment ?? null) : cleanText(comment),
        });
      });
      return { feedback_id: row.id, ...feedbackOfScore(row) };
    },

    async withdrawRating(visitor, threadId, messageId) {
      await db.write(async (tx) => {
        await threads.lock(tx, visitor, threadId);
        await messages.find(tx, threadId, messageId, "message-not-found");
        const { target } = messageTarget(threadId, messageId);
        if (await rows.deleteScore(tx, target, feedbackName, visitor.userId))
          await announceFeedback(tx, visitor, threadId, messageId);
      });
    },

    async feedbackOf(userId, messageIds) {
      if (messageIds.length === 0) return new Map();
      const targets = messageIds.map((id) => `message:${id}`);
      const thumbs = await rows.listBooleanScores(db, targets, feedbackName, userId);
      return new Map(thumbs.map((score) => [score.message_id!, feedbackOfScore(score)] as const));
    },

    async listOfApp(key, query) {
      const { name, thread_id: threadId, run_id: runId, since, limit = limits.scorePage } = query;
      const after = await rowAt(query.after, async (id) => await rows.findAppScore(db, key.appId, id));
      const page = await rows.listScores(db, key.appId, {
        name,
        threadId,
        runId,
        sinceMs: since === undefined ? undefined : Date.parse(since),
        after,
        limit,
      });
      return page.map(presentScore);
    },

    erase: async (tx, { appId, userId }) => await rows.deleteScoresOf(tx, appId, userId),
    async eraseThread(tx, threadId) {
      await rows.deleteScoresOfThread(tx, threadId);
      return true;
    },
    reassign: async (tx, move) => await rows.reassignScores(tx, move),
  };
}
