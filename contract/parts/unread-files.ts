/**
 * The name of the data part at the start of an answer whose model did not get all files of the conversation. Its data
 * is a list of `UnreadFile`. It is for people; the model gets a separate text.
 */
export const unreadFilesName = "unread-files";

/** Why the model did not get a file, or not all of it. */
export const unreadReasons = [
  /** Deleted, never uploaded, or not in this workspace. */
  "gone",
  /** The server supports no such type. */
  "kind",
  /** The model supports no such type. */
  "model",
  /** The provider rejected the request with it. */
  "refused",
  /** Encrypted with a password. */
  "locked",
  /** Damaged, or not of the type that its name suggests. */
  "damaged",
  /** Larger than the limits for unpacking or rendering. */
  "too-large",
  /** Scanned pages without text, and the model supports no images. */
  "no-text",
  /** Only images, which are not extracted from this type of file. */
  "only-pictures",
  /** Some pages are scans without text, which the model did not get. */
  "scanned",
  /** The model got the text that was recognized in its pictures, instead of the pictures. */
  "recognized",
  /** Newer files used the whole token budget. */
  "no-room",
  /** The model got only the beginning. */
  "partly",
  /** A remote URL, which the server does not fetch by itself. */
  "elsewhere",
  /** Temporarily unavailable. */
  "away",
] as const;

export type UnreadReason = (typeof unreadReasons)[number];

/** `extra`: administrators can add it, and then the file's text is recognized. */
export type UnreadFile = { name: string; reason: UnreadReason; extra?: "ocr" };

export function isUnreadFilesPart<Part extends { type: string; name?: string; data?: unknown }>(
  part: Part,
): part is Part & { data: unknown[] } {
  return part.type === "data" && part.name === unreadFilesName && Array.isArray(part.data);
}
