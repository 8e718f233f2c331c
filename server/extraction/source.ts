import { createHash } from "node:crypto";
import { filesNamedIn } from "../files/serving/addresses.ts";
import type { Contents, StoredFile } from "../files/contents.ts";
import { typeOfBytes, sniffBytes } from "../files/uploads/sniff.ts";
import type { ModelUserPart } from "../parts/model-message.ts";

export type FilePart = Extract<ModelUserPart, { type: "file" }>;

/** A file that can be read, wherever its bytes are. */
export type Source = {
  name: string;
  /** What the bytes show. */
  type: string;
  sizeBytes: number;
  sha256: string;
  /** Under which its text is kept; absent for what stands in a message itself. */
  blobKey?: string;
  /** Under which what was made of it is at hand: nobody learns by the time it takes what another workspace has. */
  atHandKey: string;
  /** Its first bytes. Throws what the store throws, and the signal's reason. */
  bytes(maxBytes: number, signal: AbortSignal): Promise<Uint8Array>;
};

/**
 * The file of ours that an address names, wherever the address says that it is: a server is moved, and has several
 * names. Whether it is there and whose it is, is asked with the workspace.
 */
export function fileIdOf({ data }: FilePart): string | undefined {
  if (data.length > 2_048 || data.startsWith("data:")) return undefined;
  const named = filesNamedIn(data);
  return named.length === 1 ? named[0]!.id : undefined;
}

/** The page of ours that an address names, among those that were drawn of a PDF; whether it opens is asked for. */
export function pageIdOf({ data }: FilePart): string | undefined {
  if (data.length > 2_048 || data.startsWith("data:")) return undefined;
  return /\/v1\/pages\/([0-9a-f]{40}\.\d+\.\d+\.[\w-]+\.(?:png|webp))$/.exec(data)?.[1];
}

export function pageSource(
  name: string,
  { type, bytes }: { type: string; bytes: Buffer },
  workspaceId: string,
): Source {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return {
    name,
    type,
    sizeBytes: bytes.length,
    sha256,
    atHandKey: `${workspaceId} ${sha256}`,
    bytes: (maxBytes) => Promise.resolve(bytes.subarray(0, maxBytes)),
  };
}

export function isAddress({ data }: FilePart): boolean {
  return /^(?:https?:)?\/\//i.test(data);
}

export function storedSource(contents: Contents, file: StoredFile): Source {
  return {
    name: file.name,
    type: file.type,
    sizeBytes: file.size_bytes,
    sha256: file.sha256,
    blobKey: file.blob_key,
    atHandKey: file.blob_key,
    bytes: async (maxBytes, signal) => await contents.bytes(file, { maxBytes, signal }),
  };
}

/** What stands in a message itself, as a data URL or in base64; `undefined` where it is neither. */
export async function inlineSource(
  { data, filename }: FilePart,
  workspaceId: string,
): Promise<Source | undefined> {
  const bytes = bytesOf(data);
  if (bytes === undefined) return undefined;
  const name = filename ?? "";
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return {
    name,
    type: await typeOfBytes(bytes.subarray(0, sniffBytes), name),
    sizeBytes: bytes.length,
    sha256,
    atHandKey: `${workspaceId} ${sha256}`,
    bytes: (maxBytes) => Promise.resolve(bytes.subarray(0, maxBytes)),
  };
}

function bytesOf(data: string): Buffer | undefined {
  if (!data.startsWith("data:")) {
    const bare = data.replace(/\s+/g, "");
    // A path is made of the same characters; a JPEG's base64 begins with /9j/.
    return /^[A-Za-z0-9+/]+={0,2}$/.test(bare) && bare.length % 4 === 0 && !/^\/(?!9j)\w+\//.test(bare)
      ? Buffer.from(bare, "base64")
      : undefined;
  }
  const comma = data.indexOf(",");
  if (comma === -1) return undefined;
  if (/;base64$/i.test(data.slice(0, comma))) return Buffer.from(data.slice(comma + 1), "base64");
  try {
    return Buffer.from(decodeURIComponent(data.slice(comma + 1)));
  } catch {
    return undefined;
  }
}
