import type { Asker } from "#contract/endpoints/thread-members.ts";
import type { AnsweredBy, BranchMessage, MessageStatus } from "#contract/endpoints/messages.ts";
import { waitingCalls, type WaitingCall } from "#contract/fold.ts";
import { replyStatus } from "#contract/reply-status.ts";
import { failureOfCode, translateKeptFailure, type Failure } from "../failure.ts";
import { compareAuthors, authorOf, type AnswerAuthor } from "./answer-author.ts";
import type { OwnFeedback } from "./branch-rows.ts";
import type { VisibleMessage } from "./visible-branch.ts";

/** `together`: all calls that wait for an approval, at the first of several. */
type PendingCall = {
  runId: string;
  toolCallId: string;
  needs: "approval" | "result";
  together?: string[];
};

/** What the page shows of a message besides its parts. */
export type MessageFacts = {
  status: MessageStatus;
  runId?: string;
  sendState: "sending" | "stored" | "failed";
  /** Why it was not sent, or why its answer failed. */
  failure?: Failure;
  /** When the model provider accepts requests again, in milliseconds since 1970 by the server's clock. */
  retryAt?: number;
  /** The tool calls that wait for the person. */
  pendingCalls?: PendingCall[];
  author?: AnswerAuthor;
  /** The other person who wrote the message, or whose question it answers. */
  asker?: Asker;
  /** The ids of all versions of the message, this one included. Empty or one if it has no other. */
  siblings: readonly string[];
  /** The answer that a person made this one of, by editing it. */
  editedFrom?: string;
  /** Models read it in full, however long the thread is. */
  isPinned: boolean;
  /** The current user's feedback. */
  feedback: OwnFeedback | null;
};

/** `previous`: the author of the previous answer. `question`: the message above an answer. */
export function factsOf(
  message: VisibleMessage,
  previous?: AnsweredBy,
  question?: VisibleMessage,
): MessageFacts {
  const { row, live, outboxEntry } = message;
  const author = authorOf(message);
  const asker = (row.role === "assistant" ? question : message)?.row.asked_by;
  const status = live === undefined ? row.status : replyStatus(live.reply);
  const failure =
    outboxEntry?.failure === undefined
      ? failureOfStatus(status, live?.reply.end?.error?.message)
      : translateKeptFailure(outboxEntry.failure);
  const { retry_at: storedRetryAt, edited_from: from } = customOf(row);
  const retryAt =
    live !== undefined
      ? live.reply.end?.error?.retry_at
      : typeof storedRetryAt === "number"
        ? storedRetryAt
        : undefined;
  const editedFrom = typeof from === "string" ? from : undefined;
  const calls = live === undefined ? [] : waitingCalls(live.reply);
  return {
    status,
    // A running answer is stored even if its row has not been read yet.
    sendState: live === undefined ? (outboxEntry?.state ?? "stored") : "stored",
    isPinned: row.is_pinned,
    feedback: feedbackOf(row),
    siblings: row.siblings,
    ...(row.run_id === null ? {} : { runId: row.run_id, ...pendingCalls(row.run_id, calls) }),
    ...(failure === undefined ? {} : { failure }),
    ...(retryAt === undefined ? {} : { retryAt }),
    ...(editedFrom === undefined ? {} : { editedFrom }),
    ...(asker === undefined ? {} : { asker }),
    ...(author === undefined ? {} : { author: compareAuthors(author, previous) }),
  };
}

function pendingCalls(runId: string, calls: WaitingCall[]): Pick<MessageFacts, "pendingCalls"> {
  if (calls.length === 0) return {};
  const asked = calls.filter(({ needs }) => needs === "approval").map(({ call }) => call.toolCallId);
  return {
    pendingCalls: calls.map(({ call: { toolCallId }, needs }) => ({
      runId,
      toolCallId,
      needs,
      ...(asked.length > 1 && toolCallId === asked[0] && { together: asked }),
    })),
  };
}

function feedbackOf(row: BranchMessage): OwnFeedback | null {
  const { feedback: type, feedback_reason: reason, feedback_comment: comment } = row;
  return type === null ? null : { type, reason, comment };
}

function customOf({ content }: BranchMessage): { retry_at?: unknown; edited_from?: unknown } {
  const { metadata } = content as { metadata?: { custom?: object } | null };
  return metadata?.custom ?? {};
}

function failureOfStatus(status: MessageStatus, serverMessage: string | undefined): Failure | undefined {
  if (status.type !== "incomplete" || status.reason !== "error") return undefined;
  return failureOfCode(status.error_code ?? "internal", serverMessage);
}

/** `next`, or `before` if they are equal: the same object does not render the message again. */
export function reuseIfEqual(before: MessageFacts | undefined, next: MessageFacts): MessageFacts {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(next) ? before : next;
}
