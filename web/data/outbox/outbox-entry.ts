import { newId } from "#contract/ids.ts";
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
  /** The chosen assistant and model; null for the defaults, absent for those of the thread. */
  assistantId?: string | null;
  model?: string | null;
  createdAt: string;
  /** Position in the outbox. Not a time, because the clock can be set back. */
  order?: number;
  state: "sending" | "stored" | "failed";
  failure?: Failure;
  /** The user switched to another branch. */
  aside?: boolean;
};

/** The assistant and model for a run; absent fields mean those of the thread. */
export type AssistantChoice = Pick<OutboxEntry, "assistantId" | "model">;

export function messageEntry(request: {
  threadId: string;
  newThread: boolean;
  parentId: string | null;
  content: JsonObject;
  choice: AssistantChoice;
  queue?: boolean;
}): OutboxEntry {
  return {
    ...baseEntry(request),
    ...(request.queue === true ? { queue: true } : {}),
    message: { id: newId("message"), content: request.content },
  };
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

export function regenerationEntry(request: {
  threadId: string;
  parentId: string;
  choice: AssistantChoice;
}): OutboxEntry {
  return baseEntry({ ...request, newThread: false });
}

function baseEntry(request: {
  threadId: string;
  newThread: boolean;
  parentId: string | null;
  choice: AssistantChoice;
}): OutboxEntry {
  const { threadId, newThread, parentId, choice } = request;
  return {
    runId: newId("run"),
    threadId,
    newThread,
    parentId,
    replyId: newId("message"),
    ...choice,
    createdAt: new Date().toISOString(),
    state: "sending",
  };
}

export function requestOf(entry: OutboxEntry): BodyInputOf<"runs.start"> {
  const { runId, replyId, assistantId, model, message, parentId, queue } = entry;
  const timeZone = ownTimeZone();
  return {
    id: runId,
    reply_id: replyId,
    ...(timeZone === undefined ? {} : { time_zone: timeZone }),
    ...(assistantId === undefined ? {} : { assistant_id: assistantId }),
    ...(model === undefined ? {} : { model }),
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
