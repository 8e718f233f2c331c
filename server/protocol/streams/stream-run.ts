import type { BodyOf } from "#contract/api.ts";
import { errors } from "#contract/errors.ts";
import { newId } from "#contract/ids.ts";
import { isJsonObject, type JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { SourcePart } from "#contract/parts/source.ts";
import { plainText } from "#contract/parts/stored.ts";
import { readPlaceUrl } from "#contract/places.ts";
import { addUsage, type FinishReason, type RunNote, type Usage } from "#contract/run-events.ts";
import { cleanText } from "#contract/text.ts";
import type { Database } from "#storage/database/database.ts";
import type { Answering, Assistants } from "#server/assistants/assistants.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Logger } from "#server/lib/logger.ts";
import { ModelError, type Model, type ModelMessage, type ToolDeclaration } from "#server/models/model.ts";
import type { Models } from "#server/models/models.ts";
import { wireToModelMessages } from "#server/parts/wire-to-model.ts";
import type { Extraction } from "#server/extraction/extraction.ts";
import { wantsEvents, type RequestFacts, type TextStream, type Visitor } from "#server/lib/route.ts";
import type { Threads } from "#server/threads/threads.ts";
import { timeZoneOf } from "#server/lib/time-zone.ts";
import { isUnattended, type Tool } from "#server/tools/tool.ts";
import { answer } from "#server/runs/loop/answer.ts";
import { dataStream } from "./data-stream.ts";
import type { Encoder } from "./encoder.ts";
import { asChosen } from "#server/runs/loop/run-settings.ts";
import { instructions } from "#server/runs/loop/instructions.ts";
import type { Leases } from "#server/runs/leases/leases.ts";
import * as rows from "#server/runs/rows.ts";
import type { RunCaps } from "#server/runs/lifecycle/run-limits.ts";
import { usageColumns } from "#server/runs/usage-columns.ts";
import { sameModel } from "#server/runs/loop/same-model.ts";
import { settingsOf, toolsOf } from "#server/runs/loop/allowed-tools.ts";
import type { TitleMaker } from "#server/runs/loop/title.ts";
import { uiMessageStream } from "./ui-message-stream.ts";

/** The protocol's streamed runs. They store no message, and stop when their client goes: those clients keep both sides. */
export type WireRuns = {
  /** Throws `thread-not-found`, `assistant-not-found`, `model-not-found`, `invalid-response-format`, `too-many-runs`. */
  stream(visitor: Visitor, body: BodyOf<"runs.stream">, request: RequestFacts): Promise<TextStream>;
};

const titleAssistant = "system/thread_title";
/** What useCloudRuntime sends for a thread that it does not know. */
const noThread = "unstable_todo";
const responseFormat = "vercel-ai-data-stream/v1";

export function createWireRuns(options: {
  db: Database;
  clock: Clock;
  logger: Logger;
  threads: Threads;
  assistants: Assistants;
  models: Models;
  extraction: Extraction;
  titles: TitleMaker;
  tools: Tool[];
  leases: Leases;
  caps: RunCaps;
}): WireRuns {
  const { clock, logger, threads, assistants, models, titles, leases, caps } = options;
  // These clients have no way to say what a person decided.
  const tools = options.tools.filter(isUnattended);

  async function* title(
    visitor: Visitor,
    threadId: string,
    messages: JsonObject[],
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    const thread = await threads.get(visitor, threadId);
    if (thread.title !== null) {
      yield thread.title;
      return;
    }
    const model = await models.get(undefined);
    let made = "";
    for await (const text of titles.stream(
      model,
      { user: firstText(messages, "user"), assistant: firstText(messages, "assistant") },
      signal,
    )) {
      made += text;
      yield text;
    }
    if (made !== "") await threads.titleOnce(visitor, threadId, cleanText(made), "model");
  }

  async function* assistant(
    visitor: Visitor,
    body: BodyOf<"runs.stream">,
    model: Model,
    who: Answering,
    run: rows.RunRow,
    encoder: Encoder,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    const nowMs = run.created_at;
    const timeZone = timeZoneOf(run.time_zone);
    const notes = run.notes === null ? [] : (JSON.parse(run.notes) as RunNote[]);
    const release = leases.hold(run.id);
    const events = answer(
      {
        model,
        system: [instructions(nowMs, timeZone, who.instructions), body.system ?? ""]
          .filter((text) => text !== "")
          .join("\n\n"),
        settings: settingsOf(who.parameters),
        messages: question(body.messages),
        tools: toolsOf(who, tools),
        readFiles: async (of, asked) =>
          await options.extraction.resolveFiles(of, { workspaceId: visitor.workspaceId, ...asked, signal }),
        callerTools: declarations(body.tools ?? {}),
        context: { workspaceId: visitor.workspaceId, threadId: run.thread_id ?? "", timeZone },
        before: [],
        stepEnds: [],
        // None of them asks.
        allowedTools: async () => [],
        allowed: [],
      },
      { clock, logger, signal },
    );
    let usage: Usage = {};
    let ended: WireRunEnd = { state: "cancelled", finishReason: "other", code: null };
    try {
      yield encoder.begin(newId("message", nowMs));
      for (;;) {
        const step = await events.next();
        if (step.done === true) {
          // No tool of these runs waits for anyone.
          const finishReason = "finishReason" in step.value ? step.value.finishReason : "other";
          ended = { state: "completed", finishReason, code: null };
          yield encoder.end({ finishReason, usage });
          return;
        }
        if (step.value.type === "run-note") notes.push(step.value.note);
        if (step.value.type === "step-end") usage = addUsage(usage, step.value.usage);
        // A place in our own web app leads nowhere on another's page.
        if (step.value.type === "source-add" && isOwnPlace(step.value.source)) continue;
        const text = encoder.event(step.value);
        if (text !== "") yield text;
      }
    } catch (error) {
      // Not quietly: where it is we who go, the reader must not take the part for the whole.
      if (signal.aborted) throw error;
      const code = error instanceof ModelError || error instanceof AppError ? error.code : "internal";
      logger.warn(
        { runId: run.id, code, err: error instanceof ModelError ? (error.cause ?? error) : error },
        "a protocol client's run failed",
      );
      ended = { state: "failed", finishReason: "error", code };
      yield encoder.fail(errors[code].message);
    } finally {
      release();
      const change = {
        ...wireRunEnd(ended, usage),
        notes: notes.length === 0 ? null : JSON.stringify(notes),
        ended_at: clock.now(),
      };
      await options.db.write(async (tx) => await rows.changeRun(tx, run.id, change));
    }
  }

  /** The thread that a run belongs to, if it names one of the visitor's. */
  async function threadOf(visitor: Visitor, body: BodyOf<"runs.stream">): Promise<string | undefined> {
    if (body.thread_id !== noThread) return (await threads.get(visitor, body.thread_id)).id;
    if (body.threadId == null) return undefined;
    const thread = await threads.get(visitor, cleanText(body.threadId)).catch(absent);
    return thread?.id;
  }

  return {
    async stream(visitor, body, request) {
      if (body.assistant_id === titleAssistant) {
        await threads.get(visitor, body.thread_id);
        return {
          contentType: "text/plain; charset=utf-8",
          chunks: title(visitor, body.thread_id, body.messages, request.signal),
        };
      }
      const assistantId = cleanText(body.assistant_id);
      await assistants.check(visitor.projectId, assistantId);
      if (body.response_format !== undefined && body.response_format !== responseFormat)
        throw new AppError("invalid-response-format");
      const threadId = await threadOf(visitor, body);
      const { model: own } = await assistants.answering(visitor.projectId, assistantId);
      const model =
        body.model == null ? await sameModel(models, { model: own }) : await models.get(body.model);
      const wanted = { project_id: visitor.projectId, assistant_id: assistantId, model: body.model ?? own };
      const { assistant: who, notes } = await asChosen(assistants, wanted, model);
      const run = wireRun({
        assistantId: who.id,
        notes: notes.length === 0 ? null : JSON.stringify(notes),
        visitor,
        threadId,
        model: model.info.id,
        timeZone: body.time_zone ?? null,
        leaseOwner: leases.owner,
        nowMs: clock.now(),
      });
      // Before the answer's head, while it can still be refused.
      await options.db.write(async (tx) => {
        await caps.check(tx, visitor);
        await rows.insertRun(tx, run);
      });
      const encoder = encoderFor(request);
      return {
        contentType: encoder.contentType,
        headers: encoder.headers,
        chunks: assistant(visitor, body, model, who, run, encoder, request.signal),
      };
    },
  };
}

/**
 * Clients that name themselves in `Aui-Sdk`, assistant-cloud 0.2 and later, can all decode a UI message stream. 0.2.9
 * decodes nothing else, though it accepts `text/plain`. Older clients send no such header, and may know only the data
 * stream.
 */
function encoderFor({ accept, auiSdk }: RequestFacts): Encoder {
  const isUiMessageStream = wantsEvents(accept) || auiSdk !== undefined;
  return isUiMessageStream ? uiMessageStream() : dataStream();
}

function isOwnPlace(source: SourcePart): boolean {
  return source.sourceType === "url" && readPlaceUrl(source.url) !== undefined;
}

function absent(error: unknown): undefined {
  if (error instanceof AppError && error.code === "thread-not-found") return undefined;
  throw error;
}

function question(messages: JsonObject[]): ModelMessage[] {
  return wireToModelMessages(messages);
}

function firstText(messages: JsonObject[], role: string): string {
  const message = messages.find((candidate) => candidate.role === role);
  return message === undefined ? "" : plainText("aui/v0", message);
}

/** Tools of the caller's own page, as it declares them. */
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

function wireRun(from: {
  visitor: Visitor;
  threadId: string | undefined;
  assistantId: string;
  notes: string | null;
  model: string;
  timeZone: string | null;
  leaseOwner: string;
  nowMs: number;
}): rows.RunRow {
  return {
    ...rows.blankRun,
    id: newId("run", from.nowMs),
    origin: "wire",
    project_id: from.visitor.projectId,
    workspace_id: from.visitor.workspaceId,
    user_id: from.visitor.userId,
    thread_id: from.threadId ?? null,
    assistant_id: from.assistantId,
    notes: from.notes,
    model: from.model,
    time_zone: from.timeZone,
    lease_owner: from.leaseOwner,
    lease_expires_at: from.nowMs + limits.runLeaseMs,
    created_at: from.nowMs,
    started_at: from.nowMs,
  };
}

type WireRunEnd = {
  state: "completed" | "cancelled" | "failed";
  finishReason: FinishReason;
  code: string | null;
};

function wireRunEnd(end: WireRunEnd, usage: Usage) {
  return {
    state: end.state,
    finish_reason: end.finishReason,
    error_code: end.code,
    lease_owner: null,
    lease_expires_at: null,
    ...usageColumns(usage),
  };
}
