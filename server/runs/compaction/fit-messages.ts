import type { ModelMessage, ModelToolResult, ModelUserPart } from "#server/models/model.ts";
import { tokensOf } from "./measure.ts";

/** The messages of a request, and the steps of its answer so far. */
export type Conversation = { messages: readonly ModelMessage[]; steps: readonly ModelMessage[] };

export type FittedConversation = Conversation & {
  tokens: number;
  /** Whether tool results and files, or whole messages, were left out. */
  omits: { results: boolean; messages: boolean };
};

const omittedResult = "[This result was left out, because the conversation is too long.]";

/**
 * Leaves out as little as possible of a conversation that exceeds `tokensMax`: first the oldest tool results and files of
 * earlier turns, then the oldest turns, last the oldest results of this answer. Keeps the last message of the person and
 * what follows it, and what the person pinned, even if that alone exceeds the limit.
 */
export function fitMessages(conversation: Conversation, tokensMax: number): FittedConversation {
  const messages = [...conversation.messages];
  const steps = [...conversation.steps];
  const omits = { results: false, messages: false };
  let tokens = tokensOf(messages) + tokensOf(steps);
  const result = () => ({ messages, steps, tokens, omits });
  if (tokens <= tokensMax) return result();

  const replaceContents = (list: ModelMessage[], end: number): void => {
    for (let at = 0; at < end && tokens > tokensMax; at++) {
      const before = list[at]!;
      const after = withoutContents(before);
      if (after === before) continue;
      tokens += tokensOf([after]) - tokensOf([before]);
      list[at] = after;
      omits.results = true;
    }
  };
  const lastTurnAt = Math.max(
    0,
    messages.findLastIndex(({ role }) => role === "user"),
  );
  replaceContents(messages, lastTurnAt);
  const cut = cutOf(messages, lastTurnAt, tokens - tokensMax);
  if (cut.count > 0) {
    tokens -= cut.tokens;
    omits.messages = true;
    messages.splice(0, cut.count, ...messages.slice(0, cut.count).filter(isKept));
  }
  // The model has just asked for the results of the last step.
  replaceContents(steps, steps.length - 2);
  return result();
}

/** How many of the first messages to leave out to save `tokens`. A person's message follows. */
function cutOf(messages: readonly ModelMessage[], lastTurnAt: number, tokens: number) {
  let saved = 0;
  let count = 0;
  for (let at = 0; at < lastTurnAt && (saved < tokens || messages[at]!.role !== "user"); at++) {
    if (!isKept(messages[at]!)) saved += tokensOf([messages[at]!]);
    count = at + 1;
  }
  return tokens <= 0 ? { count: 0, tokens: 0 } : { count, tokens: saved };
}

function isKept({ role, isPinned }: ModelMessage): boolean {
  return role === "system" || isPinned === true;
}

/** The message with notes in place of tool results and files; the same object if it has none that are long. */
function withoutContents(message: ModelMessage): ModelMessage {
  if (message.isPinned) return message;
  if (message.role === "tool") {
    const results = message.results.map(withoutResult);
    return results.every((result, at) => result === message.results[at]) ? message : { ...message, results };
  }
  if (message.role !== "user" || message.parts.every(({ type }) => type === "text" || type === "unread-file"))
    return message;
  return { ...message, parts: message.parts.map(withoutFile) };
}

function withoutResult(result: ModelToolResult): ModelToolResult {
  const text = typeof result.result === "string" ? result.result : JSON.stringify(result.result);
  return text.length <= omittedResult.length ? result : { ...result, result: omittedResult };
}

function withoutFile(part: ModelUserPart): ModelUserPart {
  if (part.type === "text" || part.type === "unread-file") return part;
  const name = part.type === "document" ? part.name : (part.filename ?? "");
  return { type: "unread-file", name, mediaType: part.mediaType, reason: "no-room" };
}
