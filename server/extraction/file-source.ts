import { createHash } from "node:crypto";
import { base64Of } from "../lib/base64.ts";
import { findFileUrls } from "../lib/file-urls/file-urls.ts";
import type { Contents, StoredFile } from "../files/contents.ts";
import { typeOfBytes, sniffBytes } from "../files/uploads/sniff.ts";
import type { ModelUserPart } from "../parts/model-message.ts";

export type FilePart = Extract<ModelUserPart, { type: "file" }>;

/** A file to extract from, wherever its bytes are. */
export type FileSource = {
  name: string;
  /** The type that the bytes show. */
  type: string;
  sizeBytes: number;
  sha256: string;
  /** The key under which the file's text is stored. Absent if the file is inside a message. */
  blobKey?: string;
  /** Contains the workspace, so that response times do not reveal what another workspace has. */
  cacheKey: string;
  /** Its first bytes. Throws what the blob store throws, and the signal's reason. */
  bytes(maxBytes: number, signal: AbortSignal): Promise<Uint8Array>;
};

/**
 * The id of the stored file that a URL names, whatever its host: a server may move or have several names. The caller
 * checks the workspace.
 */
export function fileIdOf({ data }: FilePart): string | undefined {
  if (data.length > 2_048 || data.startsWith("data:")) return undefined;
  const named = findFileUrls(data);
  return named.length === 1 ? named[0]!.id : undefined;
}

/** The id of the PDF page that a URL names. The caller checks whether the page can be opened. */
export function pageIdOf({ data }: FilePart): string | undefined {
  if (data.length > 2_048 || data.startsWith("data:")) return undefined;
  return /\/v1\/pages\/([0-9a-f]{40}\.\d+\.\d+\.[\w-]+\.(?:png|webp))$/.exec(data)?.[1];
}

/** A file whose bytes are in memory. */
export function memorySource(
  name: string,
  { type, bytes }: { type: string; bytes: Buffer },
  workspaceId: string,
): FileSource {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return {
    name,
    type,
    sizeBytes: bytes.length,
    sha256,
    cacheKey: `${workspaceId} ${sha256}`,
    bytes: (maxBytes) => Promise.resolve(bytes.subarray(0, maxBytes)),
  };
}

export function isUrl({ data }: FilePart): boolean {
  return /^(?:https?:)?\/\//i.test(data);
}

export function storedSource(contents: Contents, file: StoredFile): FileSource {
  return {
    name: file.name,
    type: file.type,
    sizeBytes: file.size_bytes,
    sha256: file.sha256,
    blobKey: file.blob_key,
    cacheKey: file.blob_key,
    bytes: async (maxBytes, signal) => await contents.bytes(file, { maxBytes, signal }),
  };
}

/** A file inside a message, as a data URL or as base64; `undefined`: it is neither. */
export async function inlineSource(
  { data, filename }: FilePart,
  workspaceId: string,
): Promise<FileSource | undefined> {
  const base64 = base64Of(data);
  if (base64 === undefined) return undefined;
  const bytes = Buffer.from(base64, "base64");
  const name = filename ?? "";
  const type = await typeOfBytes(bytes.subarray(0, sniffBytes), name);
  return memorySource(name, { type, bytes }, workspaceId);
}
