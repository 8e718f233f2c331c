import type { RunEvent } from "#contract/run-events.ts";
import { isIdOf, ModelError, type Model } from "#server/models/model.ts";
import type { Models } from "#server/models/models.ts";
import type { AnswerInput, AnswerOptions } from "./answer-state.ts";
import { streamAnswer, type AnswerEnd } from "./answer.ts";

/**
 * Streams the answer of the input's model or, if that fails before its first token, of the assistant's fallback model.
 * The input for that one is what `prepareFallback` returns. `mayUse` says whether the person may use it.
 */
export async function* streamWithFallback(
  input: AnswerInput,
  options: AnswerOptions,
  {
    runId,
    models,
    mayUse,
    prepareFallback,
  }: {
    runId: string;
    models: Models;
    mayUse: (fallback: Model) => Promise<boolean>;
    prepareFallback: (fallback: Model) => Promise<AnswerInput>;
  },
): AsyncGenerator<RunEvent, AnswerEnd> {
  const events = streamAnswer(input, options);
  let hasOutput = false;
  try {
    for (;;) {
      const { done, value } = await events.next();
      if (done === true) return value;
      hasOutput ||= value.type.endsWith("-delta") || value.type === "tool-call-start";
      yield value;
    }
  } catch (error) {
    const isFinal = hasOutput || options.signal.aborted;
    const fallback = isFinal ? undefined : await findFallback(models, input, error);
    if (fallback === undefined || !(await mayUse(fallback))) throw error;
    const facts = { runId, model: input.model.info.id, fallback: fallback.info.id };
    options.logger.warn(
      { ...facts, err: (error as ModelError).cause },
      "a model failed, so the fallback model answers",
    );
    return yield* streamAnswer(await prepareFallback(fallback), options);
  } finally {
    // Does nothing if the answer has ended.
    await events.return({ finishReason: "other" });
  }
}

/**
 * The fallback model, if another one may succeed: the provider failed, or the conversation is too long for its model.
 */
export async function findFallback(
  models: Pick<Models, "get">,
  { model, fallbackModel }: Pick<AnswerInput, "model" | "fallbackModel">,
  error: unknown,
): Promise<Model | undefined> {
  if (fallbackModel === undefined || !(error instanceof ModelError)) return undefined;
  const canRetry = error.code.startsWith("provider-") || error.code === "context-too-long";
  if (!canRetry || isIdOf(model, fallbackModel)) return undefined;
  return await models.get(fallbackModel).catch(() => undefined);
}
