import type {
  AppendMessage,
  AttachmentAdapter,
  ExportedMessageRepository,
  ExternalStoreAdapter,
} from "@assistant-ui/react";
import type { JsonObject } from "#contract/json.ts";
import type { BranchDeeds } from "#web/data/threads/branch-actions.ts";
import { failureOf, type Failure } from "#web/data/failure.ts";
import type { AssistantChoice } from "#web/data/outbox/outbox-entry.ts";
import type { ShownMessage } from "#web/data/threads/visible-branch.ts";

/** What a thread's runtime does when a primitive asks for something. */
export function createAdapter(options: {
  shown: readonly ShownMessage[];
  repository: ExportedMessageRepository;
  isRunning: boolean;
  /** An answer is being written, or waits for a person: what is said now waits for its turn. */
  isLoading: boolean;
  isSendDisabled: boolean;
  choice: AssistantChoice;
  deeds: BranchDeeds;
  stopFailed: (failure: Failure | undefined) => void;
  /** The first message makes the thread, which `made` is then told. */
  newThread: boolean;
  made: () => void;
  attachments: AttachmentAdapter;
  /** A message with these words and attachments is on its way; `edited`: in the place of that one. */
  sent: (words: string, attachmentIds: string[], edited?: string) => void;
}): ExternalStoreAdapter {
  const { shown, deeds, choice, newThread } = options;
  const rowOf = (id: string | null | undefined) => shown.find(({ row }) => row.id === id)?.row;

  return {
    messageRepository: options.repository,
    isRunning: options.isRunning,
    isLoading: options.isLoading,
    isSendDisabled: options.isSendDisabled,
    adapters: { attachments: options.attachments },
    async onNew(message) {
      const last = shown.at(-1);
      // Below what did not go yet, it goes after it.
      const unsent = last?.out?.state === "failed" && last.row.role === "user" ? last.out : undefined;
      const queue = options.isRunning || unsent !== undefined;
      const parentId = unsent?.replyId ?? last?.row.id ?? null;
      deeds.send({ parentId, content: contentOf(message), choice, newThread, ...(queue ? { queue } : {}) });
      options.sent(wordsOf(message), idsOf(message));
      if (newThread) options.made();
    },
    async onEdit(message) {
      // Its own row knows its parent also where that is above the loaded part.
      const parentId = rowOf(message.sourceId)?.parent_id ?? message.parentId;
      deeds.send({ parentId, content: contentOf(message), choice, newThread: false });
      options.sent(wordsOf(message), idsOf(message), message.sourceId ?? undefined);
    },
    async onReload(parentId, config) {
      const answered = rowOf(config.sourceId)?.parent_id ?? parentId;
      if (answered !== null) deeds.answerAgain({ parentId: answered, choice });
    },
    async onCancel() {
      const runId = shown.findLast(({ row }) => row.role === "assistant")?.row.run_id ?? undefined;
      if (runId === undefined) return;
      options.stopFailed(undefined);
      // A stop that did not arrive leaves the button where it is.
      await deeds.stop(runId).catch((error: unknown) => options.stopFailed(failureOf(error)));
    },
  };
}

/** What was attached comes before the words, as it is shown. */
function contentOf(message: AppendMessage): JsonObject {
  const attached = (message.attachments ?? []).flatMap(({ content }) => content);
  return {
    role: "user",
    content: [...attached, ...message.content].map((part) => ({ ...part }) as JsonObject),
  };
}

function wordsOf({ content }: AppendMessage): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n\n");
}

function idsOf(message: AppendMessage): string[] {
  return (message.attachments ?? []).map(({ id }) => id);
}
