import type { ModelMessage, ModelUserPart, ToolDeclaration } from "#server/models/model.ts";
import { estimateTokens } from "#server/models/tokens/estimate-tokens.ts";

/** Estimated tokens of a request's messages. */
export type MessageTokens = { messages: number; files: number };

/** Role, separators and the like. */
const tokensPerMessage = 4;
/** A picture at the size in which pictures are sent: between OpenAI's and Anthropic's counts. */
export const pictureTokens = 1_200;
/** Base64 characters per token of a PDF, whose pages are also pictures, and of sound. */
const charactersPerMediaToken = 60;

const measured = new WeakMap<ModelMessage, MessageTokens>();

/** The tokens of messages. Each message is measured once. */
export function measureMessages(messages: readonly ModelMessage[]): MessageTokens {
  const sum = { messages: 0, files: 0 };
  for (const message of messages) {
    const one = measureMessage(message);
    sum.messages += one.messages;
    sum.files += one.files;
  }
  return sum;
}

/** The tokens of `measureMessages` as one number. */
export function tokensOf(messages: readonly ModelMessage[]): number {
  const { messages: texts, files } = measureMessages(messages);
  return texts + files;
}

export function measureTools(tools: readonly ToolDeclaration[]): number {
  return tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools));
}

function measureMessage(message: ModelMessage): MessageTokens {
  let tokens = measured.get(message);
  if (tokens === undefined) measured.set(message, (tokens = measureAnew(message)));
  return tokens;
}

function measureAnew(message: ModelMessage): MessageTokens {
  const tokens = { messages: tokensPerMessage, files: 0 };
  switch (message.role) {
    case "system":
      tokens.messages += estimateTokens(message.text);
      break;
    case "user":
      for (const part of message.parts) tokens[part.type === "text" ? "messages" : "files"] += userPart(part);
      break;
    case "assistant":
      for (const part of message.parts)
        tokens.messages +=
          "text" in part
            ? estimateTokens(part.text)
            : estimateTokens(part.toolName + JSON.stringify(part.args));
      break;
    case "tool":
      for (const { result } of message.results)
        tokens.messages += estimateTokens(typeof result === "string" ? result : JSON.stringify(result));
  }
  return tokens;
}

function userPart(part: ModelUserPart): number {
  switch (part.type) {
    case "text":
      return estimateTokens(part.text);
    case "document":
      return 40 + estimateTokens(part.text);
    case "unread-file":
      return 40;
    case "file":
      if (part.mediaType.startsWith("image/")) return pictureTokens;
      return pictureTokens + Math.ceil(part.data.length / charactersPerMediaToken);
  }
}
