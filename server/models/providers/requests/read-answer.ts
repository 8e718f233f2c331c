import { isJsonObject, parseJson } from "#contract/json.ts";
import type { Usage } from "#contract/run-events.ts";
import { ModelError, type ModelEvent, type ModelSettings } from "../../model.ts";
import type { Extras } from "./extras.ts";
import { doneEvent } from "./event-reader.ts";
import { finishEvent, isReasonLost, type FinishEvent } from "./finish-event.ts";
import type { LooseEvent, ProviderApi } from "./provider-api.ts";
import type { ChatStream, ChatStreamPart } from "./sdk.ts";
import { createBlockData, messageData, toProviderData } from "./provider-data.ts";
import { readRefusedEvent } from "./refused-event.ts";
import { createThinkTags, type ThinkTags } from "./think-tags.ts";
import type { Transport } from "./transport.ts";
import type { Watchdog } from "./watchdog.ts";

/** After the finish reason only the token counts may follow. */
const afterFinishMs = 3_000;

/** The accepted response to one request. */
export type Answer = {
  stream: ChatStream;
  transport: Transport;
  extras: Extras;
  source: string;
  /** The settings that were sent. */
  settings: ModelSettings;
  /** Whether the provider continues the text at the end of the request. */
  isPrefilled: boolean;
  /** Called before the last event. */
  onFinish: (event: FinishEvent) => void;
};

/**
 * The events of an answer. Chunks that contain only text are read with `readText`, if there is one. From the first other chunk on, the SDK reads the
 * rest, because it supports the many forms of tool calls, errors and ends.
 *
 * With 200 streams of 50 tokens per second, a token takes 40 µs of processor time here and 78 µs through the SDK. The
 * whole server takes 60 to 100 µs per token, so without this one server could stream a third fewer runs.
 */
export async function* readAnswer(
  answer: Answer,
  api: Pick<ProviderApi, "readText" | "readLoosely">,
  watchdog: Watchdog,
): AsyncGenerator<ModelEvent> {
  const tags = createThinkTags();
  const { readText } = api;
  if (readText === undefined) return yield* readSdkStream(answer, api, tags, watchdog);
  const { transport, extras } = answer;
  let hasContent = false;
  for (;;) {
    watchdog.startWaiting();
    const events = await transport.nextEvents();
    watchdog.stopWaiting();
    let textEvents = 0;
    let text = "";
    for (; textEvents < events.length; textEvents++) {
      const chunk = parseJson(events[textEvents]!);
      const content = readText(chunk);
      if (content === undefined) break;
      if (hasText(content)) {
        hasContent = true;
        watchdog.onContent();
      }
      extras.read(chunk);
      const extra = extras.take();
      hasContent ||= extra.length > 0;
      if (text !== "" && (content.reasoning !== "" || extra.length > 0)) {
        yield* tags.read(text);
        text = "";
      }
      if (extra.length > 0) yield* extra;
      if (content.reasoning !== "") yield { type: "reasoning", text: content.reasoning };
      text += content.text;
    }
    // Not `yield*`, which takes twice as long for an array: this runs for every token.
    if (text !== "") for (const span of tags.read(text)) yield span;
    if (textEvents === events.length && textEvents > 0) continue;
    transport.passToSdk(events.slice(textEvents));
    return yield* readSdkStream(answer, api, tags, watchdog, hasContent);
  }
}

async function* readSdkStream(
  { stream, transport, extras, source, settings, onFinish }: Answer,
  api: Pick<ProviderApi, "readText" | "readLoosely">,
  tags: ThinkTags,
  watchdog: Watchdog,
  hasContentBefore = false,
): AsyncGenerator<ModelEvent> {
  const reader = stream.getReader();
  const blockData = createBlockData(source);
  const openCalls = new Map<string, { toolName: string; argsText: string }>();
  let hasToolCalls = false;
  let hasContent = hasContentBefore;
  /** Whether an event said nothing that can be read. It may have been a call, or an error in an unknown form. */
  let hasUnknown = false;
  /** The counts in events that the SDK refused. */
  let usage: Usage = {};
  for (;;) {
    const part = await readPart(reader, watchdog, extras);
    const extra = extras.take();
    hasContent ||= extra.length > 0;
    yield* extra;
    if (extras.finishReason !== undefined && part !== undefined && part.type !== "finish")
      watchdog.setSilenceMs(afterFinishMs);
    if (part === undefined || part.type === "finish") {
      yield* tags.end();
      for (const [toolCallId, call] of openCalls) yield { type: "tool-call", toolCallId, ...call };
      if (isReasonLost(part))
        extras.finishReason ??= endReason(transport.lastEvent(), api, hasContent && !hasUnknown);
      if (isReasonLost(part) && extras.finishReason === undefined)
        throw new Error("the stream ended without a finish");
      const finish = finishEvent(part, extras, { hasToolCalls, usage });
      if (hasUnknown && finish.reason === "tool-calls" && !hasToolCalls)
        throw new Error("the model called tools in events that cannot be read");
      const fields = extras.messageFields();
      if (fields !== undefined)
        yield { type: "provider-data", of: "reasoning", providerData: messageData(source, fields) };
      onFinish(finish);
      yield finish;
      return;
    }
    if (part.type !== "error" && (!("delta" in part) || part.delta !== "")) watchdog.onContent();
    if (part.type === "tool-input-start") {
      yield* tags.end();
      hasToolCalls = true;
    }
    if (part.type === "source" && part.sourceType === "url") extras.addSource(part.url, part.title);
    if (part.type === "stream-start")
      for (const setting of leftOut(part.warnings, settings)) yield { type: "left-out", setting };
    if (part.type === "error") {
      // One event that the SDK cannot read costs that event, not the answer.
      const refused = readRefusedEvent(part.error);
      if (refused === undefined) continue;
      const loose = api.readLoosely(refused);
      hasUnknown ||= isEmpty(loose);
      if (api.readText !== undefined) extras.read(refused);
      if (hasText(loose)) {
        hasContent = true;
        watchdog.onContent();
        yield* textEvents(loose, tags);
      }
      if (loose.source !== undefined) extras.addSource(loose.source.url, loose.source.title);
      extras.finishReason ??= loose.finishReason;
      usage = { ...usage, ...loose.usage };
      continue;
    }
    for (const event of partEvents(part, tags, openCalls, source)) {
      hasContent = true;
      yield event;
    }
    const data = blockData.take(part);
    if (data !== undefined) {
      yield* tags.end();
      yield data;
    }
  }
}

/** The settings that the SDK did not send, because the provider does not have them. */
function leftOut(
  warnings: Extract<ChatStreamPart, { type: "stream-start" }>["warnings"],
  settings: ModelSettings,
): (keyof ModelSettings)[] {
  const names = Object.keys(settings) as (keyof ModelSettings)[];
  return warnings.flatMap((warning) => {
    if (warning.type !== "unsupported" || warning.details?.includes("clamped") === true) return [];
    return names.filter((name) => name === warning.feature);
  });
}

/** The next part, or `undefined` at the end. */
async function readPart(
  reader: ReadableStreamDefaultReader<ChatStreamPart>,
  watchdog: Watchdog,
  extras: Extras,
): Promise<ChatStreamPart | undefined> {
  watchdog.startWaiting();
  try {
    return (await reader.read()).value;
  } catch (error) {
    // After the finish reason the answer is complete. Only the token counts are lost.
    const isAborted = watchdog.signal.aborted && !(watchdog.signal.reason instanceof ModelError);
    if (extras.finishReason === undefined || isAborted) throw error;
    return undefined;
  } finally {
    watchdog.stopWaiting();
  }
}

function* partEvents(
  part: ChatStreamPart,
  tags: ThinkTags,
  openCalls: Map<string, { toolName: string; argsText: string }>,
  source: string,
): Generator<ModelEvent> {
  switch (part.type) {
    case "text-delta":
      if (part.delta !== "") yield* tags.read(part.delta);
      break;
    case "reasoning-delta":
      if (part.delta !== "") yield { type: "reasoning", text: part.delta };
      break;
    case "tool-input-start":
      openCalls.set(part.id, { toolName: part.toolName, argsText: "" });
      yield { type: "tool-call-start", toolCallId: part.id, toolName: part.toolName };
      break;
    case "tool-input-delta": {
      const call = openCalls.get(part.id);
      if (call === undefined || part.delta === "") break;
      call.argsText += part.delta;
      yield { type: "tool-call-delta", toolCallId: part.id, argsText: part.delta };
      break;
    }
    case "tool-call": {
      const { toolCallId, toolName, input, providerMetadata } = part;
      openCalls.delete(toolCallId);
      const data = toProviderData(source, providerMetadata);
      yield { type: "tool-call", toolCallId, toolName, argsText: input, ...data };
      break;
    }
    case "file":
      if (part.mediaType.startsWith("image/") && part.data.type === "data")
        yield { type: "part", part: { type: "image", image: toDataUrl(part.mediaType, part.data.data) } };
      break;
    default:
      break;
  }
}

function toDataUrl(mediaType: string, data: string | Uint8Array): string {
  const base64 = typeof data === "string" ? data : Buffer.from(data).toString("base64");
  return `data:${mediaType};base64,${base64}`;
}

function hasText({ text = "", reasoning = "" }: Pick<LooseEvent, "text" | "reasoning">): boolean {
  return text !== "" || reasoning !== "";
}

function isEmpty({ source, finishReason, usage = {}, ...texts }: LooseEvent): boolean {
  const hasMore = source !== undefined || finishReason !== undefined || Object.keys(usage).length > 0;
  return !hasMore && !hasText(texts);
}

function* textEvents({ text = "", reasoning = "" }: LooseEvent, tags: ThinkTags): Generator<ModelEvent> {
  if (reasoning !== "") yield { type: "reasoning", text: reasoning };
  if (text !== "") yield* tags.read(text);
}

/** Why the answer ended, by the event that says that it is complete; `undefined` without one. */
function endReason(
  lastEvent: string | undefined,
  { readLoosely }: Pick<ProviderApi, "readLoosely">,
  hasContent: boolean,
): string | undefined {
  if (lastEvent === undefined) return undefined;
  if (lastEvent === doneEvent) return hasContent ? "stop" : undefined;
  const event = parseJson(lastEvent);
  return isJsonObject(event) ? readLoosely(event).finishReason : undefined;
}
