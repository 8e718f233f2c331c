import type { AppendMessage, ExternalStoreAdapter } from "@assistant-ui/react";
import type { JsonObject } from "#contract/json.ts";
import type { ThreadBranch } from "#web/data/threads/branch.ts";
import { createBranchActions } from "#web/data/threads/branch-actions.ts";
import { createComparisonActions } from "#web/data/threads/comparisons.ts";
import { draftOfEdit } from "#web/data/drafts/draft.ts";
import { failureOf, type Failure } from "#web/data/failure.ts";
import type { AssistantChoice, ComparedModels } from "#web/data/outbox/outbox-entry.ts";
import type { Services } from "#web/data/services.ts";
import { createStore } from "#web/lib/store.ts";

/** What a person's actions depend on, as of the last render. */
type ThreadFacts = {
  branch: Pick<ThreadBranch, "messages" | "loadEarlier" | "retry">;
  /** A run is active or waits for the person: new messages are queued. */
  isRunning: boolean;
  choice: AssistantChoice;
  /** The models that answer the next message side by side. */
  compared: ComparedModels | undefined;
  /** The comparison that waits for a choice. */
  comparisonId: string | undefined;
  /** The first message creates the thread. */
  isNew: boolean;
  draft: string;
  onCompared: (next: undefined) => void;
  /** The new chat has become this thread; its first message is being sent. */
  onThreadCreated: (id: string) => void;
};

/** What a person does in one thread. The actions stay the same as long as it is open: they read its facts when called. */
export type ThreadStore = ReturnType<typeof createThreadStore>;

export function createThreadStore(services: Services, threadId: string) {
  const actions = createBranchActions(services, threadId);
  const comparisons = createComparisonActions(services, threadId);
  const hasStarted = createStore(false);
  const stopFailure = createStore<Failure | undefined>(undefined);
  let facts: ThreadFacts;
  let shown: object | undefined;
  const rowOf = (id: string | null | undefined) =>
    facts.branch.messages.find(({ row }) => row.id === id)?.row;

  /** The message is being sent: its draft and its uploads are no longer needed. */
  function leaveDraft(message: AppendMessage, draft: string): void {
    services.drafts.sent(draft, textOf(message));
    for (const { id } of message.attachments ?? []) services.uploads.remove(id);
  }

  /** assistant-ui's actions. */
  const handlers = {
    async onNew(message) {
      const { branch, isRunning, choice, isNew, draft } = facts;
      const last = branch.messages.at(-1);
      // A message below a failed one is sent after it.
      const unsent =
        last?.outboxEntry?.state === "failed" && last.row.role === "user" ? last.outboxEntry : undefined;
      const queue = isRunning || unsent !== undefined;
      const parentId = unsent?.replyId ?? last?.row.id ?? null;
      // Several models cannot answer a message that waits for another answer.
      const compared = queue ? undefined : facts.compared;
      actions.send({
        parentId,
        content: contentOf(message),
        choice,
        newThread: isNew,
        ...(queue ? { queue } : {}),
        ...(compared === undefined ? {} : { compared }),
      });
      if (compared !== undefined) facts.onCompared(undefined);
      leaveDraft(message, draft);
      if (!isNew) return;
      hasStarted.set(true);
      facts.onThreadCreated(threadId);
    },
    async onEdit(message) {
      // The row has the parent id even if the parent is not loaded.
      const parentId = rowOf(message.sourceId)?.parent_id ?? message.parentId;
      actions.send({ parentId, content: contentOf(message), choice: facts.choice, newThread: false });
      leaveDraft(message, message.sourceId == null ? facts.draft : draftOfEdit(message.sourceId));
    },
    async onReload(parentId, config) {
      const answered = rowOf(config.sourceId)?.parent_id ?? parentId;
      if (answered !== null) actions.regenerate({ parentId: answered, choice: facts.choice });
    },
    async onCancel() {
      const { branch, comparisonId } = facts;
      const runId = branch.messages.findLast(({ row }) => row.role === "assistant")?.row.run_id ?? undefined;
      if (runId === undefined) return;
      stopFailure.set(undefined);
      const stopped = comparisonId === undefined ? actions.stop(runId) : comparisons.stopAll(comparisonId);
      await stopped.catch((error: unknown) => stopFailure.set(failureOf(error)));
    },
  } satisfies Partial<ExternalStoreAdapter>;

  const { stop: stopRun, queue: queueActions, ...others } = actions;
  return {
    handlers,
    /** The actions of the screens. */
    actions: {
      ...others,
      stopRun,
      queueActions,
      chooseAnswer: comparisons.choose,
      /** Answers the same message again with another assistant or model, only this time. */
      regenerateWith(replyId: string, choice: AssistantChoice): void {
        const parentId = rowOf(replyId)?.parent_id;
        if (parentId != null) actions.regenerate({ parentId, choice: { ...choice, once: true } });
      },
      loadEarlier: (limit?: number): void => facts.branch.loadEarlier(limit),
      retry: (): void => facts.branch.retry(),
    },
    /** Whether the first message of a new thread is being sent. */
    hasStarted,
    /** Why the last stop failed. */
    stopFailure,
    /** `next`, or what was passed before if its fields are the same: that renders nothing again. */
    reuse<T extends object>(next: T): T {
      const names = Object.keys(next) as (keyof T)[];
      const before = shown as T | undefined;
      const isSame =
        before !== undefined &&
        names.length === Object.keys(before).length &&
        names.every((name) => Object.is(next[name], before[name]));
      if (!isSame) shown = next;
      return isSame ? before : next;
    },
    /** After every render. */
    update(next: ThreadFacts): void {
      if (next.isRunning !== facts?.isRunning) stopFailure.set(undefined);
      facts = next;
    },
  };
}

/** Attachments come before the text, as on the page. */
function contentOf(message: AppendMessage): JsonObject {
  const attached = (message.attachments ?? []).flatMap(({ content }) => content);
  return {
    role: "user",
    content: [...attached, ...message.content].map((part) => ({ ...part }) as JsonObject),
  };
}

function textOf({ content }: AppendMessage): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n\n");
}
