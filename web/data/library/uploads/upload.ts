import type { JsonObject } from "#contract/json.ts";
import type { Failure } from "#web/data/failure.ts";

/** A file on its way into a message that is being written. */
export type Upload = {
  id: string;
  /** Where it is being written: a thread, or `new` for the new chat. */
  topic: string;
  name: string;
  /** As the browser knows it; may be empty. */
  type: string;
  sizeBytes: number;
  state: "waiting" | "uploading" | "ready" | "failed";
  sentBytes: number;
  /** The address under which the service keeps it, once it does. */
  address?: string;
  failure?: Failure;
};

/** Pictures that every browser draws; others go as files. */
const drawn = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/;

export function isDrawn(type: string): boolean {
  return drawn.test(type);
}

/** What becomes of it in the message; `undefined` before it is there. */
export function partOfUpload({ name, type, address }: Upload): JsonObject | undefined {
  if (address === undefined) return undefined;
  return isDrawn(type)
    ? { type: "image", image: address, filename: name }
    : { type: "file", data: address, mimeType: type || "application/octet-stream", filename: name };
}
