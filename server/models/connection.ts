import type { Clock } from "#server/lib/clock.ts";
import { chatModels, type ChatModel } from "./chat-models.ts";
import { ModelError } from "./model.ts";
import { readFailure, toModelError } from "./providers/openai-compatible/failure.ts";

export type ConnectionOptions = {
  baseUrl: string;
  apiKey?: string | undefined;
  /** How long the list may take, in milliseconds; after it the last one known serves. */
  timeoutMs: number;
  /** How long a list is fresh, and how long a failure is believed, in milliseconds. */
  freshMs: number;
  retryMs: number;
  fetch: typeof fetch;
  clock: Clock;
  onFailure(error: ModelError): void;
};

export type Listed = { models: ChatModel[]; failure: ModelError | undefined };

/** A server that lists its models, and what it last listed. */
export type Connection = {
  /**
   * The models, fresh or as last known; `failure` is why they could not be read just now. With `hurried`, a stale list is
   * given at once, where there is one, and read anew for the next who asks.
   */
  list(hurried?: "hurried"): Promise<Listed>;
  /** What was last listed of this model; nothing is asked. */
  known(id: string): ChatModel | undefined;
  close(): void;
};

export function createConnection(options: ConnectionOptions): Connection {
  const closing = new AbortController();
  let known: ChatModel[] = [];
  let failure: ModelError | undefined;
  let freshUntilMs = -Infinity;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    try {
      known = await readModels(options, closing.signal);
      failure = undefined;
      freshUntilMs = options.clock.now() + options.freshMs;
    } catch (error) {
      failure = error instanceof ModelError ? error : toModelError(readFailure(error), false, options.apiKey);
      freshUntilMs = options.clock.now() + options.retryMs;
      if (!closing.signal.aborted) options.onFailure(failure);
    }
  }

  return {
    known: (id) => known.find((model) => model.id === id),
    async list(hurried) {
      if (options.clock.now() >= freshUntilMs) {
        // All who ask meanwhile wait for the one request.
        reading ??= read().finally(() => (reading = undefined));
        if (hurried === undefined || known.length === 0) await reading;
      }
      return { models: known, failure };
    },
    close: () => closing.abort(),
  };
}

async function readModels(options: ConnectionOptions, closing: AbortSignal): Promise<ChatModel[]> {
  const response = await options.fetch(`${options.baseUrl}/models`, {
    // The key goes to the configured host and to no other.
    redirect: "manual",
    signal: AbortSignal.any([closing, AbortSignal.timeout(options.timeoutMs)]),
    headers: {
      accept: "application/json",
      ...(options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` }),
    },
  });
  const responseBody = await response.text();
  if (!response.ok)
    throw toModelError(readFailure({ statusCode: response.status, responseBody }), false, options.apiKey);
  if (/^\s*<(?:!doctype|html)/i.test(responseBody))
    throw toModelError(readFailure({ statusCode: 404, responseBody }), false, options.apiKey);
  return chatModels(JSON.parse(responseBody));
}
