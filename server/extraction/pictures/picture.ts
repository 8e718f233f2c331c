import type { UnreadReason } from "#contract/unread-files.ts";

/** An image that a model or a person can be shown. */
export type Picture = {
  mediaType: "image/png" | "image/jpeg" | "image/webp";
  bytes: Uint8Array;
  /** The number of pages, if the original has several; this is the first. */
  pages?: number;
};

/** What the server sends to the child process. `edge` is the largest width and height, in pixels. */
export type Task = { id: number; bytes: Uint8Array; edge: number; to: "prepare" | "shrink" };

/** What the child process replies. */
export type Told = { id: number } & (Picture | { reason: UnreadReason; cause: string });
