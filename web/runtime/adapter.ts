import type {
  AppendMessage,
  AttachmentAdapter,
  ExportedMessageRepository,
  ExternalStoreAdapter,
} from "@assistant-ui/react";
import type { JsonObject } from "#contract/json.ts";
import type { ComparisonActions } from "#web/data/threads/comparisons.ts";
import type { BranchActions } from "#web/data/threads/branch-actions.ts";
import { failureOf, type Failure } from "#web/data/failure.ts";
import type { AssistantChoice, ComparedModels } from "#web/data/outbox/outbox-entry.ts";
import type { VisibleMessage } from "#web/data/threads/visible-branch.ts";

/** Maps the actions of assistant-ui's primitives to ours. */
export function createAdapter(options: {
  visible: readonly VisibleMessage[];
  repository: ExportedMessageRepository;
  /** A run is active or waits for the person: new messages are queued. */
  isRunning: boolean;
  isLoading: boolean;
  isSendDisabled: boolean;
  choice: AssistantChoice;
  actions: BranchActions;
  compared: ComparedModels | undefined;
  comparisons: ComparisonActions;
  /** The comparison that waits for a choice. */
  comparisonId: string | undefined;
  onCompared: (next: undefined) => void;
  onStopFailure: (failure: Failure | undefined) => void;
  /** The first message creates the thread; then `onThreadCreated` is called. */
  newThread: boolean;
  onThreadCreated: () => void;
  attachments: AttachmentAdapter;
  /** A message is being sent; `editedId`: the message that it replaces. */
  onSent: (text: string, attachmentIds: string[], editedId?: string) => void;
}): ExternalStoreAdapter {
  const { visible, actions, choice, newThread } = options;
  const rowOf = (id: string | null | undefined) => visible.find(({ row }) => row.id === id)?.row;

  return {
    messageRepository: options.repository,
    isRunning: options.isRunning,
    isLoading: options.isLoading,
    isSendDisabled: options.isSendDisabled,
    adapters: { attachments: options.attachments },
    async onNew(message) {
      const last = visible.at(-1);
      // A message below a failed one is sent after it.
      const unsent =
        last?.outboxEntry?.state === "failed" && last.row.role === "user" ? last.outboxEntry : undefined;
      const queue = options.isRunning || unsent !== undefined;
      const parentId = unsent?.replyId ?? last?.row.id ?? null;
      // Several models cannot answer a message that waits for another answer.
      const compared = queue ? undefined : options.compared;
      actions.send({
        parentId,
        content: contentOf(message),
        choice,
        newThread,
        ...(queue ? { queue } : {}),
        ...(compared === undefined ? {} : { compared }),
      });
      if (compared !== undefined) options.onCompared(undefined);
      options.onSent(textOf(message), idsOf(message));
      if (newThread) options.onThreadCreated();
    },
    async onEdit(message) {
      // The row has the parent id even if the parent is not loaded.
      const parentId = rowOf(message.sourceId)?.parent_id ?? message.parentId;
      actions.send({ parentId, content: contentOf(message), choice, newThread: false });
      options.onSent(textOf(message), idsOf(message), message.sourceId ?? undefined);
    },
    async onReload(parentId, config) {
      const answered = rowOf(config.sourceId)?.parent_id ?? parentId;
      if (answered !== null) actions.regenerate({ parentId: answered, choice });
    },
    async onCancel() {
      const runId = visible.findLast(({ row }) => row.role === "assistant")?.row.run_id ?? undefined;
      if (runId === undefined) return;
      options.onStopFailure(undefined);
      const { comparisonId } = options;
      const stopped =
        comparisonId === undefined ? actions.stop(runId) : options.comparisons.stopAll(comparisonId);
      await stopped.catch((error: unknown) => options.onStopFailure(failureOf(error)));
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

function idsOf(message: AppendMessage): string[] {
  return (message.attachments ?? []).map(({ id }) => id);
}
