import { parseJson } from "#contract/json.ts";
import type { Clock } from "#server/lib/clock.ts";
import { ModelError } from "../../model.ts";
import { readFailure, toModelError } from "../requests/failure.ts";
import { readBoundedText } from "./bounded-body.ts";
import { parseModelList, type ListedModel } from "./parse-model-list.ts";

export type ModelListOptions = {
  request: { url: string; headers: Record<string, string> };
  /** Converts the response to the form of OpenAI's list. */
  toOpenAiList?: ((response: unknown) => unknown) | undefined;
  /** Removed from the text of errors. */
  apiKey?: string | undefined;
  /** How long the request may take. After that the last known list is used. */
  timeoutMs: number;
  /** How long a list is fresh. */
  freshMs: number;
  /** How long to wait after a failure before the next request. */
  retryMs: number;
  fetch: typeof fetch;
  clock: Clock;
  onFailure(error: ModelError): void;
};

export type LoadedList = { models: ListedModel[]; failure: ModelError | undefined };

/** A cache of a server's list of models. */
export function createModelList(options: ModelListOptions) {
  const closing = new AbortController();
  let models: ListedModel[] = [];
  let failure: ModelError | undefined;
  let freshUntilMs = -Infinity;
  let refreshing: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    try {
      models = await requestModels(options, closing.signal);
      failure = undefined;
      freshUntilMs = options.clock.now() + options.freshMs;
    } catch (error) {
      failure = error instanceof ModelError ? error : toModelError(readFailure(error), false, options.apiKey);
      freshUntilMs = options.clock.now() + options.retryMs;
      if (!closing.signal.aborted) options.onFailure(failure);
    }
  }

  return {
    /** A model in the last known list; sends no request. */
    find: (id: string): ListedModel | undefined => models.find((model) => model.id === id),
    /**
     * The models, fresh or as last known. `failure` is why the last request failed. With "allow-stale" a stale list is
     * returned at once, if there is one, and refreshed in the background.
     */
    async load(staleness?: "allow-stale"): Promise<LoadedList> {
      if (options.clock.now() >= freshUntilMs) {
        // Concurrent callers share one request.
        refreshing ??= refresh().finally(() => (refreshing = undefined));
        if (staleness === undefined || models.length === 0) await refreshing;
      }
      return { models, failure };
    },
    /** The list has changed, so the next `load` requests it. */
    forget(): void {
      freshUntilMs = -Infinity;
    },
    close: (): void => closing.abort(),
  };
}

/** Requests a server's list of models. Throws `ModelError`, or the client's error if the server cannot be reached. */
export async function requestModels(
  options: Pick<ModelListOptions, "request" | "toOpenAiList" | "apiKey" | "fetch" | "timeoutMs">,
  closing: AbortSignal,
): Promise<ListedModel[]> {
  closing.throwIfAborted();
  const response = await options.fetch(options.request.url, {
    // The key must not reach another host.
    redirect: "manual",
    signal: AbortSignal.any([closing, AbortSignal.timeout(options.timeoutMs)]),
    headers: { accept: "application/json", ...options.request.headers },
  });
  const responseBody = await readBoundedText(response);
  const { status } = response;
  if ((status >= 300 && status < 400) || status === 404 || status === 405) throw notAnApi(`status ${status}`);
  if (!response.ok)
    throw toModelError(readFailure({ statusCode: status, responseBody }), false, options.apiKey);
  const list = parseJson(responseBody);
  if (list === undefined) throw notAnApi("the list of models is not JSON");
  return parseModelList(options.toOpenAiList?.(list) ?? list);
}

function notAnApi(why: string): ModelError {
  return new ModelError("provider-not-a-model", { cause: new Error(`${why}: check the base URL`) });
}
