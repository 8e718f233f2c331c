import { AsyncLocalStorage } from "node:async_hooks";
import { limits } from "#contract/limits.ts";
import type { FinishReason, Usage } from "#contract/run-events.ts";
import { systemClock, type Clock } from "#server/lib/clock.ts";
import {
  FilesRefusedError,
  ModelError,
  type FilesRefusal,
  type Model,
  type ModelEvent,
  type ModelFacts,
  type ModelName,
  type ModelRequest,
} from "../model.ts";
import { extractorFor, newExtras, type Extras } from "./openai-compatible/extras.ts";
import { readFailure, toModelError, type Failure } from "./openai-compatible/failure.ts";
import { openHandover, type Handover } from "./openai-compatible/handover.ts";
import { givenIn, refusedFiles, type Given } from "./openai-compatible/refused-files.ts";
import { openLine, type Line, type Patience } from "./openai-compatible/line.ts";
import { toPrompt, toTools } from "./openai-compatible/prompt.ts";
import { loadSdk, type ChatModel, type ChatStream, type ChatStreamPart } from "./openai-compatible/sdk.ts";
import { newSettingRefusals, withNewName } from "./openai-compatible/settings.ts";
import { newThinkTags, type ThinkTags } from "./openai-compatible/think-tags.ts";
import { plainWords } from "./openai-compatible/words.ts";

export type OpenAiCompatibleOptions = {
  info: ModelName;
  /** What it can be given. */
  facts?: () => Promise<ModelFacts>;
  /** Told when it refuses files, before the request fails for it, and what it has taken. */
  refused?: (refusal: FilesRefusal) => void;
  accepted?: (given: Given) => void;
  /** With its version: `https://api.openai.com/v1`. Nothing else is ever contacted. */
  baseUrl: string;
  apiKey?: string | undefined;
  clock?: Clock;
  /** For tests: how much is borne of the provider. */
  patience?: Partial<Patience>;
};

/** A busy provider is asked again once, if it is to be free within this; a person waits for the first word. */
const retryWaitMaxMs = 5_000;
/** What we wait where a provider does not say how long. */
const retryWaitMs = 500;
/** After the finish reason only the count of tokens is still to come. */
const afterFinishMs = 3_000;

/** A model behind OpenAI's chat completions, as OpenAI, Ollama, llama.cpp, vLLM and most others speak them. */
export function createOpenAiCompatible(options: OpenAiCompatibleOptions): Model {
  // What this model turned out not to take; found once, by its refusal.
  const refusals = { tools: false, usage: false, reasoning: false, settings: newSettingRefusals() };

  // The library's model is made once, for that costs as much as the rest of a request; what belongs to one request
  // reaches its fetch and its extractor by the asynchronous context.
  const asking = new AsyncLocalStorage<Asking>();
  const chats = new Map<string, ChatModel>();

  function current(): Asking {
    const request = asking.getStore();
    if (request === undefined) throw new Error("asked outside of a request");
    return request;
  }

  async function chatModel(): Promise<ChatModel> {
    const { createOpenAICompatible } = await loadSdk();
    const includeUsage = !refusals.usage;
    const kind = `${includeUsage} ${refusals.settings.wantsNewName}`;
    let chat = chats.get(kind);
    if (chat === undefined) {
      chat = createOpenAICompatible({
        name: "provider",
        baseURL: options.baseUrl,
        ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
        includeUsage,
        ...(refusals.settings.wantsNewName ? { transformRequestBody: withNewName } : {}),
        metadataExtractor: extractorFor(() => current().extras),
        fetch: (input, init) => current().handover.fetch(input, init),
      }).chatModel(options.info.id);
      chats.set(kind, chat);
    }
    return chat;
  }

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    const line = openLine(signal, {
      silenceMs: limits.modelSilenceMs,
      muteMs: limits.modelMuteMs,
      wholeMs: limits.modelStepMs,
      ...options.patience,
    });
    let begun = false;
    try {
      const extras = newExtras();
      const { chat, handover } = await ask(request, line, extras);
      begun = true;
      for (const setting of refusals.settings.refusedOf(request.settings))
        yield { type: "left-out", setting };
      yield* readAnswer(chat, handover, line, extras);
    } catch (error) {
      signal.throwIfAborted();
      if (line.signal.aborted && line.signal.reason instanceof ModelError) throw line.signal.reason;
      throw error instanceof ModelError ? error : toModelError(readFailure(error), begun, options.apiKey);
    } finally {
      line.close();
    }
  }

  /** The answer's stream once the provider has accepted the request. */
  async function ask(
    request: ModelRequest,
    line: Line,
    extras: Extras,
  ): Promise<{ chat: ChatStream; handover: Handover }> {
    for (let tries = 1; ;) {
      const chat = await chatModel();
      const call = {
        prompt: toPrompt(request, !refusals.reasoning),
        abortSignal: line.signal,
        ...refusals.settings.takenOf(request.settings),
        ...(request.tools.length === 0 || refusals.tools ? {} : { tools: toTools(request) }),
      };
      const handover = openHandover(line);
      line.wait();
      try {
        const { stream } = await asking.run({ handover, extras }, async () => await chat.doStream(call));
        options.accepted?.(givenIn(request));
        return { chat: stream, handover };
      } catch (error) {
        if (line.signal.aborted) throw error;
        const failure = readFailure(error);
        if (learnRefusal(failure, request)) continue;
        const refusal = refusedFiles(failure, request);
        if (refusal !== undefined) {
          options.refused?.(refusal);
          throw new FilesRefusedError(refusal, { cause: toModelError(failure, false, options.apiKey).cause });
        }
        const waitMs = tries < 2 ? waitBeforeRetry(failure) : undefined;
        if (waitMs === undefined) throw error;
        tries++;
        line.rest();
        await (options.clock ?? systemClock).sleep(waitMs, line.signal);
      }
    }
  }

  /** Whether the provider refused something that we can leave out; then it is left out from now on. */
  function learnRefusal({ status, says }: Failure, request: ModelRequest): boolean {
    if (status !== 400 && status !== 422 && status !== 404) return false;
    if (
      !refusals.tools &&
      request.tools.length > 0 &&
      /(?:tools?|function.?call\w*) (?:use )?(?:is |are )?(?:not|un)[ -]?support|not support (?:tools?|function|tool use)|no endpoints found that support tool/i.test(
        says,
      )
    ) {
      return (refusals.tools = true);
    }
    if (refusals.settings.learn(says, request.settings)) return true;
    if (!refusals.usage && /stream_options/i.test(says)) return (refusals.usage = true);
    if (!refusals.reasoning && /reasoning_content/i.test(says)) return (refusals.reasoning = true);
    return false;
  }

  const { info, facts } = options;
  return { info, stream, ...(facts === undefined ? {} : { facts }) };
}

/** What one request brings along for the library's hooks. */
type Asking = { handover: Handover; extras: Extras };

/**
 * Words are read off the wire; from the first chunk on that holds anything else, the library reads the rest. It costs
 * several times as much for each chunk, and what it knows of tool calls, errors and ends is worth it for those.
 */
async function* readAnswer(
  chat: ChatStream,
  handover: Handover,
  line: Line,
  extras: Extras,
): AsyncGenerator<ModelEvent> {
  const tags = newThinkTags();
  for (;;) {
    line.wait();
    const came = await handover.more();
    line.rest();
    let plain = 0;
    let words = "";
    for (; plain < came.length; plain++) {
      const chunk = parsed(came[plain]!);
      const said = plainWords(chunk);
      if (said === undefined) break;
      if (said.text !== "" || said.reasoning !== "") line.said();
      extras.read(chunk);
      const extra = extras.take();
      if (words !== "" && (said.reasoning !== "" || extra.length > 0)) {
        yield* tags.read(words);
        words = "";
      }
      if (extra.length > 0) yield* extra;
      if (said.reasoning !== "") yield { type: "reasoning", text: said.reasoning };
      words += said.text;
    }
    // Not `yield*`: for a list that costs twice as much, and this is done for every token.
    if (words !== "") for (const said of tags.read(words)) yield said;
    if (plain === came.length && plain > 0) continue;
    handover.toLibrary(came.slice(plain));
    return yield* readRest(chat, tags, line, extras);
  }
}

async function* readRest(
  chat: ChatStream,
  tags: ThinkTags,
  line: Line,
  extras: Extras,
): AsyncGenerator<ModelEvent> {
  const reader = chat.getReader();
  const open = new Map<string, { toolName: string; argsText: string }>();
  let called = false;
  for (;;) {
    line.wait();
    let part: ChatStreamPart | undefined;
    try {
      part = (await reader.read()).value;
    } catch (error) {
      // It had said that it was done; only the count of tokens is lost.
      if (extras.finishReason === undefined || (line.signal.aborted && !isSilence(line))) throw error;
    }
    line.rest();
    yield* extras.take();
    if (extras.finishReason !== undefined && part !== undefined && part.type !== "finish")
      line.hurry(afterFinishMs);
    if (part === undefined || part.type === "finish") {
      yield* tags.end();
      for (const [toolCallId, call] of open) yield { type: "tool-call", toolCallId, ...call };
      if (part === undefined && extras.finishReason === undefined)
        throw new Error("the stream ended without a finish");
      yield finishEvent(part, extras, called);
      return;
    }
    if (!("delta" in part) || part.delta !== "") line.said();
    switch (part.type) {
      case "text-delta":
        if (part.delta !== "") yield* tags.read(part.delta);
        break;
      case "reasoning-delta":
        if (part.delta !== "") yield { type: "reasoning", text: part.delta };
        break;
      case "tool-input-start":
        yield* tags.end();
        called = true;
        open.set(part.id, { toolName: part.toolName, argsText: "" });
        yield { type: "tool-call-start", toolCallId: part.id, toolName: part.toolName };
        break;
      case "tool-input-delta": {
        const call = open.get(part.id);
        if (call === undefined || part.delta === "") break;
        call.argsText += part.delta;
        yield { type: "tool-call-delta", toolCallId: part.id, argsText: part.delta };
        break;
      }
      case "tool-call":
        open.delete(part.toolCallId);
        yield {
          type: "tool-call",
          toolCallId: part.toolCallId,
          toolName: part.toolName,
          argsText: part.input,
        };
        break;
      case "error":
        if (!isHarmless(part.error)) throw part.error;
        break;
      default:
        break;
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isSilence(line: Line): boolean {
  return line.signal.reason instanceof ModelError;
}

/** A chunk that says nothing of the answer (a server's own statistics) is no reason to break off. */
function isHarmless(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== "AI_TypeValidationError") return false;
  const { value } = error as Error & { value?: unknown };
  return typeof value === "object" && value !== null && !("choices" in value) && !("error" in value);
}

function finishEvent(part: ChatStreamPart | undefined, extras: Extras, called: boolean): ModelEvent {
  if (part?.type !== "finish")
    return {
      type: "finish",
      reason: toReason("other", extras.finishReason, called),
      usage: toUsage(extras.usage),
    };
  return {
    type: "finish",
    reason: toReason(part.finishReason.unified, part.finishReason.raw, called),
    usage: toUsage(extras.usage),
  };
}

/** Not every server uses OpenAI's words, and some say `stop` after a tool call. */
function toReason(
  unified: FinishReason | "interrupted",
  raw: string | undefined,
  called: boolean,
): FinishReason {
  const known = unified !== "other" && unified !== "interrupted";
  const reason = known ? unified : (otherReasons[(raw ?? "").toLowerCase()] ?? "other");
  return called && (reason === "stop" || reason === "other") ? "tool-calls" : reason;
}

const otherReasons: Record<string, FinishReason> = {
  stop: "stop",
  eos: "stop",
  eos_token: "stop",
  end_turn: "stop",
  stop_sequence: "stop",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  tool_calls: "tool-calls",
  tool_use: "tool-calls",
  function_call: "tool-calls",
  content_filter: "content-filter",
  safety: "content-filter",
};

/** As the provider wrote it: the library fills in noughts for what was not said. */
function toUsage(raw: unknown): Usage {
  const usage = record(raw);
  const prompt = record(usage.prompt_tokens_details);
  const completion = record(usage.completion_tokens_details);
  const counts = {
    input: usage.prompt_tokens,
    output: usage.completion_tokens,
    reasoning: completion.reasoning_tokens,
    cached: prompt.cached_tokens,
  };
  return Object.fromEntries(
    Object.entries(counts).filter(([, count]) => typeof count === "number" && count >= 0),
  );
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** How long to wait before asking again; `undefined` where asking again is of no use. */
function waitBeforeRetry({ status, code, says, retryAfterMs }: Failure): number | undefined {
  if (status === undefined) {
    // A kept connection that the provider had closed meanwhile: the request was not read.
    return /ECONNRESET|UND_ERR_SOCKET|EPIPE/.test(code) ? 0 : undefined;
  }
  if (status !== 429 && status < 500) return undefined;
  if (/insufficient_quota/i.test(`${code} ${says}`)) return undefined;
  const waitMs = retryAfterMs ?? retryWaitMs;
  return waitMs <= retryWaitMaxMs ? waitMs : undefined;
}
