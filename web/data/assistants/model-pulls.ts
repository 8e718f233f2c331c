import { createParser } from "eventsource-parser";
import type { PullEvent } from "#contract/endpoints/providers.ts";
import { requestLineOf } from "#web/data/request-line.ts";
import { createdOnce } from "#web/lib/created-once.ts";
import { createStore, type Store } from "#web/lib/store.ts";
import { attempt, pageFetch, withRenewal, type Fetch } from "../call.ts";
import { CallError, networkError } from "../call-error.ts";
import { failureOf, failureOfCode, type Failure } from "../failure.ts";
import { readBaseUrl } from "../session/base-url.ts";
import type { Credentials } from "../session/credentials.ts";
import type { BrowserSession } from "../session/session-state.ts";

/** The download of a model to an Ollama server. */
export type ModelPull = {
  providerId: string;
  model: string;
  /** The stage as Ollama names it. */
  status: string;
  completedBytes: number;
  /** 0 while the size is unknown. */
  totalBytes: number;
  failure?: Failure;
};

/** The downloads that this tab has started. They continue while other screens are open, and stop with the tab. */
export type ModelPulls = {
  all: Store<readonly ModelPull[]>;
  /** Starts a download, or retries a failed one. Calls `onEnd` when the model is downloaded. Never throws. */
  start(providerId: string, model: string, onEnd: () => void): Promise<void>;
  /** Stops the download, or forgets one that has failed. */
  cancel(pull: ModelPull): void;
};

/** The downloads of this tab. */
export const modelPullsOf = createdOnce(({ credentials }: BrowserSession) =>
  createModelPulls({ baseUrl: readBaseUrl(), fetch: pageFetch, credentials }),
);

function createModelPulls(options: { baseUrl: string; fetch: Fetch; credentials: Credentials }): ModelPulls {
  const all = createStore<readonly ModelPull[]>([]);
  const controllers = new Map<string, AbortController>();
  const keyOf = ({ providerId, model }: Pick<ModelPull, "providerId" | "model">) => `${providerId} ${model}`;
  const without = (key: string) => all.get().filter((pull) => keyOf(pull) !== key);
  const change = (key: string, next: Partial<ModelPull>) =>
    all.set(all.get().map((pull) => (keyOf(pull) === key ? { ...pull, ...next } : pull)));

  return {
    all,
    async start(providerId, model, onEnd) {
      const key = keyOf({ providerId, model });
      if (controllers.has(key)) return;
      const controller = new AbortController();
      controllers.set(key, controller);
      all.set([...without(key), { providerId, model, status: "", completedBytes: 0, totalBytes: 0 }]);
      try {
        for await (const event of pull(options, { providerId, model }, controller.signal)) {
          if (event.type === "pull-progress")
            change(key, {
              status: event.status,
              completedBytes: event.completed,
              totalBytes: event.total,
            });
          else if (event.type === "pull-failed") change(key, { failure: failureOfCode(event.code) });
          else {
            all.set(without(key));
            onEnd();
          }
        }
      } catch (error) {
        if (!controller.signal.aborted) change(key, { failure: failureOf(error) });
      } finally {
        if (controllers.get(key) === controller) controllers.delete(key);
      }
    },
    cancel(pull) {
      const key = keyOf(pull);
      controllers.get(key)?.abort();
      controllers.delete(key);
      all.set(without(key));
    },
  };
}

/** The events of a download to its end. Throws `CallError`, or the signal's reason. */
async function* pull(
  { baseUrl, fetch, credentials }: Parameters<typeof createModelPulls>[0],
  { providerId, model }: Pick<ModelPull, "providerId" | "model">,
  signal: AbortSignal,
): AsyncGenerator<PullEvent> {
  const { method, path } = requestLineOf("providers.pull");
  const url = baseUrl + path.replace("{provider_id}", encodeURIComponent(providerId));
  const init = { method, signal, body: JSON.stringify({ model }) };
  const response = await withRenewal(
    credentials,
    async (headers) =>
      await attempt({ baseUrl, fetch }, url, init, { ...headers, "Content-Type": "application/json" }),
  );
  if (response instanceof CallError) throw response;
  let arrived: PullEvent[] = [];
  const parser = createParser({ onEvent: ({ data }) => arrived.push(JSON.parse(data) as PullEvent) });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value = "" } = await reader.read().catch((error: unknown) => {
      throw signal.aborted ? error : networkError(error);
    });
    if (done) throw networkError(undefined);
    arrived = [];
    parser.feed(value);
    yield* arrived;
    if (arrived.some(({ type }) => type !== "pull-progress")) return;
  }
}
