import type { LangChainMessage } from "@assistant-ui/react-langgraph";

/** A stand-in for a LangGraph server that keeps its threads in this browser. It answers with the question. */
export const langGraph = {
  async create(): Promise<{ externalId: string }> {
    const externalId = crypto.randomUUID();
    save(externalId, []);
    return { externalId };
  },
  async load(externalId: string): Promise<{ messages: LangChainMessage[] }> {
    return { messages: stored(externalId) };
  },
  async *stream(
    messages: LangChainMessage[],
    { initialize }: { initialize(): Promise<{ externalId: string | undefined }> },
  ): AsyncGenerator<{ event: string; data: unknown }> {
    const { externalId } = await initialize();
    if (externalId === undefined) throw new Error("The thread has no external id.");
    const answer: LangChainMessage = {
      id: crypto.randomUUID(),
      type: "ai",
      content: `Heard: ${JSON.stringify(messages.at(-1)?.content)}`,
    };
    save(externalId, [...stored(externalId), ...messages, answer]);
    yield { event: "messages/complete", data: [answer] };
  },
};

function stored(externalId: string): LangChainMessage[] {
  return JSON.parse(localStorage.getItem(externalId) ?? "[]") as LangChainMessage[];
}

function save(externalId: string, messages: LangChainMessage[]): void {
  localStorage.setItem(externalId, JSON.stringify(messages));
}
