import type { UnreadReason } from "#contract/parts/unread-files.ts";

/** An image that a model or a person can be shown. */
export type Picture = {
  mediaType: "image/png" | "image/jpeg" | "image/webp";
  bytes: Uint8Array;
  /** The number of pages, if the original has several; this is the first. */
  pages?: number;
};

/** `edge` is the largest width and height of the result, in pixels. */
export type PictureTask = { action: "prepare" | "shrink"; bytes: Uint8Array; edge: number };

/** What the child process replies. */
export type PictureOutcome = Picture | { reason: UnreadReason; cause: string };
