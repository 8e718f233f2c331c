import { AsyncLocalStorage } from "node:async_hooks";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { ProviderKindId } from "#contract/provider-kinds.ts";
import { systemClock, type Clock } from "#server/lib/clock.ts";
import { isLocalHost } from "#server/fetch/hosts.ts";
import {
  FilesRefusedError,
  ModelError,
  type FilesRefusal,
  type Model,
  type ModelEvent,
  type ModelFacts,
  type ModelName,
  type ModelRequest,
} from "../../model.ts";
import type { RequestObserver } from "../../request-observer.ts";
import type { LocalOnly } from "../../local-only.ts";
import { canPrefill } from "./prefill.ts";
import { createExtras, type Extras } from "./extras.ts";
import { asModelError, readFailure, toModelError, type Failure } from "./failure.ts";
import { filesOf, findFilesRefusal, type RequestFiles } from "./refusals/file-refusals.ts";
import { listItems } from "./list-items.ts";
import { toPrompt, toToolChoice, toTools } from "./prompt.ts";
import { dataSource } from "./provider-data.ts";
import { readAnswer, type Answer } from "./read-answer.ts";
import { areDataRefused, createRefusals } from "./refusals/refusals.ts";
import { createRequestReport, type RequestReport } from "./request-report.ts";
import type { ProviderConnection, ProviderApi } from "./provider-api.ts";
import type { ChatModel, ChatMessage, ChatPrompt } from "./sdk.ts";
import { createTransport, type Transport } from "./transport.ts";
import { createWatchdog, type ProviderTimeouts, type Watchdog } from "./watchdog.ts";

export type SdkModelOptions = {
  kind: ProviderKindId;
  api: ProviderApi;
  connection: ProviderConnection;
  info: ModelName;
  /** The provider's id for the model. */
  modelId: string;
  facts?: () => Promise<ModelFacts>;
  /** Like `facts`, but first loads the provider's list if it was never loaded. */
  listedFacts?: () => Promise<ModelFacts>;
  /** Whether the server passes requests on to another host, as Ollama does with its cloud models. */
  isRelayed?: () => Promise<boolean>;
  /** Whether all requests must stay in the operator's own network now. */
  localOnly?: LocalOnly | undefined;
  /** Called before `stream` throws `FilesRefusedError`. */
  onFilesRefused?: (refusal: FilesRefusal) => void;
  onFilesAccepted?: (files: RequestFiles) => void;
  clock?: Clock;
  /** Test overrides. */
  timeouts?: Partial<ProviderTimeouts> | undefined;
};

/** A request is retried once, unless the provider asks for a longer wait: a person waits for the first word. */
const retryWaitMaxMs = 5_000;
/** The wait if the provider does not ask for one. */
const retryWaitMs = 500;

/** A model that is called through an SDK, with this server's own HTTP, timeouts, limits and retries. */
export function createSdkModel(options: SdkModelOptions): Model {
  const { api, connection } = options;
  const source = dataSource(connection, options.modelId);
  const refusals = createRefusals({ baseUrl: connection.baseUrl, modelId: options.modelId });

  // Creating the SDK's model takes as long as the rest of a request, so requests share it. Its fetch function and its
  // extractor find the data of their request in the asynchronous context.
  const currentRequest = new AsyncLocalStorage<RequestContext>();
  const chatModels = new Map<string, ChatModel>();

  function getContext(): RequestContext {
    const context = currentRequest.getStore();
    if (context === undefined) throw new Error("the SDK was called outside of a request");
    return context;
  }

  async function getChatModel(): Promise<ChatModel> {
    const includeUsage = !refusals.usage;
    const { useNewLengthName } = refusals.settings;
    const key = `${includeUsage} ${useNewLengthName}`;
    let model = chatModels.get(key);
    if (model === undefined) {
      model = await api.createModel(connection, options.modelId, {
        fetch: (input, init) => getContext().transport.fetch(input, init),
        currentExtras: () => getContext().extras,
        includeUsage,
        useNewLengthName,
      });
      chatModels.set(key, model);
    }
    return model;
  }

  async function* stream(
    request: ModelRequest,
    signal: AbortSignal,
    observer?: RequestObserver,
  ): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    const isRelayed = (await options.isRelayed?.()) ?? false;
    if (isRelayed && (await isLocalOnly(request))) throw new ModelError("model-not-local");
    const report = createRequestReport({ ...options, isRelayed }, observer);
    const timeouts = {
      silenceMs: limits.modelSilenceMs,
      noOutputMs: limits.modelNoOutputMs,
      stepMs: limits.modelStepMs,
      ...options.timeouts,
    };
    const watchdog = createWatchdog(signal, timeouts, report.onFirstToken);
    let accepted = false;
    try {
      const answer = await sendWithRetry(request, watchdog, report);
      accepted = true;
      await report.loadPrices();
      if (answer.isPrefilled) yield { type: "prefilled" };
      for (const setting of refusals.settings.refused(request.settings)) yield { type: "left-out", setting };
      for await (const event of readAnswer(answer, api, watchdog)) {
        report.onOutput(event);
        yield event;
      }
    } catch (error) {
      signal.throwIfAborted();
      const failure = toThrown(error, watchdog, accepted);
      report.onFailure(failure.code);
      throw failure;
    } finally {
      // Does nothing if the request ended another way.
      report.onCancel();
      watchdog.close();
    }
  }

  async function isLocalOnly(request: ModelRequest): Promise<boolean> {
    return request.localOnly === true || (await options.localOnly?.()) === true;
  }

  function toThrown(error: unknown, watchdog: Watchdog, accepted: boolean): ModelError {
    if (watchdog.signal.aborted && watchdog.signal.reason instanceof ModelError)
      return watchdog.signal.reason;
    return asModelError(error, accepted, connection.apiKey);
  }

  /** Sends the request until the provider accepts it, without what the model refuses. */
  async function sendWithRetry(
    request: ModelRequest,
    watchdog: Watchdog,
    report: RequestReport,
  ): Promise<Answer> {
    const extras = createExtras();
    let withData = request.messages.some(
      (message) => message.role === "assistant" && message.parts.some(({ providerData }) => providerData),
    );
    for (let attempt = 1; ;) {
      try {
        const answer = await send(request, { watchdog, extras, withData, report });
        options.onFilesAccepted?.(filesOf(request));
        return answer;
      } catch (error) {
        if (watchdog.signal.aborted || error instanceof ModelError) throw error;
        const failure = readFailure(error);
        report.onFailure(toModelError(failure, false, connection.apiKey).code);
        if (refusals.learn(failure, request)) continue;
        if (withData && areDataRefused(failure)) {
          withData = false;
          continue;
        }
        throwIfFilesRefused(failure, request);
        const waitMs = attempt < 2 ? waitBeforeRetry(failure) : undefined;
        if (waitMs === undefined) throw error;
        attempt++;
        watchdog.stopWaiting();
        await (options.clock ?? systemClock).sleep(waitMs, watchdog.signal);
      }
    }
  }

  /** The options for a model that continues the start of its answer; `undefined` if a message must ask for that. */
  async function prefillOptions(request: ModelRequest): Promise<JsonObject | undefined> {
    if (api.prefillOptions === undefined || refusals.prefill || !canPrefill(request)) return undefined;
    return api.prefillOptions(options.modelId, (await options.listedFacts?.()) ?? { reads: [] });
  }

  async function send(
    request: ModelRequest,
    {
      watchdog,
      extras,
      withData,
      report,
    }: { watchdog: Watchdog; extras: Extras; withData: boolean; report: RequestReport },
  ): Promise<Answer> {
    const model = await getChatModel();
    const prefill = await prefillOptions(request);
    const { prompt, messages } = toPrompt(request, {
      reasoning: api.isLenient === true ? refusals.reasoning.of : "none",
      isLenient: api.isLenient === true,
      source: withData ? source : undefined,
      callIds: refusals.callIds ?? api.callIds,
      isAskedToContinue: request.continuesAnswer === true && prefill === undefined,
    });
    const areToolsSent = !refusals.tools;
    const settings = refusals.settings.accepted(request.settings);
    const call = {
      prompt: withCacheMarks(prompt, api.cacheMark && { [api.options.name]: api.cacheMark }),
      abortSignal: watchdog.signal,
      ...settings,
      ...(request.tools.length === 0 || !areToolsSent
        ? {}
        : { tools: toTools(request), ...toToolChoice(request) }),
      ...(request.json === undefined ? {} : { responseFormat: { type: "json" as const, ...request.json } }),
      providerOptions: {
        [api.options.name]: { ...api.options.always, ...request.providerOptions?.[options.kind], ...prefill },
      },
    };
    const transport = createTransport(watchdog, {
      areEventsRead: api.readText !== undefined,
      isLastEvent: api.isLastEvent,
      filterEvent: api.createEventFilter?.(),
      localOnly: await isLocalOnly(request),
      publicOnly: connection.isPublicOnly === true,
      proxy: connection.proxy,
      onSent: (sent) => report.onSent(sent, () => listItems(request, messages, { areToolsSent })),
    });
    watchdog.startWaiting();
    const { stream } = await currentRequest.run(
      { transport, extras },
      async () => await model.doStream(call),
    );
    const isPrefilled = prefill !== undefined;
    return { stream, transport, extras, source, settings, isPrefilled, onFinish: report.onFinish };
  }

  function throwIfFilesRefused(failure: Failure, request: ModelRequest): void {
    const refusal = findFilesRefusal(failure, request);
    if (refusal === undefined) return;
    options.onFilesRefused?.(refusal);
    throw new FilesRefusedError(refusal, { cause: toModelError(failure, false, connection.apiKey).cause });
  }

  const { info, facts } = options;
  const isLocal = async () =>
    !((await options.isRelayed?.()) ?? false) && (await isLocalHost(connection.baseUrl));
  return { info, stream, isLocal, ...(facts === undefined ? {} : { facts }) };
}

/** What the SDK's hooks need of the request that they are called for. */
type RequestContext = { transport: Transport; extras: Extras };

/** How long to wait before a retry; `undefined` if a retry would not help. */
function waitBeforeRetry({ status, code, message, retryAfterMs }: Failure): number | undefined {
  if (status === undefined) {
    // The provider closed a keep-alive connection before it read the request.
    return /ECONNRESET|UND_ERR_SOCKET|EPIPE/.test(code) ? 0 : undefined;
  }
  if (status !== 429 && status < 500) return undefined;
  if (/insufficient_quota/i.test(`${code} ${message}`)) return undefined;
  const waitMs = retryAfterMs ?? retryWaitMs;
  return waitMs <= retryWaitMaxMs ? waitMs : undefined;
}

type Mark = NonNullable<ChatMessage["providerOptions"]>;

/**
 * Marks where the provider caches the prompt: after the system message, after the person's last message, and at the end,
 * where the next request goes on. Requests of one conversation begin with the same messages, so that they read the cache.
 */
function withCacheMarks(prompt: ChatPrompt, mark: Mark | undefined): ChatPrompt {
  if (mark === undefined) return prompt;
  const marked = [
    prompt.findLastIndex(({ role }) => role === "system"),
    prompt.findLastIndex(({ role }) => role === "user"),
    prompt.length - 1,
  ];
  return prompt.map((message, at) =>
    marked.includes(at) ? { ...message, providerOptions: { ...message.providerOptions, ...mark } } : message,
  );
}
