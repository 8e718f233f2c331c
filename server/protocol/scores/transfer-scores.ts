import type { Score } from "#contract/endpoints/scores.ts";
import { cleanText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Visitor } from "#server/lib/route.ts";
import { newScore, messageTarget, threadTarget } from "./new-score.ts";
import { presentScore } from "./present.ts";
import * as rows from "./rows.ts";

/** Exports and imports the scores of threads. */
export type ScoreTransfer = {
  /** A person's scores of a thread and its messages, oldest first. */
  listOfThread(userId: string, threadId: string): Promise<Score[]>;
  /** In a transaction: stores imported scores as the visitor's, but keeps scores that the visitor has already. */
  insert(tx: Tx, visitor: Visitor, threadId: string, scores: ImportedScore[]): Promise<void>;
};

/** A score of a message of the thread, or of the thread if `message_id` is null. */
export type ImportedScore = Pick<rows.ScoreRow, "message_id" | "name" | "data_type" | "value"> &
  Pick<rows.ScoreRow, "string_value" | "comment" | "created_at" | "updated_at">;

export function createScoreTransfer({ db, clock }: { db: Database; clock: Clock }): ScoreTransfer {
  return {
    listOfThread: async (userId, threadId) =>
      (await rows.listScoresOfThread(db, threadId, userId)).map(presentScore),

    insert: async (tx, visitor, threadId, scores) =>
      await rows.insertMissingScores(
        tx,
        scores.map((score) => ({
          ...newScore(visitor, clock.now()),
          ...(score.message_id === null ? threadTarget(threadId) : messageTarget(threadId, score.message_id)),
          source: visitor.kind === "key" ? "api" : "end_user",
          name: score.name,
          data_type: score.data_type,
          value: score.value,
          string_value: score.string_value === null ? null : cleanText(score.string_value),
          comment: score.comment === null ? null : cleanText(score.comment),
          created_at: score.created_at,
          updated_at: score.updated_at,
        })),
      ),
  };
}
