import { limits } from "#contract/limits.ts";
import { JsonResponse, type Routes, type Visitor } from "../lib/route.ts";
import type { Branches } from "./branch.ts";
import type { CopyBranch } from "./copy-branch.ts";
import type { Messages } from "./messages.ts";
import type { Pins } from "./pins.ts";
import type { Queue } from "./queue/queue.ts";
import type { Removal } from "./removal.ts";

type Names =
  | "apps.messages"
  | "messages.remove"
  | "messages.list"
  | "messages.add"
  | "messages.update"
  | "messages.branch"
  | "messages.setHead"
  | "messages.copyBranch"
  | "messages.pin"
  | "clientLeases.heartbeat"
  | "clientLeases.end"
  | "queue.update"
  | "queue.remove";

/** Below a question, and at most a system message and a greeting. */
const firstAnswerHeight = 3;

export function messageRoutes({
  messages,
  branches,
  removal,
  queue,
  pins,
  copyBranch,
  titleInBackground,
}: {
  messages: Messages;
  branches: Branches;
  removal: Removal;
  queue: Queue;
  pins: Pins;
  copyBranch: CopyBranch;
  titleInBackground: (visitor: Visitor, threadId: string) => void;
}): Routes<Names> {
  return {
    "messages.list": async ({ visitor, params, query }) => ({
      messages: await messages.list(visitor, params.thread_id, query),
    }),
    "messages.add": async ({ visitor, params, query, body }) => {
      const { id, height, created, lease } = await messages.add(visitor, params.thread_id, body);
      const isFirstAnswer = created && height <= firstAnswerHeight && body.content.role === "assistant";
      // An answer with a lease has hardly begun. Its end makes the title.
      if (isFirstAnswer && lease === undefined && query.title !== false)
        titleInBackground(visitor, params.thread_id);
      return new JsonResponse({ message_id: id, ...lease }, { status: created ? 201 : 200 });
    },
    "messages.update": async ({ visitor, params, body }) => {
      await messages.update(visitor, params.thread_id, params.message_id, body);
      return {};
    },
    "clientLeases.heartbeat": async ({ visitor, params }) => {
      await messages.clientLeases.heartbeat(visitor, params.thread_id, params.lease_id);
      return { heartbeat_interval_ms: limits.clientHeartbeatMs };
    },
    "clientLeases.end": async ({ visitor, params, body }) => {
      const { thread_id: threadId, lease_id: leaseId } = params;
      const height = await messages.clientLeases.end(visitor, threadId, leaseId, body.reason ?? "done");
      if (height !== undefined && height <= firstAnswerHeight) titleInBackground(visitor, threadId);
      return {};
    },
    "messages.remove": async ({ visitor, params, query, body }) => {
      const { descendants = false, until } = query;
      await removal.remove(visitor, params.thread_id, body.message_ids, {
        descendants,
        untilMs: until === undefined ? undefined : Date.parse(until),
      });
      return {};
    },
    "queue.update": async ({ visitor, params, body }) => {
      await queue.update(visitor, params.thread_id, params.queued_id, body.content, body.restore);
      return {};
    },
    "queue.remove": async ({ visitor, params }) => {
      await queue.remove(visitor, params.thread_id, params.queued_id);
      return {};
    },
    "apps.messages": async ({ key, params, query }) => ({
      messages: await messages.listOfApp(key, params.thread_id, query),
    }),
    "messages.pin": async ({ visitor, params, body }) => {
      await pins.set(visitor, params.thread_id, params.message_id, body.is_pinned);
      return {};
    },
    "messages.copyBranch": async ({ visitor, params, body }) => ({
      thread_id: await copyBranch(visitor, {
        threadId: params.thread_id,
        messageId: params.message_id,
        title: body.title,
      }),
    }),
    "messages.branch": async ({ visitor, params, query }) =>
      await branches.read(visitor, params.thread_id, query),
    "messages.setHead": async ({ visitor, params, body }) => ({
      head_id: await branches.setHead(visitor, params.thread_id, body.message_id),
    }),
  };
}
