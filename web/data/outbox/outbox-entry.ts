import { newId } from "#contract/ids.ts";
import type { ReasoningEffort } from "#contract/endpoints/models.ts";
import type { JsonObject } from "#contract/json.ts";
import type { BodyInputOf } from "#contract/api.ts";
import type { CallFailure } from "../call-error.ts";
import { ownTimeZone } from "../session/time-zone.ts";

/** The models that answer a message side by side. `isBlind`: their names are hidden until a choice. */
export type ComparedModels = { models: readonly string[]; isBlind: boolean };

/**
 * A run that this browser starts: a new message, also to several models, or a regeneration. It has its final ids from the
 * beginning, so that the server stores it once even if it is sent twice. Only the ids of compared answers and their runs
 * are the server's.
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
  /** With a comparison, the server chooses the ids of the replies and their runs. */
  replyId: string;
  comparison?: ComparedModels & { id: string };
  /** The runs of a comparison that the server has stored. */
  runIds?: readonly string[];
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
  /** A new thread is temporary. */
  temporary?: boolean;
  /** The folder of a new thread. */
  folderId?: string;
  createdAt: string;
  /** Position in the outbox. Not a time, because the clock can be set back. */
  order?: number;
  state: "sending" | "stored" | "failed";
  failure?: CallFailure;
  /** The user switched to another branch, which hides the message. */
  isHidden?: boolean;
};

/** The assistant, model and reasoning effort for a run; absent fields mean those of the thread. */
export type AssistantChoice = Pick<
  OutboxEntry,
  "assistantId" | "model" | "effort" | "once" | "temporary" | "folderId"
>;

type EntryRequest = {
  threadId: string;
  newThread: boolean;
  parentId: string | null;
  choice: AssistantChoice;
};

export function messageEntry({
  content,
  queue,
  compared,
  ...request
}: EntryRequest & { content: JsonObject; queue?: boolean; compared?: ComparedModels }): OutboxEntry {
  return {
    ...newEntry(request),
    ...(queue === true ? { queue } : {}),
    ...(compared === undefined ? {} : { comparison: { ...compared, id: newId("comparison") } }),
    message: { id: newId("message"), content },
  };
}

export function regenerationEntry(
  request: Omit<EntryRequest, "newThread"> & { parentId: string },
): OutboxEntry {
  return newEntry({ ...request, newThread: false });
}

/** The same entry at the same position, under new ids: the old ids stay removed in every tab and on the server. */
export function copyWithNewIds({
  failure: _,
  changed: __,
  message,
  comparison,
  ...entry
}: OutboxEntry): OutboxEntry {
  return {
    ...entry,
    ...(message && { message: { ...message, id: newId("message") } }),
    ...(comparison && { comparison: { ...comparison, id: newId("comparison") } }),
    runId: newId("run"),
    replyId: newId("message"),
    state: "sending",
  };
}

/** Whether the page shows both in the same way: a message that is being sent looks like one that is stored. */
export function looksLike(one: OutboxEntry, other: OutboxEntry): boolean {
  if (one === other) return true;
  const isStored = one.state === "stored" && other.state === "sending" && one.queue !== true;
  return (
    isStored &&
    one.runId === other.runId &&
    one.replyId === other.replyId &&
    one.message === other.message &&
    one.isHidden === other.isHidden
  );
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
    ...ofNewThread(entry),
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

/** The request for an entry with a comparison. */
export function comparisonRequestOf(
  entry: OutboxEntry,
  { id, models, isBlind }: NonNullable<OutboxEntry["comparison"]>,
): BodyInputOf<"comparisons.start"> {
  const { message, parentId, assistantId, effort } = entry;
  const timeZone = ownTimeZone();
  return {
    id,
    ...(message && { message: { id: message.id, parent_id: parentId, content: message.content } }),
    models: [...models],
    is_blind: isBlind,
    ...ofNewThread(entry),
    ...(assistantId === undefined ? {} : { assistant_id: assistantId }),
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(timeZone === undefined ? {} : { time_zone: timeZone }),
  };
}

/** What the message that creates a thread says about it. */
function ofNewThread({ temporary, folderId }: OutboxEntry) {
  return {
    ...(temporary === true ? { temporary } : {}),
    ...(folderId === undefined ? {} : { folder_id: folderId }),
  };
}
