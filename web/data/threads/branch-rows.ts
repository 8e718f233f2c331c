import type { Branch, BranchMessage, QueuedMessage } from "#contract/endpoints/messages.ts";
import type { FeedbackType } from "#contract/endpoints/scores.ts";

/** The loaded part of the branch that is shown of a thread, from the top down. */
export type BranchRows = {
  headId: string | null;
  messages: BranchMessage[];
  hasMore: boolean;
  /** What waits to be said in the thread, in order. */
  queue: QueuedMessage[];
};

export const branchKey = (threadId: string) => ["branch", threadId] as const;

/** How many messages the lower end of a branch is first read with, and how many each page above it has. */
export const branchPage = 100;

/**
 * The branch's lower end, read anew, under what was loaded above it. A deletion above lowers the height of everything
 * below: then the loaded part is outdated, and is left out.
 */
export function withLowerEnd(known: BranchRows | undefined, page: Branch): BranchRows {
  const { head_id: headId, messages, has_more: hasMore, queue } = page;
  const fresh: BranchRows = { headId, messages, hasMore, queue };
  const top = page.messages[0];
  const at = top === undefined ? -1 : (known?.messages.findIndex((message) => message.id === top.id) ?? -1);
  if (known === undefined || at <= 0 || known.messages[at]?.height !== top?.height) return fresh;
  return { ...fresh, messages: [...known.messages.slice(0, at), ...page.messages], hasMore: known.hasMore };
}

/** What is above the loaded part, before it; changes nothing when that begins elsewhere by now. */
export function withUpperPage(
  known: BranchRows | undefined,
  before: string,
  page: Branch,
): BranchRows | undefined {
  if (known === undefined || known.messages[0]?.id !== before) return known;
  return { ...known, messages: [...page.messages, ...known.messages], hasMore: page.has_more };
}

/** Without what was loaded above the last page: a long thread that is written in again need not stay loaded. */
export function lowerEndOnly(known: BranchRows | undefined): BranchRows | undefined {
  if (known === undefined || known.messages.length <= 2 * branchPage) return known;
  return { ...known, messages: known.messages.slice(-branchPage), hasMore: true };
}

/** With this thumb on a message. */
export function withFeedback(
  known: BranchRows | undefined,
  messageId: string,
  feedback: FeedbackType | null,
): BranchRows | undefined {
  if (known === undefined) return known;
  const messages = known.messages.map((row) => (row.id === messageId ? { ...row, feedback } : row));
  return { ...known, messages };
}
