import type { AnsweredBy, MessageStatus } from "#contract/endpoints/messages.ts";
import type { FeedbackType } from "#contract/endpoints/scores.ts";
import { waitingCalls, type WaitingCall } from "#contract/fold.ts";
import { replyStatus } from "#contract/reply-status.ts";
import { failureOfCode, translateKeptFailure, type Failure } from "../failure.ts";
import { madeBy, makerOf, type MadeBy } from "./made-by.ts";
import { partsOf } from "./message-parts.ts";
import type { ShownMessage } from "./visible-branch.ts";

/** What is known of a shown message beside its parts. */
export type MessageFacts = {
  status: MessageStatus;
  runId?: string;
  sendState: "sending" | "stored" | "failed";
  /** Why it was not sent, or why its answer failed. */
  failure?: Failure;
  /** An answer of which nothing is said yet. */
  isWaiting: boolean;
  /** The tool calls that wait for the person, and what each needs. */
  waitsFor?: { runId: string; toolCallId: string; needs: "approval" | "result" }[];
  /** Of an answer: who made it. */
  madeBy?: MadeBy;
  /** The reader's own thumb on it. */
  feedback: FeedbackType | null;
};

/** `before`: who made the answer before it. */
export function factsOf(shown: ShownMessage, before?: AnsweredBy): MessageFacts {
  const { row, live, out } = shown;
  const maker = makerOf(shown);
  const status = live === undefined ? row.status : replyStatus(live.reply);
  const parts = live === undefined ? partsOf(row) : live.reply.parts;
  const failure =
    out?.failure === undefined
      ? failureOfEnd(status, live?.reply.end?.error?.message)
      : translateKeptFailure(out.failure);
  const waiting = live === undefined ? [] : waitingCalls(live.reply);
  return {
    status,
    sendState: out?.state ?? "stored",
    feedback: row.feedback,
    isWaiting: status.type === "running" && parts.length === 0,
    ...(row.run_id === null ? {} : { runId: row.run_id, ...waitsFor(row.run_id, waiting) }),
    ...(failure === undefined ? {} : { failure }),
    ...(maker === undefined ? {} : { madeBy: madeBy(maker, before) }),
  };
}

function waitsFor(runId: string, calls: WaitingCall[]): Pick<MessageFacts, "waitsFor"> {
  if (calls.length === 0) return {};
  return { waitsFor: calls.map(({ call, needs }) => ({ runId, toolCallId: call.toolCallId, needs })) };
}

function failureOfEnd(status: MessageStatus, said: string | undefined): Failure | undefined {
  if (status.type !== "incomplete" || status.reason !== "error") return undefined;
  return failureOfCode(status.error_code ?? "internal", said);
}

/** `next`, or `before` where they say the same: a screen that reads them is drawn anew only when something changed. */
export function keepSame(before: MessageFacts | undefined, next: MessageFacts): MessageFacts {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(next) ? before : next;
}
