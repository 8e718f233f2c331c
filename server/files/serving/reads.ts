import type { ResponseOf, BodyOf } from "#contract/api.ts";
import { limits } from "#contract/limits.ts";
import { BlobMissingError, type Blobs } from "#storage/blobs/blobs.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Logger } from "#server/lib/logger.ts";
import { ByteAnswer, type RequestFacts, type Visitor } from "#server/lib/route.ts";
import { noSecret, readAddress, type Addresses } from "./addresses.ts";
import type { FindStored } from "../uploads/bucket-arrivals.ts";
import { fileIdOf, keyOf } from "../uploads/attachment-key.ts";
import type { StoredFile } from "../rows.ts";
import { headOf, type OpenedBy, type Wanted } from "./serving.ts";

/** Files on their way out. */
export type Reads = {
  /** The file of an address: of its secret, or of a signature that has not expired. Throws `file-not-found`, `link-expired`. */
  linked(id: string, link: Link): Promise<StoredFile>;
  /** A file of the visitor's workspace. Throws `file-not-found`. */
  ofWorkspace(visitor: Visitor, id: string): Promise<StoredFile>;
  /** For whoever has the address. Throws what `linked` throws. */
  open(id: string, link: Link, download: boolean, request: RequestFacts): Promise<ByteAnswer>;
  /** For whoever acts in the file's workspace. Throws `file-not-found`. */
  read(visitor: Visitor, id: string, download: boolean, request: RequestFacts): Promise<ByteAnswer>;
  /** An address that opens a file of the workspace for 15 minutes. Throws `file-not-found`. */
  sign(
    visitor: Visitor,
    named: BodyOf<"files.download">,
    base: string,
  ): Promise<ResponseOf<"files.download">>;
};

/** What an address says: its place for a secret, and what may stand behind it. */
export type Link = {
  place: string;
  expires: number | undefined;
  signature: string | undefined;
};

export function createReads(options: {
  blobs: Blobs;
  clock: Clock;
  logger: Logger;
  addresses: Addresses;
  find: FindStored;
  /** An address that opens the file for 15 minutes. */
  address: (base: string, file: StoredFile) => string;
  /** Whether the file's secret alone opens nothing. */
  signedReads: boolean;
}): Reads {
  const { blobs, clock, logger, addresses, find, address, signedReads } = options;

  async function ofWorkspace(visitor: Visitor, id: string | undefined): Promise<StoredFile> {
    const file = id === undefined ? undefined : await find(id);
    if (file?.workspace_id !== visitor.workspaceId) throw new AppError("file-not-found");
    return file;
  }

  function answer(file: StoredFile, wanted: Wanted, openedBy: OpenedBy, download: boolean): ByteAnswer {
    const served = {
      name: file.name,
      type: file.type,
      sizeBytes: file.size_bytes,
      tag: file.sha256.slice(0, 32),
    };
    const { status, headers, range } = headOf(served, wanted, openedBy, download);
    if (range === undefined) return new ByteAnswer(status, headers, undefined);
    return new ByteAnswer(status, headers, async (signal) => {
      try {
        return await blobs.read(file.blob_key, { range, signal });
      } catch (error) {
        if (!(error instanceof BlobMissingError)) throw error;
        logger.error({ err: error, fileId: file.id }, "the bytes of a file are gone");
        throw new AppError("file-not-found", { cause: error });
      }
    });
  }

  async function linked(id: string, { place, expires, signature }: Link): Promise<StoredFile> {
    const isSigned =
      expires !== undefined &&
      signature !== undefined &&
      addresses.isSigned(id, place, { expires, signature });
    if (place === noSecret && !isSigned) throw new AppError("file-not-found");
    const file = await find(id);
    if (file === undefined || (place !== noSecret && !sameText(place, file.secret)))
      throw new AppError("file-not-found");
    const needsSignature = signedReads || place === noSecret;
    if (needsSignature && (!isSigned || expires <= clock.now())) throw new AppError("link-expired");
    return file;
  }

  return {
    linked,
    ofWorkspace,

    open: async (id, link, download, request) => answer(await linked(id, link), request, "address", download),

    read: async (visitor, id, download, request) =>
      answer(await ofWorkspace(visitor, id), request, "credential", download),

    async sign(visitor, { key, url }, base) {
      const named = url === undefined ? undefined : readAddress(url);
      const file = await ofWorkspace(
        visitor,
        key === undefined ? named?.id : fileIdOf(key, visitor.projectId),
      );
      const isMeant = key === undefined ? named?.secret === file.secret : key === keyOf(file);
      if (!isMeant) throw new AppError("file-not-found");
      return {
        signedUrl: address(base, file),
        expiresAt: new Date(clock.now() + limits.fileLinkMs).toISOString(),
        key: keyOf(file),
      };
    },
  };
}

/** In a time that does not tell how much of it is right. */
function sameText(given: string, right: string): boolean {
  let difference = given.length ^ right.length;
  for (let at = 0; at < right.length; at++) difference |= given.charCodeAt(at) ^ right.charCodeAt(at);
  return difference === 0;
}
