import { Buffer } from "node:buffer";
import { documentWords, unreadWords } from "#server/parts/file-words.ts";
import type {
  ModelAssistantPart,
  ModelMessage,
  ModelRequest,
  ModelToolResult,
  ModelUserPart,
} from "../../model.ts";
import type { ChatCall, ChatMessage, ChatPrompt } from "./sdk.ts";

type UserPart = Extract<ChatMessage, { role: "user" }>["content"][number];
type AssistantPart = Extract<ChatMessage, { role: "assistant" }>["content"][number];
type ToolPart = Extract<ChatMessage, { role: "tool" }>["content"][number];

const goOn =
  "Your last message was broken off. Go on exactly where it stopped: begin with the very next word, repeat nothing, and do not mention the interruption.";

/**
 * The conversation in the library's shape. A file that no provider of this protocol takes becomes a line of text that
 * names it, for one odd attachment must not end a thread.
 */
export function toPrompt({ system, messages, goesOn }: ModelRequest, withReasoning: boolean): ChatPrompt {
  const lastUserAt = messages.findLastIndex(({ role }) => role === "user");
  const prompt = messages.map((message, at) =>
    // Providers that think want their thoughts back within one answer, between its tool calls; of earlier answers
    // thoughts cost tokens, and some providers refuse them.
    toMessage(message, withReasoning && at > lastUserAt),
  );
  // Few servers of this protocol go on with an assistant's message that stands last; all of them take a request.
  if (goesOn === true) prompt.push({ role: "user", content: [{ type: "text", text: goOn }] });
  return system === undefined || system === "" ? prompt : [{ role: "system", content: system }, ...prompt];
}

export function toTools({ tools }: ModelRequest): NonNullable<ChatCall["tools"]> {
  return tools.map(({ name, description, parameters }) => ({
    type: "function",
    name,
    description,
    inputSchema: parameters as never,
  }));
}

function toMessage(message: ModelMessage, withReasoning: boolean): ChatMessage {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.text };
    case "user":
      return { role: "user", content: message.parts.map(toUserPart) };
    case "assistant":
      return {
        role: "assistant",
        content: message.parts
          .filter((part) => withReasoning || part.type !== "reasoning")
          .map(toAssistantPart),
      };
    case "tool":
      return { role: "tool", content: message.results.map(toToolPart) };
  }
}

function toAssistantPart(part: ModelAssistantPart): AssistantPart {
  if (part.type !== "tool-call") return part;
  return { type: "tool-call", toolCallId: part.toolCallId, toolName: part.toolName, input: part.args };
}

function toToolPart({ toolCallId, toolName, result, isError, isDenied }: ModelToolResult): ToolPart {
  if (isDenied === true && typeof result === "string")
    return {
      type: "tool-result",
      toolCallId,
      toolName,
      output: { type: "execution-denied", reason: result },
    };
  // A string is told as it is: quotes and escapes around it would only cost tokens.
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
  if (part.type === "text") return part;
  if (part.type === "document") return { type: "text", text: documentWords(part) };
  if (part.type === "unread-file") return { type: "text", text: unreadWords(part) };
  const { mediaType, filename } = part;
  const address = httpAddress(part.data);
  const kind = mediaType.split("/")[0];
  if (address !== undefined) {
    // Only pictures may be given by address; the provider fetches them.
    return kind === "image"
      ? { type: "file", mediaType, data: { type: "url", url: address } }
      : unreadable(part);
  }
  const data = base64Of(part.data);
  if (data === undefined) return unreadable(part);
  if (isText(mediaType)) {
    const words = Buffer.from(data, "base64").toString("utf8");
    return { type: "text", text: `[File ${filename ?? "without a name"}, ${mediaType}]\n${words}` };
  }
  const taken = kind === "image" || mediaType === "application/pdf" || audioTypes.has(mediaType);
  if (!taken) return unreadable(part);
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

function httpAddress(data: string): URL | undefined {
  return /^https?:\/\//i.test(data) && URL.canParse(data) ? new URL(data) : undefined;
}

/** The base64 of a data URL or of bare base64; `undefined` for anything else, such as an address within our server. */
function base64Of(data: string): string | undefined {
  if (!data.startsWith("data:")) {
    // An address such as /v1/files/7 is made of the same characters; a JPEG's base64 begins with /9j/.
    const bytes = data.replace(/\s+/g, "");
    return /^[A-Za-z0-9+/]+={0,2}$/.test(bytes) && bytes.length % 4 === 0 && !/^\/(?!9j)\w+\//.test(bytes)
      ? bytes
      : undefined;
  }
  const comma = data.indexOf(",");
  if (comma === -1) return undefined;
  const content = data.slice(comma + 1);
  if (/;base64$/i.test(data.slice(0, comma))) return content;
  try {
    return Buffer.from(decodeURIComponent(content)).toString("base64");
  } catch {
    return undefined;
  }
}
