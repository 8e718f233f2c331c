import { Buffer } from "node:buffer";
import { base64Of } from "#server/lib/base64.ts";
import { documentPrompt, unreadFilePrompt } from "#server/parts/file-prompts.ts";
import type {
  ModelAssistantPart,
  ModelMessage,
  ModelRequest,
  ModelToolResult,
  ModelUserPart,
} from "../../model.ts";
import { withCallIds, type CallIdFormat } from "./call-ids.ts";
import { messageFields, messageProviderOptions, withDataOf } from "./provider-data.ts";
import type { ReasoningReturn } from "./refusals/reasoning-return.ts";
import type { ChatCall, ChatMessage, ChatPrompt } from "./sdk.ts";

type UserPart = Extract<ChatMessage, { role: "user" }>["content"][number];
type AssistantPart = Extract<ChatMessage, { role: "assistant" }>["content"][number];
type ToolPart = Extract<ChatMessage, { role: "tool" }>["content"][number];

const continueRequest =
  "Your last message was broken off. Go on exactly where it stopped: begin with the very next word, repeat nothing, and do not mention the interruption.";

/** A message of the request in the SDK's format. `of` is undefined for what the server adds. */
export type ConvertedMessage = { of: ModelMessage | undefined; as: ChatMessage };

/**
 * Converts the conversation to the SDK's format. A file that providers do not accept becomes a line of text with its
 * name, so that one unusual attachment does not make the thread unusable. For a provider that is not lenient, all
 * system messages come first, and no message is empty. With `isAskedToContinue`, a message at the end asks the model to
 * continue the one before.
 */
export function toPrompt(
  { system = "", messages }: ModelRequest,
  {
    reasoning,
    isLenient,
    source,
    callIds,
    isAskedToContinue,
  }: {
    reasoning: ReasoningReturn["of"];
    isLenient: boolean;
    source: string | undefined;
    callIds: CallIdFormat;
    isAskedToContinue: boolean;
  },
): { prompt: ChatPrompt; messages: ConvertedMessage[] } {
  const lastUserAt = messages.findLastIndex(({ role }) => role === "user");
  const converted = messages.map((of, at): ConvertedMessage => {
    // Reasoning models need their reasoning back between the tool calls of one answer. Reasoning of earlier answers
    // costs tokens, and some providers refuse it, while others require it.
    const isLast = at > lastUserAt;
    // Chat completions take their data back in all later requests, and OpenRouter asks for that.
    const dataSource = isLast || isLenient ? source : undefined;
    const withReasoning = reasoning === "all" || (reasoning === "last-answer" && isLast);
    const as = toMessage(of, { withReasoning, source: dataSource });
    return { of, as: reasoning === "all" ? withReasoningField(as) : as };
  });
  if (isAskedToContinue)
    converted.push({
      of: undefined,
      as: { role: "user", content: [{ type: "text", text: continueRequest }] },
    });
  const prompt = withCallIds(
    converted.map(({ as }) => as),
    callIds,
  );
  return {
    prompt: isLenient ? withSystem(system, prompt) : instructionsFirst(system, prompt),
    messages: converted,
  };
}

/** The message with the field for its reasoning. Who requires that refuses a message without the field, but not an empty one. */
function withReasoningField(message: ChatMessage): ChatMessage {
  if (message.role !== "assistant") return message;
  if (message.providerOptions !== undefined) return message;
  if (message.content.some((part) => part.type === "reasoning" && part.text !== "")) return message;
  return { ...message, providerOptions: messageProviderOptions({ reasoning_content: "" }) };
}

function withSystem(system: string, prompt: ChatPrompt): ChatPrompt {
  return system === "" ? prompt : [{ role: "system", content: system }, ...prompt];
}

function instructionsFirst(system: string, prompt: ChatPrompt): ChatPrompt {
  const instructions = [
    system,
    ...prompt.flatMap((message) => (message.role === "system" ? [message.content] : [])),
  ]
    .filter((text) => text !== "")
    .join("\n\n");
  const others = prompt.filter(({ role, content }) => role !== "system" && content.length > 0);
  return instructions === "" ? others : [{ role: "system", content: instructions }, ...others];
}

export function toTools({ tools }: ModelRequest): NonNullable<ChatCall["tools"]> {
  return tools.map(({ name, description, parameters }) => ({
    type: "function",
    name,
    description,
    inputSchema: parameters as never,
  }));
}

export function toToolChoice({ toolChoice }: ModelRequest): Pick<ChatCall, "toolChoice"> {
  if (toolChoice === undefined) return {};
  return {
    toolChoice:
      typeof toolChoice === "string" ? { type: toolChoice } : { type: "tool", toolName: toolChoice.toolName },
  };
}

function toMessage(
  message: ModelMessage,
  { withReasoning, source }: { withReasoning: boolean; source?: string | undefined },
): ChatMessage {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.text };
    case "user":
      return { role: "user", content: message.parts.map(toUserPart) };
    case "assistant":
      return toAssistantMessage(withDataOf(message.parts, source), withReasoning);
    case "tool":
      return { role: "tool", content: message.results.map(toToolPart) };
  }
}

function toAssistantMessage(parts: readonly ModelAssistantPart[], withReasoning: boolean): ChatMessage {
  const fields = messageFields(parts);
  if (fields !== undefined) {
    // The fields have the reasoning, with its signatures.
    const content = parts.filter(({ type }) => type !== "reasoning").map(toAssistantPart);
    return { role: "assistant", content, providerOptions: messageProviderOptions(fields) };
  }
  const content = parts
    .filter(
      (part) =>
        part.type !== "reasoning" || part.providerData !== undefined || (withReasoning && part.text !== ""),
    )
    .map(toAssistantPart);
  return { role: "assistant", content };
}

function toAssistantPart(part: ModelAssistantPart): AssistantPart {
  const { providerData, ...rest } = part;
  const options = providerData === undefined ? {} : { providerOptions: providerData.data as never };
  if (rest.type !== "tool-call") return { ...rest, ...options };
  const { type, toolCallId, toolName, args: input } = rest;
  return { type, toolCallId, toolName, input, ...options };
}

function toToolPart({ toolCallId, toolName, result, isError, isDenied }: ModelToolResult): ToolPart {
  if (isDenied === true && typeof result === "string")
    return {
      type: "tool-result",
      toolCallId,
      toolName,
      output: { type: "execution-denied", reason: result },
    };
  // A string is sent unquoted: quotes and escapes would only cost tokens.
  const output =
    typeof result === "string"
      ? ({ type: isError ? "error-text" : "text", value: result } as const)
      : ({ type: isError ? "error-json" : "json", value: result } as const);
  return {
    type: "tool-result",
    toolCallId,
    toolName,
    output: output as Extract<ToolPart, { type: "tool-result" }>["output"],
  };
}

function toUserPart(part: ModelUserPart): UserPart {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "document") return { type: "text", text: documentPrompt(part) };
  if (part.type === "unread-file") return { type: "text", text: unreadFilePrompt(part) };
  const { mediaType, filename } = part;
  const url = httpUrl(part.data);
  const kind = mediaType.split("/")[0];
  if (url !== undefined) {
    // Providers fetch only images by URL.
    return kind === "image" ? { type: "file", mediaType, data: { type: "url", url } } : unreadable(part);
  }
  const data = base64Of(part.data);
  if (data === undefined) return unreadable(part);
  if (isText(mediaType)) {
    const text = Buffer.from(data, "base64").toString("utf8");
    return { type: "text", text: `[File ${filename ?? "without a name"}, ${mediaType}]\n${text}` };
  }
  const isAccepted = kind === "image" || mediaType === "application/pdf" || audioTypes.has(mediaType);
  if (!isAccepted) return unreadable(part);
  return {
    type: "file",
    mediaType: mediaType === "audio/x-wav" ? "audio/wav" : mediaType,
    data: { type: "data", data },
    ...(filename === undefined ? {} : { filename }),
  };
}

const audioTypes = new Set(["audio/wav", "audio/x-wav", "audio/mp3", "audio/mpeg"]);

const textTypes =
  /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|toml|sql|javascript|typescript|x-sh|[\w.-]+\+(?:json|xml))$)/;

function isText(mediaType: string): boolean {
  return textTypes.test(mediaType);
}

function unreadable({ filename, mediaType }: Extract<ModelUserPart, { type: "file" }>): UserPart {
  return {
    type: "text",
    text: `[File ${filename ?? "without a name"}, ${mediaType}: its content cannot be shown to you]`,
  };
}

function httpUrl(data: string): URL | undefined {
  return /^https?:\/\//i.test(data) && URL.canParse(data) ? new URL(data) : undefined;
}
