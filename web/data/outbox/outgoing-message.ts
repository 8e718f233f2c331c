import { newId } from "#contract/ids.ts";
import type { JsonObject } from "#contract/json.ts";
import type { BodyInputOf } from "#contract/api.ts";
import type { Failure } from "../failure.ts";
import { ownTimeZone } from "../session/time-zone.ts";

/**
 * A run that this browser starts: a message on its way, or an answer asked for again. All its ids are final from the
 * first moment, so that sending it twice makes it once.
 */
export type Outgoing = {
  runId: string;
  threadId: string;
  /** The thread comes into being with it. */
  newThread: boolean;
  /** Absent where an answer is asked for again. */
  message?: { id: string; content: JsonObject };
  /** What the message goes below; without a message, what is answered again. */
  parentId: string | null;
  replyId: string;
  /** Said while an answer is being written: it waits for its turn. */
  queue?: boolean;
  /** Its words are others than those that were sent first. */
  changed?: boolean;
  /** Whom it is for, where that was chosen: null for the default ones. */
  assistantId?: string | null;
  model?: string | null;
  createdAt: string;
  /** Its place among what this browser has on its way; no clock has a say in it. */
  order?: number;
  state: "sending" | "stored" | "failed";
  failure?: Failure;
  /** Another branch is looked at meanwhile. */
  aside?: boolean;
};

/** Who is to answer; what is absent is the thread's own. */
export type OutgoingChoice = Pick<Outgoing, "assistantId" | "model">;

/** What a person sends: text, or an edited message's parts. */
export function outgoingMessage(wanted: {
  threadId: string;
  newThread: boolean;
  parentId: string | null;
  content: JsonObject;
  choice: OutgoingChoice;
  queue?: boolean;
}): Outgoing {
  return {
    ...begin(wanted),
    ...(wanted.queue === true ? { queue: true } : {}),
    message: { id: newId("message"), content: wanted.content },
  };
}

/** The same once more, in its place. Under other ids: what was taken out stays out, wherever it may have arrived. */
export function outgoingAnew({ failure: _, changed: __, message, ...out }: Outgoing): Outgoing {
  return {
    ...out,
    ...(message && { message: { ...message, id: newId("message") } }),
    runId: newId("run"),
    replyId: newId("message"),
    state: "sending",
  };
}

export function outgoingAgain(wanted: {
  threadId: string;
  parentId: string;
  choice: OutgoingChoice;
}): Outgoing {
  return begin({ ...wanted, newThread: false });
}

function begin(wanted: {
  threadId: string;
  newThread: boolean;
  parentId: string | null;
  choice: OutgoingChoice;
}): Outgoing {
  const { threadId, newThread, parentId, choice } = wanted;
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

export function requestOf(out: Outgoing): BodyInputOf<"runs.start"> {
  const { runId, replyId, assistantId, model, message, parentId, queue } = out;
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
