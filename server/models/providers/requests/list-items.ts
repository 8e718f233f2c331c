import { hash } from "node:crypto";
import type { ModelRequest, ModelMessage, ModelUserPart } from "../../model.ts";
import type { RequestItem } from "../../request-items.ts";
import type { ConvertedMessage } from "./prompt.ts";
import { fieldsOf } from "./provider-data.ts";
import type { ChatMessage } from "./sdk.ts";

/**
 * What a request contains and what it leaves out. Tools come before the messages, as in the prompts that providers cache, so
 * that the requests of a thread begin alike.
 */
export function listItems(
  { system = "", tools }: ModelRequest,
  messages: readonly ConvertedMessage[],
  { areToolsSent }: { areToolsSent: boolean },
): RequestItem[] {
  return [
    ...(system === "" ? [] : [itemOf("instructions", system, { role: "system" })]),
    ...tools.map((tool) =>
      itemOf("tool", JSON.stringify(tool), {
        toolName: tool.name,
        ...(areToolsSent ? {} : { leftOut: "tools-refused" }),
      }),
    ),
    ...messages.flatMap(({ of, as }) => messageItems(of, as)),
  ];
}

function messageItems(of: ModelMessage | undefined, as: ChatMessage): RequestItem[] {
  const from = {
    role: as.role,
    ...(of?.messageId === undefined ? {} : { message: of.messageId }),
  } as const;
  switch (as.role) {
    case "system":
      return [itemOf("message", as.content, from)];
    case "user":
      return as.content.map((part, at) => {
        const source = of?.role === "user" ? of.parts[at] : undefined;
        const text = part.type === "text" ? part.text : dataOf(part.data);
        const item = itemOf(isOfFile(source) ? "file" : "message", text, { ...from, ...fileOf(source) });
        return part.type === "text" ? item : { ...item, tokens: null };
      });
    case "assistant": {
      const items = as.content.map((part) => {
        if (part.type === "text") return itemOf("message", part.text, from);
        if (part.type === "reasoning") return itemOf("reasoning", part.text, from);
        if (part.type !== "tool-call") return itemOf("message", JSON.stringify(part), from);
        const { toolName, toolCallId, input } = part;
        return itemOf("tool-call", JSON.stringify(input) ?? "", { ...from, toolName, toolCallId });
      });
      const hasReasoning = of?.role === "assistant" && of.parts.some(({ type }) => type === "reasoning");
      const { reasoning_details: details } = fieldsOf(as) ?? {};
      if (details !== undefined) items.unshift(itemOf("reasoning", JSON.stringify(details), from));
      const isSent = items.some(({ kind }) => kind === "reasoning");
      const leftOut = itemOf("reasoning", "", { ...from, leftOut: "earlier-reasoning" });
      return hasReasoning && !isSent ? [leftOut, ...items] : items;
    }
    case "tool":
      return as.content.flatMap((part) => {
        if (part.type !== "tool-result") return [];
        const { toolName, toolCallId, output } = part;
        return [itemOf("tool-result", resultText(output), { ...from, toolName, toolCallId })];
      });
  }
}

function isOfFile(part: ModelUserPart | undefined): boolean {
  return part !== undefined && (part.type !== "text" || part.file !== undefined);
}

function fileOf(part: ModelUserPart | undefined): Partial<RequestItem> {
  if (part === undefined) return {};
  const { id, page } = part.file ?? {};
  return {
    ...(id === undefined ? {} : { file: id }),
    ...(page === undefined ? {} : { page }),
    ...(part.type === "unread-file" ? { leftOut: part.reason } : {}),
    ...(part.type === "document" && part.recognizedPages !== undefined ? { leftOut: "recognized" } : {}),
    ...(part.type === "document" && part.isCut === true ? { leftOut: "partly" } : {}),
  };
}

type FilePart = Extract<Extract<ChatMessage, { role: "user" }>["content"][number], { type: "file" }>;

function dataOf(data: FilePart["data"]): string {
  if (data.type === "url") return data.url.href;
  return data.type === "data" && typeof data.data === "string" ? data.data : JSON.stringify(data);
}

type ResultPart = Extract<Extract<ChatMessage, { role: "tool" }>["content"][number], { type: "tool-result" }>;

function resultText(output: ResultPart["output"]): string {
  if (output.type === "execution-denied") return output.reason ?? "";
  return typeof output.value === "string" ? output.value : JSON.stringify(output.value);
}

/** English has about four characters per token; other scripts have more bytes per character. */
const bytesPerToken = 4;

function itemOf(kind: RequestItem["kind"], text: string, from: Partial<RequestItem>): RequestItem {
  const bytes = Buffer.byteLength(text);
  const sha256 = hash("sha256", text, "base64url");
  return { kind, ...from, bytes, sha256, tokens: Math.ceil(bytes / bytesPerToken) };
}
