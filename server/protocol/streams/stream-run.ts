import type { BodyOf } from "#contract/api.ts";
import { newId } from "#contract/ids.ts";
import { isJsonObject, type JsonObject } from "#contract/json.ts";
import { cleanText } from "#contract/text.ts";
import type { Assistants } from "#server/assistants/assistants.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { Model, ToolDeclaration } from "#server/models/model.ts";
import type { Models } from "#server/models/models.ts";
import { wireToModelMessages } from "#server/parts/wire-to-model.ts";
import { wantsEvents, type RequestFacts, type TextStream, type Visitor } from "#server/lib/route.ts";
import type { Threads } from "#server/threads/threads.ts";
import { timeZoneOf } from "#server/lib/time-zone.ts";
import type { Metrics } from "#server/metrics/metrics.ts";
import { followRun } from "#server/runs/log/follow-run.ts";
import { newAnswer, type AnswerInput } from "#server/runs/loop/answer-state.ts";
import type { Runner } from "#server/runs/loop/runner.ts";
import type { ClientAnswers } from "./client-answers.ts";
import { encodeLog } from "./encode-log.ts";
import { dataStream, type Encoder, formatOf, uiMessageStream } from "./encoder.ts";
import type { Leases } from "#server/runs/leases/leases.ts";
import { tokensOfJson } from "#server/runs/requests/estimate-usage.ts";
import * as rows from "#server/runs/rows.ts";
import { newRun } from "#server/runs/lifecycle/new-run.ts";
import type { RunLimits } from "#server/runs/lifecycle/run-limits.ts";
import { modelOrDefault, resolveAssistant } from "#server/runs/prepare/choose.ts";
import { prepareRun } from "#server/runs/prepare/prepare-run.ts";
import type { PrepareModules } from "#server/runs/prepare/prepared-run.ts";
import type { Answering } from "#server/runs/prepare/stored-run.ts";
import { notesOf, streamToClient } from "./stream-to-client.ts";
import type { ThreadTitles } from "./thread-titles.ts";

/** Runs that are streamed to protocol clients. They store no message. */
export type StreamedRuns = {
  /**
   * The run stops when the client disconnects, unless it is resumable: `ended` resolves when it has ended. Throws
   * `thread-not-found`, `assistant-not-found`, `model-not-found`, `invalid-response-format`, `budget-used`, `budget-wait`, `too-many-runs`.
   */
  stream(
    visitor: Visitor,
    body: BodyOf<"runs.stream">,
    request: RequestFacts,
  ): Promise<TextStream & { ended?: () => Promise<void> }>;
};

const titleAssistant = "system/thread_title";
/** The thread id that assistant-ui's useCloudRuntime sends for a thread that is not stored. */
const noThread = "unstable_todo";
const responseFormat = "vercel-ai-data-stream/v1";
/** The header of assistant-ui's resumable streams. */
const resumableStreamHeader = "x-resumable-stream-id";

export function createStreamedRuns(
  options: PrepareModules & {
    logger: Logger;
    threads: Threads;
    assistants: Assistants;
    models: Models;
    titles: ThreadTitles;
    leases: Leases;
    runLimits: RunLimits;
    runner: Pick<Runner, "startUnstored" | "waitForEnd">;
    clientAnswers: Pick<ClientAnswers, "follow">;
    metrics: Metrics | undefined;
  },
): StreamedRuns {
  const { db, clock, threads, assistants, models, titles, leases, runLimits, modelRules, runner } = options;

  async function inputOf(
    { visitor, body, run }: StreamedRun,
    model: Model,
    { recorder, signal }: Omit<Answering, "emit">,
  ): Promise<AnswerInput> {
    const prepared = await prepareRun(
      {
        use: rows.modelUseOf(run),
        model,
        assistant: await assistants.resolve(visitor.appId, run.assistant_id!),
        conversation: {
          from: "client",
          system: body.system ?? undefined,
          messages: wireToModelMessages(body.messages),
          tools: declarations(body.tools ?? {}),
        },
        // These clients cannot send a person's approval.
        ownTools: "unattended",
        effort: null,
        timeZone: timeZoneOf(run.time_zone),
        nowMs: run.created_at,
        hasBegun: false,
        hasFallback: true,
        recorder,
        signal,
      },
      options,
    );
    return { ...prepared, ...newAnswer };
  }

  /** Starts a run that continues without its client, which can read its stream again. */
  function startResumable(streamed: StreamedRun, encoder: Encoder, request: RequestFacts) {
    const { run, visitor, model } = streamed;
    runner.startUnstored(run, model, async (answeringModel, answering) => {
      if (answeringModel === model)
        for (const note of notesOf(run)) await answering.emit({ type: "run-note", note });
      return await inputOf(streamed, answeringModel, answering);
    });
    const externalId = storedAs(streamed);
    if (run.thread_id !== null && externalId !== undefined)
      options.clientAnswers.follow(run.id, run.thread_id, externalId);
    return {
      ...formatOf(encoder),
      headers: { ...encoder.headers, [resumableStreamHeader]: run.id },
      chunks: encodeLog(followRun(db, visitor.workspaceId, run.id, 0)(request.signal), encoder),
      ended: async () => await runner.waitForEnd(run.id),
    };
  }

  /**
   * The external id of the message in which the client stores this answer and nothing else. `undefined` if the answer
   * continues a message.
   */
  function storedAs({ body, run }: Pick<StreamedRun, "body" | "run">): string | undefined {
    if (body.reply_external_id != null) return cleanText(body.reply_external_id);
    // The AI SDK's clients name the message as the stream does, by the run, also one that has more than this answer.
    return body.messages.at(-1)?.["role"] === "assistant" ? undefined : run.id;
  }

  /** The id of the visitor's thread that the request names, if any. Throws `thread-not-found`. */
  async function threadOf(visitor: Visitor, body: BodyOf<"runs.stream">): Promise<string | undefined> {
    if (body.thread_id !== noThread) return (await threads.get(visitor, body.thread_id)).id;
    if (body.threadId == null) return undefined;
    const thread = await threads.get(visitor, cleanText(body.threadId)).catch(undefinedIfNotFound);
    return thread?.id;
  }

  async function selectModel(visitor: Visitor, body: BodyOf<"runs.stream">, threadId: string | undefined) {
    const assistantId = cleanText(body.assistant_id);
    const { model: own } = await assistants.resolve(visitor.appId, assistantId);
    const model =
      body.model == null
        ? await modelOrDefault(models, { model: own }, (await modelRules.accessOf(visitor)).model)
        : await models.get(body.model);
    const requested = { app_id: visitor.appId, assistant_id: assistantId, model: body.model ?? own };
    const resolved = await resolveAssistant(assistants, requested, model);
    const { appId, workspaceId, userId } = visitor;
    // The request has the whole conversation, so that what the thread has is not counted.
    const use = { appId, workspaceId, userId, threadId: null, assistantId };
    const estimate = await modelRules.admit(model, use, {
      assistant: resolved.assistant,
      isThreadLocalOnly: threadId !== undefined && (await threads.isLocalOnly(threadId)),
      inputTokens: () => tokensOfJson([body.system, body.messages, body.tools]),
    });
    return { model, estimate, ...resolved };
  }

  return {
    async stream(visitor, body, request) {
      if (body.assistant_id === titleAssistant) {
        await threads.get(visitor, body.thread_id);
        return {
          contentType: "text/plain; charset=utf-8",
          chunks: titles.stream(visitor, body.thread_id, body.messages, request.signal),
        };
      }
      await assistants.checkSelectable(visitor.appId, cleanText(body.assistant_id));
      if (body.response_format !== undefined && body.response_format !== responseFormat)
        throw new AppError("invalid-response-format");
      const threadId = await threadOf(visitor, body);
      const { model, estimate, assistant, notes } = await selectModel(visitor, body, threadId);
      const nowMs = clock.now();
      const started = {
        id: newId("run", nowMs),
        origin: "wire",
        thread_id: threadId ?? null,
        assistant_id: assistant.id,
        notes: notes.length === 0 ? null : JSON.stringify(notes),
        model: model.info.id,
        time_zone: body.time_zone ?? null,
        leaseOwner: leases.owner,
        nowMs,
      } as const;
      // Before the response starts, while the request can still fail with an error status.
      const run = await db.write(async (tx) => {
        await runLimits.check(tx, visitor);
        const reserved = await modelRules.reserveIn(tx, visitor, estimate);
        const row = newRun(visitor, { ...started, reserved });
        await rows.insertRun(tx, row);
        return row;
      });
      const encoder = encoderFor(request);
      const streamed = { visitor, body, model, run };
      if (body.resumable === true) return startResumable(streamed, encoder, request);
      return {
        ...formatOf(encoder),
        chunks: streamToClient(
          {
            run,
            model,
            inputFor: async (answeringModel, answering) => await inputOf(streamed, answeringModel, answering),
            encoder,
            signal: request.signal,
          },
          options,
        ),
      };
    },
  };
}

type StreamedRun = {
  visitor: Visitor;
  body: BodyOf<"runs.stream">;
  model: Model;
  run: rows.RunRow;
};

/**
 * Clients that send the `Aui-Sdk` header, assistant-cloud 0.2 and later, can all decode a UI message stream. 0.2.9
 * decodes nothing else, although it accepts `text/plain`. Older clients do not send the header, and may decode only the
 * data stream.
 */
function encoderFor({ accept, auiSdk }: RequestFacts): Encoder {
  const isUiMessageStream = wantsEvents(accept) || auiSdk !== undefined;
  return isUiMessageStream ? uiMessageStream() : dataStream();
}

function undefinedIfNotFound(error: unknown): undefined {
  if (error instanceof AppError && error.code === "thread-not-found") return undefined;
  throw error;
}

/** The tools that the client's page declares and executes itself. */
function declarations(tools: JsonObject): ToolDeclaration[] {
  return Object.entries(tools).flatMap(([name, tool]) => {
    if (!isJsonObject(tool)) return [];
    const description = typeof tool.description === "string" ? tool.description : "";
    return [
      {
        name,
        description,
        parameters: isJsonObject(tool.parameters) ? tool.parameters : { type: "object", properties: {} },
      },
    ];
  });
}
