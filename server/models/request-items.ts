import type { UnreadReason } from "#contract/parts/unread-files.ts";

/** A piece of a request to a model: where it is from, its size and its hash, but not its content. */
export type RequestItem = {
  kind: "instructions" | "tool" | "message" | "reasoning" | "file" | "tool-call" | "tool-result";
  role?: "system" | "user" | "assistant" | "tool";
  /** The id of the stored message. */
  message?: string;
  /** The id of the stored file. */
  file?: string;
  page?: number;
  toolName?: string;
  toolCallId?: string;
  /** The size of its text or of its base64 in UTF-8, without the syntax of the request. */
  bytes: number;
  /** SHA-256 of these bytes in base64url. */
  sha256: string;
  /** An estimate; null for pictures and sounds. */
  tokens: number | null;
  /** Why it is not in the request, or only a note about it or a part of it. */
  leftOut?: LeftOutReason;
};

export type LeftOutReason = UnreadReason | "earlier-reasoning" | "tools-refused";
