import type { ChatBody } from "#contract/endpoints/openai.ts";
import { randomCharacters } from "#contract/ids.ts";
import type { FinishReason, Usage } from "#contract/run-events.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import type { TextStream, Visitor } from "../lib/route.ts";
import { timeZoneOf } from "../lib/time-zone.ts";
import { describeFailure, type ModelEvent, type ModelRequest } from "../models/model.ts";
import { modelSettingsOf } from "../runs/loop/assistant-options.ts";
import { instructions } from "../runs/loop/instructions.ts";
import { tokensOfJson } from "../runs/requests/estimate-usage.ts";
import type { ReserveRequest } from "../runs/requests/reserve-request.ts";
import {
  chunkOf,
  completionOf,
  createDeltaReader,
  usageChunkOf,
  type CompletionFacts,
  type Delta,
} from "./completion.ts";
import { openAiErrorBody } from "./error-body.ts";
import type { AskedModel, FindModel, FoundModel } from "./find-model.ts";
import { toModelRequest } from "./model-request.ts";
import { createApiClientRecorder, toAppError } from "./api-client-request.ts";

export type Chat = ReturnType<typeof createChat>;

/** Chats of API clients in OpenAI's format. Stores only the usage of the requests to models. */
export function createChat(options: {
  db: Database;
  clock: Clock;
  logger: Logger;
  models: FindModel;
  reserve: ReserveRequest;
}) {
  const { clock, logger, models, reserve } = options;

  /** Reserves of the person's budgets until the last request has ended. */
  async function* reservedEventsOf(
    visitor: Visitor,
    found: AskedModel,
    requestFor: (found: FoundModel) => Promise<ModelRequest>,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    const end = await reserve(visitor, found.estimate);
    try {
      yield* eventsOf(visitor, found, requestFor, signal);
    } finally {
      await end();
    }
  }

  /** The model's events. Throws `AppError` when the model fails. */
  async function* eventsOf(
    visitor: Visitor,
    found: FoundModel,
    requestFor: (found: FoundModel) => Promise<ModelRequest>,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    const assistantId = found.assistant?.id ?? null;
    const recorder = createApiClientRecorder(options, visitor, { purpose: "answer", assistantId });
    let hasOutput = false;
    try {
      for await (const event of found.model.stream(await requestFor(found), signal, recorder.observer())) {
        hasOutput ||= event.type !== "left-out";
        yield event;
      }
    } catch (error) {
      const fallback =
        hasOutput || signal.aborted ? undefined : await models.findFallback(visitor, found, error);
      if (fallback === undefined) throw toAppError(error, logger);
      logger.warn(
        { model: found.model.info.id, fallback: fallback.model.info.id, err: describeFailure(error).err },
        "a model failed, so the fallback model answers an API client",
      );
      yield* eventsOf(visitor, fallback, requestFor, signal);
    } finally {
      await recorder.save();
    }
  }

  return {
    /**
     * Answers with one completion, or with a stream of chunks if `body.stream`. Throws `model-not-found`,
     * `assistant-not-found`, `model-not-local`, `budget-used`, `budget-wait`, and the errors of models before the first chunk.
     */
    async answer(visitor: Visitor, body: ChatBody, signal: AbortSignal) {
      const inputTokens = () => tokensOfJson([body.messages, body.tools]);
      const found = await models.find(visitor, body.model, inputTokens);
      const nowMs = clock.now();
      const plain = toModelRequest(body);
      const facts: CompletionFacts = {
        id: `chatcmpl-${randomCharacters(24)}`,
        created: Math.floor(nowMs / 1_000),
        model: body.model,
      };
      const requestFor = async (asked: FoundModel) => await withAssistant(plain, asked, nowMs);
      const events = reservedEventsOf(visitor, found, requestFor, signal);
      if (body.stream !== true) return await completion(facts, events);
      return await stream(facts, events, body.stream_options?.include_usage === true);
    },
  };
}

async function completion(facts: CompletionFacts, events: AsyncIterable<ModelEvent>) {
  const deltas: Delta[] = [];
  const read = createDeltaReader();
  let end: { reason: FinishReason; usage: Usage } = { reason: "other", usage: {} };
  for await (const event of events) {
    const delta = read(event);
    if (delta !== undefined) deltas.push(delta);
    if (event.type === "finish") end = event;
  }
  return completionOf(facts, deltas, end);
}

/** Waits for the model's first event, so that an early failure is an ordinary error response. */
async function stream(
  facts: CompletionFacts,
  events: AsyncGenerator<ModelEvent>,
  includesUsage: boolean,
): Promise<TextStream> {
  const first = await events.next();
  return {
    contentType: "text/event-stream; charset=utf-8",
    heartbeat: ":\n\n",
    chunks: chunks(facts, first, events, includesUsage),
  };
}

async function* chunks(
  facts: CompletionFacts,
  first: IteratorResult<ModelEvent>,
  rest: AsyncGenerator<ModelEvent>,
  includesUsage: boolean,
): AsyncGenerator<string> {
  const read = createDeltaReader();
  async function* all(): AsyncGenerator<ModelEvent> {
    if (first.done !== true) yield first.value;
    yield* rest;
  }
  try {
    yield frame(chunkOf(facts, { role: "assistant", content: "" }, null));
    for await (const event of all()) {
      const delta = read(event);
      if (delta !== undefined) yield frame(chunkOf(facts, delta, null));
      if (event.type !== "finish") continue;
      yield frame(chunkOf(facts, {}, event.reason));
      if (includesUsage) yield frame(usageChunkOf(facts, event.usage));
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // Without `[DONE]`, readers know that the answer is incomplete.
    yield frame(openAiErrorBody(error));
    return;
  } finally {
    // A client that is gone before its second chunk also ends the request to the model, and what it reserves.
    await rest.return(undefined);
  }
  yield "data: [DONE]\n\n";
}

function frame(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** The request with the assistant's instructions first, and its parameters where the client sets none. */
async function withAssistant(
  request: ModelRequest,
  { model, assistant }: FoundModel,
  nowMs: number,
): Promise<ModelRequest> {
  if (assistant === undefined) return request;
  const efforts = (await model.facts?.())?.efforts ?? [];
  return {
    ...request,
    system: instructions(nowMs, timeZoneOf(undefined), assistant.instructions),
    settings: { ...modelSettingsOf(assistant.parameters, { effort: null, efforts }), ...request.settings },
    ...(assistant.parameters.provider_options === undefined
      ? {}
      : { providerOptions: assistant.parameters.provider_options }),
  };
}
