import { createRetryWait, createSend, isRefused, type Cloud, type Connection } from "./connection.ts";
import { openEvents, type EventStream } from "./server-sent-events.ts";

/** What `POST /v1/runs/stream` takes. */
export type Question = { thread_id: string; assistant_id: string; messages: unknown[] } & Record<
  string,
  unknown
>;

/** A UI message stream that continues over lost connections. */
export type Answer = { runId: string; body: ReadableStream<Uint8Array> };

/**
 * Answers that the server writes. They continue on the server when a page is closed, and stop when `signal` stops them: see
 * `isStopped`.
 */
export type Answers = {
  start(question: Question, signal: AbortSignal): Promise<Answer>;
  /** Reads an answer from its beginning. Returns nothing if the server no longer has it. */
  resume(runId: string, signal: AbortSignal): Promise<Answer | undefined>;
};

/** Whether a person stopped the answer. With a `detach` of assistant-ui the page only shows another thread. */
export function isStopped(signal: AbortSignal): boolean {
  return signal.aborted && (signal.reason as { detach?: boolean } | undefined)?.detach !== true;
}

/** `onStop` is called when a person stops an answer. */
export function createAnswers(
  options: Connection | { cloud: Cloud },
  onStop: (runId: string) => void,
): Answers {
  const send = createSend(options);
  const json = { "Content-Type": "application/json" };
  const events = { Accept: "text/event-stream" };
  const open = async (runId: string, signal: AbortSignal) =>
    await openEvents(send, `/v1/runs/${runId}/stream`, { headers: events, signal });

  /** The chunks of an answer. `first` is the first connection. */
  async function* chunks(runId: string, first: EventStream, signal: AbortSignal): AsyncGenerator<string> {
    const retry = createRetryWait(signal);
    let known = 0;
    for (let current: EventStream | undefined = first; ; current = undefined) {
      try {
        current ??= await open(runId, signal);
        let number = 0;
        for await (const chunk of current.data(signal)) {
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

  function answerOf(runId: string, stream: EventStream, signal: AbortSignal): Answer {
    const stop = () => {
      if (!isStopped(signal)) return;
      onStop(runId);
      // A request that fails leaves the answer to end by itself.
      send(`/v1/runs/${runId}/stop`, { method: "POST", headers: json, keepalive: true }).catch(() => {});
    };
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    const source = chunks(runId, stream, signal);
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
      // Without the signal: only an answer whose id is known can be stopped.
      const stream = await openEvents(send, "/v1/runs/stream", {
        method: "POST",
        headers: { ...json, ...events },
        body: JSON.stringify({ ...question, resumable: true }),
      });
      return answerOf(stream.response.headers.get("x-resumable-stream-id") ?? "", stream, signal);
    },
    async resume(runId, signal) {
      const stream = await open(runId, signal).catch((error: unknown) => {
        if (isRefused(error)) return undefined;
        throw error;
      });
      return stream && answerOf(runId, stream, signal);
    },
  };
}

/** The answers that a tab is reading, by thread, over reloads of the page. */
export type PendingAnswers = {
  get(threadId: string): string | null;
  set(threadId: string, runId: string): void;
  clear(threadId: string): void;
  /** Clears the answer in whatever thread it is. */
  forget(runId: string): void;
};

export function createPendingAnswers(): PendingAnswers {
  const prefix = "parlance:answer:";
  // Not in a server, and not where the browser blocks it.
  const storage = (): Storage | undefined => {
    try {
      return globalThis.sessionStorage;
    } catch {
      return undefined;
    }
  };
  return {
    get: (threadId) => storage()?.getItem(prefix + threadId) ?? null,
    set: (threadId, runId) => storage()?.setItem(prefix + threadId, runId),
    clear: (threadId) => storage()?.removeItem(prefix + threadId),
    forget(runId) {
      const stored = storage();
      for (const key of Object.keys(stored ?? {}))
        if (key.startsWith(prefix) && stored?.getItem(key) === runId) stored.removeItem(key);
    },
  };
}
