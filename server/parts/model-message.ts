import type { Json } from "#contract/json.ts";
import type { UnreadReason } from "#contract/unread-files.ts";

/** A conversation as models are given it, whatever their provider: what stored messages are turned into. */
export type ModelMessage =
  | { role: "system"; text: string }
  | { role: "user"; parts: ModelUserPart[] }
  | { role: "assistant"; parts: ModelAssistantPart[] }
  | { role: "tool"; results: ModelToolResult[] };

export type ModelUserPart =
  | { type: "text"; text: string }
  /** `data` is base64, a data URL or an address. */
  | { type: "file"; data: string; mediaType: string; filename?: string }
  | ModelDocument
  | ModelUnreadFile;

/** A file whose content is given as text, in whole or in part. */
export type ModelDocument = {
  type: "document";
  name: string;
  mediaType: string;
  sizeBytes: number;
  /** Pages stand between form feeds. */
  text: string;
  pages?: number;
  /** Only the beginning of it is here. */
  isCut?: true;
};

/** A file whose content is not given. */
export type ModelUnreadFile = {
  type: "unread-file";
  name: string;
  mediaType: string;
  sizeBytes?: number;
  reason: UnreadReason;
};

export type ModelAssistantPart =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "tool-call"; toolCallId: string; toolName: string; args: Json };

export type ModelToolResult = {
  toolCallId: string;
  toolName: string;
  result: Json;
  isError: boolean;
  /** A person did not allow the call; `result` says so in words. */
  isDenied?: true;
};
