import type { JsonObject } from "#contract/json.ts";
import type { CallFailure } from "#web/data/call-error.ts";

/** A file of an unsent message. */
export type Upload = {
  id: string;
  /** The thread, `new` for the new chat, or `temporary` for a temporary one. */
  topic: string;
  name: string;
  /** The media type that the browser reports; may be empty. */
  type: string;
  sizeBytes: number;
  /** Grows with each file that is added, also within a millisecond. */
  addedAtMs: number;
  state: "waiting" | "uploading" | "ready" | "failed";
  sentBytes: number;
  /** The URL of the uploaded file. */
  address?: string;
  failure?: CallFailure;
};

/** Formats that every browser shows; other pictures are sent as files. */
const imageTypes = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/;

export function isImageType(type: string): boolean {
  return imageTypes.test(type);
}

/** The message part for the file; `undefined` until it is uploaded. */
export function uploadPart({ name, type, address }: Upload): JsonObject | undefined {
  if (address === undefined) return undefined;
  return isImageType(type)
    ? { type: "image", image: address, filename: name }
    : { type: "file", data: address, mimeType: type || "application/octet-stream", filename: name };
}
