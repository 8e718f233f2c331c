import type { AssistantParameters } from "#contract/endpoints/assistants.ts";
import type { ReasoningEffort } from "#contract/endpoints/models.ts";
import { StorageBusyError } from "#storage/lib/errors.ts";
import type { Clock } from "#server/lib/clock.ts";
import { isIdOf, ModelError, type Model, type ModelSettings } from "#server/models/model.ts";
import { findThreadRules } from "#server/threads/rule-rows.ts";
import { noAssistant } from "../model-rules.ts";
import type { RequestRecorder } from "../requests/recorder.ts";
import { readContext } from "./context-sources.ts";
import type { AskedRun, PreparedModel, PreparedRun, PrepareModules, RunFacts } from "./prepared-run.ts";
import { readTools } from "./tool-sources.ts";

/**
 * The one way to a model that answers: checks what the person may use here, limits the model to the operator's own network
 * where that is required, and collects what the sources add. Throws `assistant-not-allowed` and `model-not-allowed`.
 */
export async function prepareRun(asked: AskedRun, modules: PrepareModules): Promise<PreparedRun> {
  const { use, assistant, signal } = asked;
  const { db, clock, modelRules } = modules;
  const retried: RunFacts["retried"] = async (work) => await retryUntilAvailable(work, { clock, signal });
  const { threadId, workspaceId } = use;
  const thread = await retried(async () => await findThreadRules(db, threadId));
  const { model, access, mustBeLocal } = await retried(
    async () =>
      await modelRules.limit(asked.model, use, {
        assistant: assistant ?? noAssistant,
        isThreadLocalOnly: thread.isLocalOnly,
        hasBegun: asked.hasBegun,
      }),
  );
  // Nothing else depends on them.
  const facts = assistant && (await model.facts?.());
  const run: RunFacts = { ...asked, thread, retried };
  const { parameters } = assistant ?? noAssistant;
  const efforts = facts?.efforts ?? [];
  const settings = settingsOf(parameters, { effort: asked.effort, efforts });
  const sentSettings = asked.conversation.from === "client" ? asked.conversation.settings : undefined;
  return {
    ...(await readContext(run, modules)),
    ...(await readTools(run, modules, { access, facts, mustBeLocal })),
    model: recorded(model, asked.recorder),
    findFallback: async (error) => await findFallback(asked, error, modules),
    settings: { ...settings, ...sentSettings },
    providerOptions: parameters.provider_options,
    context: { workspaceId, threadId: threadId ?? "", timeZone: asked.timeZone },
    stepsMax: await modules.stepsMax(),
    managesModels: access.has("models.manage"),
  };
}

function recorded(model: Model, recorder: RequestRecorder): PreparedModel {
  return {
    info: model.info,
    ...(model.facts === undefined ? {} : { facts: model.facts }),
    stream: (request, signal, step) => model.stream(request, signal, recorder.observer(step)),
  } as PreparedModel;
}

/** `effort` is the reasoning effort that was chosen, `efforts` are those that the model supports. */
function settingsOf(
  parameters: AssistantParameters,
  { effort, efforts }: { effort: string | null; efforts: readonly ReasoningEffort[] },
): ModelSettings {
  const { temperature, top_p: topP, max_output_tokens: maxOutputTokens, seed, stop } = parameters;
  const reasoning = (effort as ReasoningEffort | null) ?? parameters.reasoning_effort;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(seed === undefined ? {} : { seed }),
    ...(stop === undefined ? {} : { stopSequences: stop }),
    ...(reasoning === undefined || !efforts.includes(reasoning) ? {} : { reasoning }),
  };
}

/**
 * The assistant's fallback model, if the person may use it and it may succeed: the provider failed, or the conversation is
 * too long for its model.
 */
async function findFallback(
  { use, model, assistant, hasFallback }: AskedRun,
  error: unknown,
  { models, modelRules }: PrepareModules,
): Promise<Model | undefined> {
  const id = hasFallback ? assistant?.parameters.fallback_model : undefined;
  if (id === undefined || !(error instanceof ModelError)) return undefined;
  const canRetry = error.code.startsWith("provider-") || error.code === "context-too-long";
  if (!canRetry || isIdOf(model, id)) return undefined;
  const fallback = await models.get(id).catch(() => undefined);
  return fallback !== undefined && (await modelRules.mayUse(fallback, use)) ? fallback : undefined;
}

const retryMs = 250;

/**
 * Repeats `work` while the database restarts or is locked, so that an answer in progress waits instead of failing.
 * Rejects with the signal's reason.
 */
export async function retryUntilAvailable<T>(
  work: () => Promise<T>,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StorageBusyError)) throw error;
      await clock.sleep(retryMs, signal);
    }
  }
}
