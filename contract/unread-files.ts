/**
 * What an answer begins with where a model was not given all files of its conversation: a data part of this name, whose
 * data is a list of `UnreadFile`. It is for people; the model is told in its own way.
 */
export const unreadFilesName = "unread-files";

/** Why a file was not given, or not all of it. */
export const unreadReasons = [
  /** It is not there: deleted, never sent, or not of this workspace. */
  "gone",
  /** Nothing here reads this kind. */
  "kind",
  /** This model reads no such kind. */
  "model",
  /** The model's provider refused the question with it. */
  "refused",
  /** It opens only with a password. */
  "locked",
  /** It is not what it says, or broken. */
  "damaged",
  /** It holds more than is unpacked or drawn. */
  "too-large",
  /** It has pictures of text and no text, and this model reads no pictures. */
  "no-text",
  /** It has pictures and no text, and pictures within files of its kind are not taken out. */
  "only-pictures",
  /** Some of its pages are pictures without text, which the model was not given. */
  "scanned",
  /** Newer files took all the room that the request has. */
  "no-room",
  /** Its beginning was given. */
  "partly",
  /** It stands at an address elsewhere, which the server does not fetch unasked. */
  "elsewhere",
  /** It cannot be read at the moment. */
  "away",
] as const;

export type UnreadReason = (typeof unreadReasons)[number];

export type UnreadFile = { name: string; reason: UnreadReason };
