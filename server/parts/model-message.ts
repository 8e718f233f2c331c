import type { Json, JsonObject } from "#contract/json.ts";
import type { UnreadReason } from "#contract/parts/unread-files.ts";

/** A message as models read it, the same for every provider. Stored messages are converted to this. */
export type ModelMessage = {
  /** The stored message that it is from, for the receipt. */
  messageId?: string;
  /** A person pinned it: it is never left out. */
  isPinned?: true;
} & (
  | { role: "system"; text: string }
  | { role: "user"; parts: ModelUserPart[] }
  | { role: "assistant"; parts: ModelAssistantPart[] }
  | { role: "tool"; results: ModelToolResult[] }
);

export type ModelUserPart = {
  /** The stored file that it is from, and the page if it is a picture of one, for the receipt. */
  file?: { id?: string; page?: number };
} & (
  | { type: "text"; text: string }
  /** `data` is base64, a data URL or a URL. */
  | { type: "file"; data: string; mediaType: string; filename?: string }
  | ModelDocument
  | ModelUnreadFile
);

/** A file whose text the model reads, or the beginning of its text. */
export type ModelDocument = {
  type: "document";
  name: string;
  mediaType: string;
  sizeBytes: number;
  /** Pages are separated by form feeds. */
  text: string;
  pages?: number;
  /** `text` is only the beginning. */
  isCut?: true;
  /** On how many pages the text is recognized from a picture. */
  recognizedPages?: number;
};

/** A file that the model does not read. */
export type ModelUnreadFile = {
  type: "unread-file";
  name: string;
  mediaType: string;
  sizeBytes?: number;
  reason: UnreadReason;
};

export type ModelAssistantPart = { providerData?: ProviderData } & (
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "tool-call"; toolCallId: string; toolName: string; args: Json }
);

/**
 * What a provider requires back with a part that its model made, such as the signature of its reasoning. It is only for
 * `source`: the host and the model that it came from.
 */
export type ProviderData = { source: string; data: JsonObject };

export type ModelToolResult = {
  toolCallId: string;
  toolName: string;
  result: Json;
  isError: boolean;
  /** A person denied the call. `result` says so in words. */
  isDenied?: true;
  /** Whose text `result` is, if strangers wrote it. It is marked as theirs (`quotedResult`). */
  from?: string;
};
