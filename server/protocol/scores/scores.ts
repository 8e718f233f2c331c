import type { BodyOf, QueryOf } from "#contract/api.ts";
import { limits } from "#contract/limits.ts";
import type { Feedback, FeedbackType, Score, Scored } from "#contract/endpoints/scores.ts";
import { cleanText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Live } from "#server/live/live.ts";
import type { ThumbsOf } from "#server/messages/branch.ts";
import type { Messages } from "#server/messages/messages.ts";
import type { ProjectKey, Visitor } from "#server/lib/route.ts";
import type { Runs } from "#server/runs/lifecycle/runs.ts";
import type { Follower } from "#server/threads/claim.ts";
import type { Erased } from "#server/threads/erase.ts";
import type { Threads } from "#server/threads/threads.ts";
import { blankScore, ofMessage, ofThread } from "./blank.ts";
import { presentScore, presentScored } from "./present.ts";
import * as rows from "./rows.ts";

/** Judgements of threads, messages and runs. A person's thumb on a message is the score of this name. */
const feedbackName = "feedback";

export type Scores = {
  /**
   * Keeps a score; the same author's earlier one of that name and target gives way. Throws `thread-not-found`,
   * `message-not-in-thread`, `run-not-found`.
   */
  put(visitor: Visitor, body: BodyOf<"scores.put">): Promise<Scored>;
  /**
   * Keeps a person's thumb. Their comment stays until they change their mind or say another. Throws `thread-not-found`,
   * `message-not-found`.
   */
  rate(
    visitor: Visitor,
    threadId: string,
    messageId: string,
    body: BodyOf<"messages.feedback">,
  ): Promise<Feedback>;
  /** Takes a person's thumb back, if they gave one. Throws `thread-not-found`, `message-not-found`. */
  unrate(visitor: Visitor, threadId: string, messageId: string): Promise<void>;
  /** Which of these messages a person gave a thumb, and which. */
  thumbsOf: ThumbsOf;
  /** The scores of every workspace of the key's project, newest first. Throws `bad-cursor`. */
  listOfProject(key: ProjectKey, query: QueryOf<"projects.scores">): Promise<Score[]>;
  /** In the transaction of a claim: brings along the scores of threads that move, and of what is in them. */
  follow: Follower;
  /** In the transaction of an erasure: deletes what this person judged. */
  erase(tx: Tx, who: Erased): Promise<void>;
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

  /** What is judged, once it is known to be there: it stays the visitor's until the transaction ends. */
  async function targetOf(tx: Tx, visitor: Visitor, body: BodyOf<"scores.put">): Promise<rows.Target> {
    const { thread_id: threadId, message_id: messageId, run_id: runId } = body;
    if (runId !== undefined)
      return { target: `run:${runId}`, run_id: runId, thread_id: null, message_id: null };
    await threads.hold(tx, visitor, threadId!);
    if (messageId === undefined) return ofThread(threadId!);
    await messages.find(tx, threadId!, messageId, "message-not-in-thread");
    return ofMessage(threadId!, messageId);
  }

  /** Tells this person's other tabs and devices. */
  async function announceThumb(tx: Tx, visitor: Visitor, threadId: string, messageId: string): Promise<void> {
    await live.announce(tx, visitor.workspaceId, [
      { type: "feedback-put", thread_id: threadId, user_id: visitor.userId, message_id: messageId },
    ]);
  }

  return {
    async put(visitor, body) {
      if (body.run_id !== undefined) await runs.get(visitor, body.run_id);
      const row = await db.write(async (tx) => {
        const target = await targetOf(tx, visitor, body);
        if (body.name === feedbackName && target.message_id !== null)
          await announceThumb(tx, visitor, target.thread_id!, target.message_id);
        return await rows.putScore(tx, {
          ...blankScore(visitor, clock.now()),
          ...target,
          source: visitor.kind === "key" ? "api" : "end_user",
          name: body.name,
          data_type: body.data_type,
          value: body.value === undefined ? null : Number(body.value),
          string_value: body.string_value === undefined ? null : cleanText(body.string_value),
          comment: body.comment == null ? null : cleanText(body.comment),
        });
      });
      return presentScored(row);
    },

    async rate(visitor, threadId, messageId, { type, comment }) {
      const row = await db.write(async (tx) => {
        await threads.hold(tx, visitor, threadId);
        await messages.find(tx, threadId, messageId, "message-not-found");
        const target = ofMessage(threadId, messageId);
        const value = type === "positive" ? 1 : 0;
        const before = await rows.findScore(tx, target.target, feedbackName, visitor.userId);
        const kept = before?.value === value ? before.comment : null;
        await announceThumb(tx, visitor, threadId, messageId);
        return await rows.putScore(tx, {
          ...blankScore(visitor, clock.now()),
          ...target,
          source: "end_user",
          name: feedbackName,
          data_type: "boolean",
          value,
          comment: comment == null ? kept : cleanText(comment),
        });
      });
      return { feedback_id: row.id, type, comment: row.comment };
    },

    async unrate(visitor, threadId, messageId) {
      await db.write(async (tx) => {
        await threads.hold(tx, visitor, threadId);
        await messages.find(tx, threadId, messageId, "message-not-found");
        const { target } = ofMessage(threadId, messageId);
        if (await rows.deleteScore(tx, target, feedbackName, visitor.userId))
          await announceThumb(tx, visitor, threadId, messageId);
      });
    },

    async thumbsOf(userId, messageIds) {
      if (messageIds.length === 0) return new Map();
      const targets = messageIds.map((id) => `message:${id}`);
      const answers = await rows.listAnswers(db, targets, feedbackName, userId);
      return new Map(
        answers.map(({ message_id, value }): [string, FeedbackType] => [
          message_id!,
          value === 1 ? "positive" : "negative",
        ]),
      );
    },

    async listOfProject(key, query) {
      const { name, thread_id: threadId, run_id: runId, since, limit = limits.scorePage } = query;
      const after =
        query.after === undefined ? undefined : await rows.findProjectScore(db, key.projectId, query.after);
      if (query.after !== undefined && after === undefined) throw new AppError("bad-cursor");
      const page = await rows.listScores(db, key.projectId, {
        name,
        threadId,
        runId,
        sinceMs: since === undefined ? undefined : Date.parse(since),
        after,
        limit,
      });
      return page.map(presentScore);
    },

    erase: async (tx, { projectId, userId }) => await rows.deleteScoresOf(tx, projectId, userId),
    follow: async (tx, move) => await rows.moveScores(tx, move),
  };
}
