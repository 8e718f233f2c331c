import type { ErrorCode } from "#contract/errors.ts";
import type { ProviderTestResult } from "#contract/endpoints/providers.ts";
import type { ProviderKindId } from "#contract/provider-kinds.ts";
import { cutText } from "#contract/text.ts";
import type { SteadyClock } from "#server/lib/clock.ts";
import { kinds } from "../provider-kinds/kinds.ts";
import type { LocalOnly } from "../local-only.ts";
import { ModelError } from "../model.ts";
import { requestModels } from "../providers/lists/model-list.ts";
import type { ListedModel } from "../providers/lists/parse-model-list.ts";
import { asModelError } from "../providers/requests/failure.ts";
import { fetchFor } from "../providers/fetch-for.ts";
import { createSdkModel } from "../providers/requests/sdk-model.ts";
import type { ProviderConnection } from "../providers/requests/provider-api.ts";
import type { ProviderTimeouts } from "../providers/requests/watchdog.ts";

/** A person waits for the result, and a slow local model may have to be loaded first. */
const listTimeoutMs = 10_000;
const timeouts: ProviderTimeouts = { silenceMs: 30_000, noOutputMs: 30_000, stepMs: 45_000 };
const detailCharactersMax = 300;

/** Some servers have no list of models. All other failures of the list are failures of the test. */
const listMayFail: ReadonlySet<ErrorCode> = new Set(["provider-model-unknown", "provider-refused"]);

/** Small models answer fast and cost little. */
const smallNames = /(?:^|[-_/.:\s])(?:nano|mini|flash|haiku|small|lite|instant|[1-9]b)(?:$|[-_/.:\s])/i;

/**
 * Requests the list of models and the beginning of a short answer. `model` is the one to ask; by default a small one from
 * the list. Throws the signal's reason.
 */
export async function testConnection(
  {
    kind: kindId,
    model,
    ...entered
  }: { kind: ProviderKindId; model: string | undefined } & ProviderConnection,
  { clock, fetch, localOnly }: { clock: SteadyClock; fetch: typeof globalThis.fetch; localOnly?: LocalOnly },
  signal: AbortSignal,
): Promise<ProviderTestResult> {
  const kind = kinds[kindId];
  const connection: ProviderConnection = {
    ...entered,
    baseUrl: kind.apiUrl?.(entered.baseUrl) ?? entered.baseUrl,
  };
  const result: ProviderTestResult = {
    problem: null,
    detail: null,
    model: null,
    latency_ms: null,
    models: [],
  };
  let listed: ListedModel[] = [];
  try {
    const { apiKey } = connection;
    const { toOpenAiList } = kind;
    const options = {
      request: kind.listRequest(connection),
      toOpenAiList,
      apiKey,
      fetch: fetchFor(connection, fetch),
      timeoutMs: listTimeoutMs,
    };
    listed = await requestModels(options, signal);
  } catch (error) {
    signal.throwIfAborted();
    const failure = asModelError(error, false, connection.apiKey);
    if (!listMayFail.has(failure.code) || model === undefined) return { ...result, ...problemOf(failure) };
  }
  result.models = listed.map(({ id, name }) => ({ id, name }));
  const asked = model ?? (listed.find(({ id }) => smallNames.test(id)) ?? listed[0])?.id;
  if (asked === undefined) return { ...result, problem: "provider-no-models" };
  result.model = asked;
  const startMs = clock.elapsedMs();
  try {
    await requestFirstWord({ kind: kindId, connection, modelId: asked, localOnly }, signal);
    return { ...result, latency_ms: Math.round(clock.elapsedMs() - startMs) };
  } catch (error) {
    signal.throwIfAborted();
    return { ...result, ...problemOf(error) };
  }
}

/** Waits for the first part of an answer, and closes the connection. */
async function requestFirstWord(
  {
    kind,
    connection,
    modelId,
    localOnly,
  }: {
    kind: ProviderKindId;
    connection: ProviderConnection;
    modelId: string;
    localOnly: LocalOnly | undefined;
  },
  signal: AbortSignal,
): Promise<void> {
  const info = { id: modelId, name: modelId, provider: "test", provider_name: "" };
  const model = createSdkModel({
    kind,
    api: kinds[kind].api,
    connection,
    info,
    modelId,
    isRelayed: async () => kinds[kind].isRelayed?.(modelId) === true,
    localOnly,
    timeouts,
  });
  const request = {
    messages: [
      { role: "user" as const, parts: [{ type: "text" as const, text: "Reply with the word OK." }] },
    ],
    tools: [],
    purpose: "answer" as const,
  };
  for await (const { type } of model.stream(request, signal)) if (type !== "left-out") return;
}

function problemOf(error: unknown): Pick<ProviderTestResult, "problem" | "detail"> {
  const { code, cause } = error instanceof ModelError ? error : new ModelError("internal");
  // The rest is the response body.
  const [message = ""] = cause instanceof Error ? cause.message.split(" | ") : [];
  const detail = cutText(message, detailCharactersMax);
  return { problem: code, detail: detail === "" ? null : detail };
}
