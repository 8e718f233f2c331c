import type { Score } from "#contract/endpoints/scores.ts";
import { cleanText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Visitor } from "#server/lib/route.ts";
import { blankScore, ofMessage, ofThread } from "./blank.ts";
import { presentScore } from "./present.ts";
import * as rows from "./rows.ts";

/** Scores that go out and come in with their threads. */
export type CarriedScores = {
  /** What a person judged of a thread and its messages, oldest first. */
  ofThread(userId: string, threadId: string): Promise<Score[]>;
  /** In a transaction: keeps what the visitor judged elsewhere, where they judged nothing here. */
  bring(tx: Tx, visitor: Visitor, threadId: string, brought: BroughtScore[]): Promise<void>;
};

/** A judgement from elsewhere: of a message of the thread, or of the thread. */
export type BroughtScore = Pick<rows.ScoreRow, "message_id" | "name" | "data_type" | "value"> &
  Pick<rows.ScoreRow, "string_value" | "comment" | "created_at" | "updated_at">;

export function createCarriedScores({ db, clock }: { db: Database; clock: Clock }): CarriedScores {
  return {
    ofThread: async (userId, threadId) =>
      (await rows.listScoresOfThread(db, threadId, userId)).map(presentScore),

    bring: async (tx, visitor, threadId, brought) =>
      await rows.addScores(
        tx,
        brought.map((score) => ({
          ...blankScore(visitor, clock.now()),
          ...(score.message_id === null ? ofThread(threadId) : ofMessage(threadId, score.message_id)),
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
