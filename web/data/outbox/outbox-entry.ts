import { newId } from "#contract/ids.ts";
import type { ReasoningEffort } from "#contract/endpoints/models.ts";
import type { JsonObject } from "#contract/json.ts";
import type { BodyInputOf } from "#contract/api.ts";
import type { Failure } from "../failure.ts";
import { ownTimeZone } from "../session/time-zone.ts";

/**
 * A run that this browser starts: a new message or a regeneration. It has its final ids from the beginning, so that the
 * server stores it once even if it is sent twice.
 */
export type OutboxEntry = {
  runId: string;
  threadId: string;
  /** The server creates the thread with this message. */
  newThread: boolean;
  /** Absent for a regeneration. */
  message?: { id: string; content: JsonObject };
  /** The parent of the message; for a regeneration, the message to answer again. */
  parentId: string | null;
  replyId: string;
  /** The message was sent during a run: it goes into the queue. */
  queue?: boolean;
  /** The content was edited after the first attempt to send it. */
  changed?: boolean;
  /** The chosen assistant, model and reasoning effort; null for the defaults, absent for those of the thread. */
  assistantId?: string | null;
  model?: string | null;
  effort?: ReasoningEffort | null;
  /** The choice is for this answer only: the thread does not remember it. */
  once?: boolean;
  createdAt: string;
  /** Position in the outbox. Not a time, because the clock can be set back. */
  order?: number;
  state: "sending" | "stored" | "failed";
  failure?: Failure;
  /** The user switched to another branch, which hides the message. */
  isHidden?: boolean;
};

/** The assistant, model and reasoning effort for a run; absent fields mean those of the thread. */
export type AssistantChoice = Pick<OutboxEntry, "assistantId" | "model" | "effort" | "once">;

type EntryRequest = {
  threadId: string;
  newThread: boolean;
  parentId: string | null;
  choice: AssistantChoice;
};

export function messageEntry({
  content,
  queue,
  ...request
}: EntryRequest & { content: JsonObject; queue?: boolean }): OutboxEntry {
  return {
    ...newEntry(request),
    ...(queue === true ? { queue } : {}),
    message: { id: newId("message"), content },
  };
}

export function regenerationEntry(
  request: Omit<EntryRequest, "newThread"> & { parentId: string },
): OutboxEntry {
  return newEntry({ ...request, newThread: false });
}

/** The same entry at the same position, under new ids: the old ids stay removed in every tab and on the server. */
export function copyWithNewIds({ failure: _, changed: __, message, ...entry }: OutboxEntry): OutboxEntry {
  return {
    ...entry,
    ...(message && { message: { ...message, id: newId("message") } }),
    runId: newId("run"),
    replyId: newId("message"),
    state: "sending",
  };
}

function newEntry({ choice, ...request }: EntryRequest): OutboxEntry {
  return {
    ...request,
    ...choice,
    runId: newId("run"),
    replyId: newId("message"),
    createdAt: new Date().toISOString(),
    state: "sending",
  };
}

/** `streamId`: the event stream that then has the run's events. */
export function requestOf(entry: OutboxEntry, streamId?: string): BodyInputOf<"runs.start"> {
  const { runId, replyId, assistantId, model, effort, once, message, parentId, queue } = entry;
  const timeZone = ownTimeZone();
  return {
    id: runId,
    reply_id: replyId,
    ...(timeZone === undefined ? {} : { time_zone: timeZone }),
    ...(streamId === undefined ? {} : { stream_id: streamId }),
    ...(assistantId === undefined ? {} : { assistant_id: assistantId }),
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(once === true ? { remember: false } : {}),
    ...(message === undefined
      ? { parent_id: parentId ?? "" }
      : {
          message: {
            id: message.id,
            parent_id: parentId,
            ...(queue === true ? { queue } : {}),
            content: message.content,
          },
        }),
  };
}
