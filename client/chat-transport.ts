import { AssistantChatTransport, type ResumableClientStorage } from "@assistant-ui/react-ai-sdk";
import type { UIMessage } from "ai";
import { createAnswers, createPendingAnswers, type Question } from "./answers.ts";
import { createSend, type Cloud, type Send } from "./connection.ts";

type AskedQuestion = Question & { asked?: { message: UIMessage; parentId: string | undefined } };

/**
 * For `transport` of `useChatRuntime`: the server's assistant answers, and the app needs no chat route. An answer continues
 * after a lost connection and after a reload of the page.
 */
export function createChatTransport<Message extends UIMessage = UIMessage>({
  cloud,
  assistantId = "default",
}: {
  cloud: Cloud;
  assistantId?: string;
}): AssistantChatTransport<Message> {
  const send = createSend({ cloud });
  const pending = createPendingAnswers();
  const answers = createAnswers({ cloud }, pending.forget);
  const started = new Map<string, string>();
  const neverAborts = new AbortController().signal;

  return new AssistantChatTransport<Message>({
    prepareSendMessagesRequest({ id, messages, body, trigger, messageId }) {
      const isNew = trigger === "submit-message" && messageId === undefined;
      const message = messages.at(-1);
      const asked =
        isNew && message?.role === "user" ? { message, parentId: messages.at(-2)?.id } : undefined;
      const { system, tools } = body ?? {};
      return { body: { thread_id: id, assistant_id: assistantId, messages, system, tools, asked } };
    },
    async fetch(input, init) {
      const signal = init?.signal ?? neverAborts;
      if (init?.method !== "POST") {
        // What `resumeApi` returned.
        const answer = await answers.resume(input as string, signal);
        return answer === undefined ? new Response(null, { status: 204 }) : new Response(answer.body);
      }
      const { asked, ...question } = JSON.parse(init.body as string) as AskedQuestion;
      // The runtime stores it later, with the same external id.
      if (asked !== undefined) await storeQuestion(send, question.thread_id, asked).catch(() => {});
      const { runId, body } = await answers.start(question, signal);
      signal.throwIfAborted();
      started.set(runId, question.thread_id);
      return new Response(body, { headers: { "x-resumable-stream-id": runId } });
    },
    resumable: {
      resumeApi: (runId) => runId,
      storage: storageOf(pending, started),
      isFinishEvent: (_, text) => text.includes("data: [DONE]"),
    },
  });
}

/** The runtime stores a question only when it has the answer, so a reload before that would lose the question. */
async function storeQuestion(
  send: Send,
  threadId: string,
  { message: { id, ...content }, parentId }: NonNullable<AskedQuestion["asked"]>,
): Promise<void> {
  // A loaded message has the server's id; a new message on this page has a local id.
  const parent =
    parentId?.startsWith("msg_") === true ? { parent_id: parentId } : { parent_external_id: parentId };
  await send(`/v1/threads/${threadId}/messages`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ parent_id: null, ...parent, format: "ai-sdk/v6", external_id: id, content }),
  });
}

/** assistant-ui gives a new thread a local id, which a reloaded page does not know. */
function storageOf(
  pending: ReturnType<typeof createPendingAnswers>,
  started: Map<string, string>,
): ResumableClientStorage {
  const storedIds = new Map<string, string>();
  const storedId = (threadId: string) => storedIds.get(threadId) ?? threadId;
  return {
    getStreamId: (threadId) => (threadId === undefined ? null : pending.get(storedId(threadId))),
    setStreamId(runId, threadId) {
      const stored = started.get(runId);
      if (threadId === undefined || stored === undefined) return;
      storedIds.set(threadId, stored);
      pending.set(stored, runId);
    },
    clear(threadId) {
      if (threadId !== undefined) pending.clear(storedId(threadId));
    },
  };
}
