import { createRetryWait, createSend, isRefused, type Cloud, type Connection } from "./connection.ts";
import { eventData } from "./server-sent-events.ts";

/** What `POST /v1/runs/stream` takes. */
export type Question = { thread_id: string; assistant_id: string; messages: unknown[] } & Record<
  string,
  unknown
>;

/** A UI message stream that continues over lost connections. */
export type Answer = { runId: string; body: ReadableStream<Uint8Array> };

/**
 * Answers that the server writes. They continue on the server when a page is closed, and stop when `signal` aborts, unless
 * its reason is a `detach` of assistant-ui: the page shows another thread.
 */
export type Answers = {
  start(question: Question, signal: AbortSignal): Promise<Answer>;
  /** Reads an answer from its beginning. Returns nothing if the server no longer has it. */
  resume(runId: string, signal: AbortSignal): Promise<Answer | undefined>;
};

export function createAnswers(options: Connection | { cloud: Cloud }): Answers {
  const send = createSend(options);
  const json = { "Content-Type": "application/json" };
  const events = { Accept: "text/event-stream" };
  const open = async (runId: string) => await send(`/v1/runs/${runId}/stream`, { headers: events });

  /** The chunks of an answer. `response` is the first connection. */
  async function* chunks(runId: string, response: Response, signal: AbortSignal): AsyncGenerator<string> {
    const retry = createRetryWait(signal);
    let known = 0;
    for (let current: Response | undefined = response; ; current = undefined) {
      try {
        current ??= await open(runId);
        let number = 0;
        for await (const chunk of eventData(current, signal)) {
          // Another connection begins again with the first chunk.
          if (++number <= known) continue;
          known = number;
          retry.reset();
          yield chunk;
          if (chunk === "[DONE]") return;
        }
      } catch (error) {
        if (isRefused(error)) throw error;
      }
      signal.throwIfAborted();
      await retry.wait();
    }
  }

  function answerOf(runId: string, response: Response, signal: AbortSignal): Answer {
    const stop = () => {
      if ((signal.reason as { detach?: boolean } | undefined)?.detach === true) return;
      // The person stopped the answer. A request that fails leaves it to end by itself.
      send(`/v1/runs/${runId}/stop`, { method: "POST", headers: json, keepalive: true }).catch(() => {});
    };
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    const source = chunks(runId, response, signal);
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await source.next();
        if (done !== true) return controller.enqueue(encoder.encode(`data: ${value}\n\n`));
        signal.removeEventListener("abort", stop);
        controller.close();
      },
      cancel: async () => void (await source.return(undefined)),
    });
    return { runId, body };
  }

  return {
    async start(question, signal) {
      const response = await send("/v1/runs/stream", {
        method: "POST",
        headers: { ...json, ...events },
        body: JSON.stringify({ ...question, resumable: true }),
      });
      return answerOf(response.headers.get("x-resumable-stream-id") ?? "", response, signal);
    },
    async resume(runId, signal) {
      const response = await open(runId).catch((error: unknown) => {
        if (isRefused(error)) return undefined;
        throw error;
      });
      return response && answerOf(runId, response, signal);
    },
  };
}

/** The answers that a tab is reading, by thread, over reloads of the page. */
export type PendingAnswers = {
  get(threadId: string): string | null;
  set(threadId: string, runId: string): void;
  clear(threadId: string): void;
};

export function createPendingAnswers(): PendingAnswers {
  const keyOf = (threadId: string) => `parlance:answer:${threadId}`;
  // Not in a server, and not where the browser blocks it.
  const storage = (): Storage | undefined => {
    try {
      return globalThis.sessionStorage;
    } catch {
      return undefined;
    }
  };
  return {
    get: (threadId) => storage()?.getItem(keyOf(threadId)) ?? null,
    set: (threadId, runId) => storage()?.setItem(keyOf(threadId), runId),
    clear: (threadId) => storage()?.removeItem(keyOf(threadId)),
  };
}
