import type { Branch, BranchMessage, QueuedMessage } from "#contract/endpoints/messages.ts";
import type { Summary } from "#contract/endpoints/summaries.ts";
import type { Feedback } from "#contract/endpoints/scores.ts";
import { limits } from "#contract/limits.ts";

/** A person's rating of an answer. */
export type OwnFeedback = Omit<Feedback, "feedback_id">;

/** The loaded part of a thread's visible branch, oldest message first. */
export type BranchRows = {
  headId: string | null;
  messages: BranchMessage[];
  hasMore: boolean;
  /** The queued messages, in order. */
  queue: QueuedMessage[];
  /** What models read in place of the first messages. */
  summary: Summary | null;
};

/**
 * When to read the branch again because another app writes an answer: its silence is not announced. `undefined` if none
 * does.
 */
export function untilSilentMs(rows: BranchRows | undefined): number | undefined {
  const waits = (rows?.messages ?? []).flatMap(({ status, run }) =>
    status.reason === "elsewhere" && run !== undefined
      ? [limits.clientSilenceMs - run.last_heartbeat_ms_ago]
      : [],
  );
  return waits.length === 0 ? undefined : Math.max(0, ...waits) + 500;
}

/** The prefix of the keys of a thread's comparisons. */
export const comparisonsKey = (threadId: string) => ["comparisons", threadId] as const;

export const branchKey = (threadId: string) => ["branch", threadId] as const;

/** Messages per request, for the latest page and for each earlier one: several screens. Each one takes time to show. */
export const branchPageSize = 40;

/**
 * Appends the latest page to the earlier loaded messages. If heights differ, messages above were deleted: then the
 * loaded messages are outdated and are dropped.
 */
export function withLatestPage(known: BranchRows | undefined, page: Branch): BranchRows {
  const { head_id: headId, messages, has_more: hasMore, queue, summary } = page;
  const fresh: BranchRows = { headId, messages, hasMore, queue, summary };
  const top = page.messages[0];
  const at = top === undefined ? -1 : (known?.messages.findIndex((message) => message.id === top.id) ?? -1);
  if (known === undefined || at <= 0 || known.messages[at]?.height !== top?.height) return fresh;
  return { ...fresh, messages: [...known.messages.slice(0, at), ...page.messages], hasMore: known.hasMore };
}

/** Prepends an earlier page; changes nothing if the first loaded message is no longer `before`. */
export function withEarlierPage(
  known: BranchRows | undefined,
  before: string,
  page: Branch,
): BranchRows | undefined {
  if (known === undefined || known.messages[0]?.id !== before) return known;
  return { ...known, messages: [...page.messages, ...known.messages], hasMore: page.has_more };
}

/** Only the latest page of a long branch, which need not stay loaded when a message is sent. */
export function latestPageOnly(known: BranchRows | undefined): BranchRows | undefined {
  if (known === undefined || known.messages.length <= 2 * branchPageSize) return known;
  return { ...known, messages: known.messages.slice(-branchPageSize), hasMore: true };
}

export function withFeedback(
  known: BranchRows | undefined,
  messageId: string,
  feedback: OwnFeedback | null,
): BranchRows | undefined {
  if (known === undefined) return known;
  const given = {
    feedback: feedback?.type ?? null,
    feedback_reason: feedback?.reason ?? null,
    feedback_comment: feedback?.comment ?? null,
  };
  const messages = known.messages.map((row) => (row.id === messageId ? { ...row, ...given } : row));
  return { ...known, messages };
}
