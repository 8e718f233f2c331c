import type { FinishReason, Usage } from "#contract/run-events.ts";
import type { ModelEvent } from "../models/model.ts";

/** What identifies a completion: `id` begins with `chatcmpl-`, `created` is in seconds since 1970. */
export type CompletionFacts = { id: string; created: number; model: string };

type ToolCall = { id: string; type: "function"; function: { name: string; arguments: string } };
type ToolCallDelta = Partial<Omit<ToolCall, "function">> & {
  index: number;
  function: Partial<ToolCall["function"]>;
};

/**
 * What a chunk adds to the message. `reasoning_content` is not part of OpenAI's API, but other servers use this name.
 */
export type Delta = {
  role?: "assistant";
  content?: string;
  reasoning_content?: string;
  tool_calls?: ToolCallDelta[];
};

/** Reads a model's events as changes of a message in OpenAI's format. */
export function createDeltaReader() {
  /** The tool calls so far, by id, in the order of their indexes. */
  const calls = new Map<string, { index: number; sentCharacters: number }>();

  function startCall(toolCallId: string): { index: number; sentCharacters: number } {
    const call = { index: calls.size, sentCharacters: 0 };
    calls.set(toolCallId, call);
    return call;
  }

  /** Providers that do not stream the arguments of a call report it only when it is complete. */
  function completeCall({ toolCallId, toolName, argsText }: ToolCallEvent): Delta | undefined {
    const known = calls.get(toolCallId);
    const call = known ?? startCall(toolCallId);
    const rest = argsText.slice(call.sentCharacters);
    if (known === undefined) return startedCall(call.index, toolCallId, toolName, rest);
    return rest === "" ? undefined : { tool_calls: [{ index: call.index, function: { arguments: rest } }] };
  }

  /** `undefined` for events that change nothing. */
  return (event: ModelEvent): Delta | undefined => {
    switch (event.type) {
      case "text":
        return { content: event.text };
      case "reasoning":
        return { reasoning_content: event.text };
      case "tool-call-start":
        return startedCall(startCall(event.toolCallId).index, event.toolCallId, event.toolName, "");
      case "tool-call-delta": {
        const call = calls.get(event.toolCallId)!;
        call.sentCharacters += event.argsText.length;
        return { tool_calls: [{ index: call.index, function: { arguments: event.argsText } }] };
      }
      case "tool-call":
        return completeCall(event);
      default:
        return undefined;
    }
  };
}

type ToolCallEvent = Extract<ModelEvent, { type: "tool-call" }>;

function startedCall(index: number, id: string, name: string, args: string): Delta {
  return { tool_calls: [{ index, id, type: "function", function: { name, arguments: args } }] };
}

/** A chunk of a stream. */
export function chunkOf({ id, created, model }: CompletionFacts, delta: Delta, finish: FinishReason | null) {
  const choice = { index: 0, delta, logprobs: null, finish_reason: finish && finishOf(finish) };
  return { id, object: "chat.completion.chunk", created, model, choices: [choice] } as const;
}

/** The last chunk of a stream, with the usage. */
export function usageChunkOf({ id, created, model }: CompletionFacts, usage: Usage) {
  return { id, object: "chat.completion.chunk", created, model, choices: [], usage: usageOf(usage) } as const;
}

/** The whole completion of these changes. */
export function completionOf(
  { id, created, model }: CompletionFacts,
  deltas: readonly Delta[],
  end: { reason: FinishReason; usage: Usage },
) {
  const text = (name: "content" | "reasoning_content") => deltas.map((delta) => delta[name] ?? "").join("");
  const calls = toolCallsOf(deltas);
  const [content, reasoning] = [text("content"), text("reasoning_content")];
  const message = {
    role: "assistant" as const,
    content: content === "" && calls.length > 0 ? null : content,
    refusal: null,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: finishOf(end.reason) };
  return {
    id,
    object: "chat.completion",
    created,
    model,
    choices: [choice],
    usage: usageOf(end.usage),
  } as const;
}

function toolCallsOf(deltas: readonly Delta[]): ToolCall[] {
  const calls: ToolCall[] = [];
  for (const { index, id, function: part } of deltas.flatMap(({ tool_calls: some = [] }) => some)) {
    calls[index] ??= { id: id!, type: "function", function: { name: part.name!, arguments: "" } };
    calls[index].function.arguments += part.arguments ?? "";
  }
  return calls;
}

const finishReasons: Record<FinishReason, string> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
  error: "stop",
  other: "stop",
};

function finishOf(reason: FinishReason): string {
  return finishReasons[reason];
}

function usageOf({ input = 0, output = 0, reasoning = 0, cached = 0 }: Usage) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
