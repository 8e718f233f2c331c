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
import type { Assistants } from "../assistants/assistants.ts";
import type { Estimate } from "../people/budgets/budgets.ts";
import { prepareRun } from "../runs/prepare/prepare-run.ts";
import type { PreparedRun, PrepareModules } from "../runs/prepare/prepared-run.ts";
import type { RequestRecorder } from "../runs/requests/recorder.ts";
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
import type { FindModel, FoundModel } from "./find-model.ts";
import { toModelRequest } from "./model-request.ts";
import { createApiClientRecorder, toAppError } from "./api-client-request.ts";

export type Chat = ReturnType<typeof createChat>;

/** Chats of API clients in OpenAI's format. Stores only the usage of the requests to models. */
export function createChat(options: {
  db: Database;
  clock: Clock;
  logger: Logger;
  models: FindModel;
  prepare: PrepareModules;
  assistants: Pick<Assistants, "resolve">;
  reserve: ReserveRequest;
}) {
  const { clock, logger, models, assistants, reserve } = options;

  /** Reserves of the person's budgets until the last request has ended. */
  async function* reservedEventsOf(
    asked: AskedChat,
    estimate: Estimate | undefined,
  ): AsyncGenerator<ModelEvent> {
    const end = await reserve(asked.visitor, estimate);
    try {
      yield* eventsOf(asked);
    } finally {
      await end();
    }
  }

  async function prepare(asked: AskedChat, recorder: RequestRecorder): Promise<PreparedRun> {
    const { visitor, found, request, nowMs, signal } = asked;
    const { appId, workspaceId, userId } = visitor;
    const { model, assistant } = found;
    const { messages, tools, settings = {} } = request;
    return await prepareRun(
      {
        use: { appId, workspaceId, userId, threadId: null, assistantId: assistant?.id ?? null },
        model,
        assistant,
        conversation: { from: "client", messages, tools, settings },
        ownTools: "none",
        effort: null,
        timeZone: timeZoneOf(undefined),
        nowMs,
        hasBegun: false,
        hasFallback: true,
        recorder,
        signal,
      },
      options.prepare,
    );
  }

  /** The model's events. Throws `AppError` when the model fails. */
  async function* eventsOf(asked: AskedChat): AsyncGenerator<ModelEvent> {
    const { visitor, found, request, signal } = asked;
    const assistantId = found.assistant?.id ?? null;
    const recorder = createApiClientRecorder(options, visitor, { purpose: "answer", assistantId });
    let hasOutput = false;
    let prepared: PreparedRun | undefined;
    try {
      prepared = await prepare(asked, recorder);
      for await (const event of prepared.model.stream(requestOf(prepared, request), signal, 1)) {
        hasOutput ||= event.type !== "left-out";
        yield event;
      }
    } catch (error) {
      const fallback = hasOutput || signal.aborted ? undefined : await prepared?.findFallback(error);
      if (fallback === undefined) throw toAppError(error, logger);
      logger.warn(
        { model: found.model.info.id, fallback: fallback.info.id, err: describeFailure(error).err },
        "a model failed, so the fallback model answers an API client",
      );
      // It may have changed while the first model failed.
      const assistant = await assistants.resolve(visitor.appId, assistantId!);
      yield* eventsOf({ ...asked, found: { model: fallback, assistant } });
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
      const facts: CompletionFacts = {
        id: `chatcmpl-${randomCharacters(24)}`,
        created: Math.floor(nowMs / 1_000),
        model: body.model,
      };
      const asked = { visitor, found, request: toModelRequest(body), nowMs, signal };
      const events = reservedEventsOf(asked, found.estimate);
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

type AskedChat = {
  visitor: Visitor;
  found: FoundModel;
  request: ModelRequest;
  nowMs: number;
  signal: AbortSignal;
};

/** The client's request with what the assistant adds to it. */
function requestOf(prepared: PreparedRun, request: ModelRequest): ModelRequest {
  const { system, settings, providerOptions, messages, callerTools } = prepared;
  return {
    ...request,
    system,
    settings,
    messages: [...messages],
    tools: [...callerTools],
    ...(providerOptions === undefined ? {} : { providerOptions }),
  };
}
