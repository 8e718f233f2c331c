import { textNames } from "../files/uploads/text-names.ts";

/** How a file is prepared for a model. */
export type FileKind = "picture" | "pdf" | "text" | "office" | "audio" | "locked" | "none";

const officeTypes =
  /^application\/vnd\.(?:openxmlformats-officedocument\.|ms-(?:excel|word|powerpoint)\..*macroenabled|oasis\.opendocument\.(?:text|spreadsheet|presentation))/i;
const officeNames = /\.(?:docx|docm|dotx|xlsx|xlsm|xltx|pptx|pptm|potx|ppsx|odt|ott|ods|ots|odp|otp)$/i;
const archiveTypes = new Set(["application/zip", "application/octet-stream"]);

const textTypes =
  /^(?:text\/(?!rtf$)|image\/svg\+xml$|application\/(?:json|jsonl|xml|yaml|x-yaml|toml|sql|javascript|typescript|x-sh|x-ndjson|[\w.-]+\+(?:json|xml))$)/i;
/** `type` is what the bytes show. `name` decides only if they show nothing. */
export function kindOf(type: string, name: string): FileKind {
  if (textTypes.test(type)) return "text";
  if (type.startsWith("image/")) return "picture";
  if (type === "application/pdf") return "pdf";
  if (type.startsWith("audio/")) return "audio";
  if (officeTypes.test(type) || (archiveTypes.has(type) && officeNames.test(name))) return "office";
  // Office stores password-protected documents in the container of its old formats.
  if (type === "application/x-cfb" && officeNames.test(name)) return "locked";
  return type === "application/octet-stream" && textNames.test(name) ? "text" : "none";
}

/** The type of sound that models accept; `undefined` for other sounds. */
export function soundTypeOf(type: string): "audio/mpeg" | "audio/wav" | undefined {
  if (/^audio\/(?:mpeg|mp3)$/.test(type)) return "audio/mpeg";
  return /^audio\/(?:wav|x-wav|vnd\.wave|wave)$/.test(type) ? "audio/wav" : undefined;
}
