import type { RunNote } from "#contract/run-events.ts";
import { ModelError, type ModelMessage, type ToolDeclaration } from "#server/models/model.ts";
import { estimateTokens } from "#server/models/tokens/estimate-tokens.ts";
import { fitMessages } from "./fit-messages.ts";
import { measureTools } from "./measure.ts";
import { withSummary, type RequestSummary } from "./summary-message.ts";
import type { TokenBudget } from "./token-budget.ts";

/** What a request is made from. */
type Contents = {
  system: string;
  tools: readonly ToolDeclaration[];
  summary?: RequestSummary | undefined;
  isCut?: boolean | undefined;
  messages: readonly ModelMessage[];
  steps: readonly ModelMessage[];
};

/** After a refusal, the next request has this part of the tokens. */
const tightenedPart = 0.6;
/** From a context of 128,000 tokens to one of 4,000. */
const retriesMax = 7;

/** Keeps the requests of one answer within the budget of the model, and within what the provider accepts. */
export function createRequestRoom(budget: TokenBudget | undefined) {
  let tokensMax = budget?.isKnown === true ? budget.tokens : Infinity;
  let sentTokens = 0;
  let sentMax = 0;
  let retries = 0;

  return {
    /** The messages of a request with the summary, without what the model has no room for, and notes for the person. */
    fit({ system, tools, summary, isCut, messages, steps }: Contents): {
      messages: ModelMessage[];
      notes: RunNote[];
    } {
      const otherTokens = estimateTokens(system) + measureTools(tools) + estimateTokens(summary?.text ?? "");
      const fitted = fitMessages({ messages, steps }, tokensMax - otherTokens);
      sentTokens = fitted.tokens + otherTokens;
      sentMax = tokensMax;
      const names = tools.map(({ name }) => name);
      const before = summary === undefined ? fitted.messages : withSummary(fitted.messages, summary, names);
      return { messages: [...separateTurns(before), ...fitted.steps], notes: notesOf(fitted.omits, isCut) };
    },
    /** Whether a request that the provider refused as too long can be sent again with less. */
    tighten(error: unknown): boolean {
      if (!(error instanceof ModelError) || error.code !== "context-too-long") return false;
      // Nothing was left to leave out.
      if (sentTokens > sentMax || retries === retriesMax) return false;
      retries++;
      tokensMax = sentTokens * tightenedPart;
      return true;
    },
  };
}

function notesOf(omits: { results: boolean; messages: boolean }, isCut = false): RunNote[] {
  return [
    ...(omits.results ? [{ kind: "results-left-out" as const, name: "" }] : []),
    ...(omits.messages || isCut ? [{ kind: "messages-left-out" as const, name: "" }] : []),
  ];
}

const gap = "[Messages between these are left out.]";

/**
 * Pinned messages stay where the messages around them are left out, so that two of a person, or two answers, can follow each
 * other. Some models refuse that: a short message of the other side says what is missing.
 */
export function separateTurns(messages: readonly ModelMessage[]): ModelMessage[] {
  if (!messages.some(({ isPinned }) => isPinned)) return [...messages];
  return messages.flatMap((message, at): ModelMessage[] => {
    const before = messages[at - 1];
    const isFirst = before === undefined || before.role === "system";
    // Many models refuse a conversation that begins with an answer.
    if (isFirst && message.isPinned === true && message.role === "assistant")
      return [{ role: "user", parts: [{ type: "text", text: gap }] }, message];
    if (before?.isPinned !== true && message.isPinned !== true) return [message];
    if (before?.role === "user" && message.role === "user")
      return [{ role: "assistant", parts: [{ type: "text", text: gap }] }, message];
    const followsAnswer = before?.role === "assistant" || before?.role === "tool";
    // The steps of one answer belong together.
    if (followsAnswer && message.role === "assistant" && before.messageId !== message.messageId)
      return [{ role: "user", parts: [{ type: "text", text: gap }] }, message];
    return [message];
  });
}
