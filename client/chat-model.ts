import {
  useAui,
  useAuiState,
  useLocalRuntime,
  type AssistantRuntime,
  type ChatModelAdapter,
} from "@assistant-ui/react";
import { AssistantMessageAccumulator, UIMessageStreamDecoder } from "assistant-stream";
import { useEffect, useMemo } from "react";
import { createAnswers, createPendingAnswers, isStopped, type Answer } from "./answers.ts";
import type { Cloud, Connection } from "./connection.ts";

type Run = Extract<ReturnType<ChatModelAdapter["run"]>, AsyncGenerator>;

export type ChatModel = ChatModelAdapter & {
  /** Continues the answer that this tab was reading in the thread, if there is one. Each is returned once. */
  resume(threadId: string): ((options: { abortSignal: AbortSignal }) => Run) | undefined;
};

/**
 * A model for `useLocalRuntime`: the server's assistant answers. An answer continues after a lost connection. `threadId`
 * returns the id of the stored thread.
 */
export function createChatModel({
  assistantId = "default",
  threadId: storedThread,
  ...connection
}: (Connection | { cloud: Cloud }) & {
  assistantId?: string | undefined;
  threadId?: () => Promise<string>;
}): ChatModel {
  const pending = createPendingAnswers();
  const answers = createAnswers(connection, pending.forget);
  const read = new Set<string>();

  async function* results(answer: Answer | undefined): Run {
    if (answer === undefined) return;
    const reader = answer.body
      .pipeThrough(new UIMessageStreamDecoder())
      .pipeThrough(new AssistantMessageAccumulator())
      .getReader();
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
      pending.forget(answer.runId);
    } finally {
      await reader.cancel().catch(() => {});
    }
  }

  return {
    async *run({ messages, abortSignal, context, unstable_getMessage }) {
      const threadId = await storedThread?.();
      const message = unstable_getMessage();
      const question = {
        thread_id: threadId ?? "unstable_todo",
        assistant_id: assistantId,
        messages: [...messages, message],
        system: context.system,
        // If this page is closed, the server stores the answer in the message that the page has begun to store.
        ...(message.content.length === 0 ? { reply_external_id: message.id } : {}),
      };
      const answer = await answers.start(question, abortSignal);
      read.add(answer.runId);
      if (threadId !== undefined && !isStopped(abortSignal)) pending.set(threadId, answer.runId);
      yield* results(answer);
    },
    resume(threadId) {
      const runId = pending.get(threadId);
      if (runId === null || read.has(runId)) return undefined;
      read.add(runId);
      return async function* ({ abortSignal }) {
        yield* results(await answers.resume(runId, abortSignal));
      };
    },
  };
}

/**
 * A `runtimeHook` of `useCloudThreadListRuntime`: the server's assistant answers. An answer continues after a lost connection
 * and after a reload of the page.
 */
export function useServerRuntime({
  cloud,
  assistantId,
}: {
  cloud: Cloud;
  assistantId?: string;
}): AssistantRuntime {
  const aui = useAui();
  const model = useMemo(() => {
    const threadId = async () => (await aui.threadListItem().initialize()).remoteId;
    return createChatModel({ cloud, assistantId, threadId });
  }, [aui, cloud, assistantId]);
  const runtime = useLocalRuntime(model);
  const { thread } = runtime;
  const threadId = useAuiState((state) => state.threadListItem.remoteId);
  useEffect(() => {
    if (threadId === undefined) return undefined;
    const resume = () => {
      const { isLoading, isRunning, messages } = thread.getState();
      const last = messages.at(-1);
      if (isLoading || isRunning || last === undefined) return;
      const stream = model.resume(threadId);
      // Newer versions of assistant-ui store an answer while it is written. The server completes it then.
      if (stream !== undefined && last.role === "user") thread.resumeRun({ parentId: last.id, stream });
    };
    resume();
    return thread.subscribe(resume);
  }, [model, thread, threadId]);
  return runtime;
}
