import type { ResponseOf, BodyOf } from "#contract/api.ts";
import { limits } from "#contract/limits.ts";
import { BlobMissingError, type Blobs } from "#storage/blobs/blobs.ts";
import { type Clock, isoTime } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Logger } from "#server/lib/logger.ts";
import { FileResponse, type RequestFacts, type Visitor } from "#server/lib/route.ts";
import { signedMarker, parseFileUrl, type FileUrls, fileIdOf, keyOf } from "../../lib/file-urls/file-urls.ts";
import { isSameSecret } from "#server/sign-in/secrets.ts";
import type { FindFile } from "../uploads/bucket-uploads.ts";
import type { StoredFile } from "../rows.ts";
import { responseHead, type OpenedBy, type ConditionalHeaders } from "./serving.ts";

/** The parts of a file's URL. `place` is the secret or `signedMarker`. */
export type Link = {
  place: string;
  expires: number | undefined;
  signature: string | undefined;
};

export type Downloads = ReturnType<typeof createDownloads>;

export function createDownloads(options: {
  blobs: Blobs;
  clock: Clock;
  logger: Logger;
  urls: FileUrls;
  find: FindFile;
  /** A URL that opens the file for 15 minutes. */
  temporaryUrl: (base: string, file: StoredFile) => string;
  /** Whether the file's secret without a signature opens nothing. */
  signedReads: boolean;
}) {
  const { blobs, clock, logger, urls, find, temporaryUrl, signedReads } = options;

  /**
   * Whether the visitor may get a new URL for one that this server signed, though the file is another workspace's: the API
   * keys of an app act for all of its workspaces.
   */
  function mayRenew({ kind, appId }: Visitor, file: StoredFile, url: string): boolean {
    const expires = Number(/[?&]expires=(\d+)/.exec(url)?.[1]);
    const signature = /[?&]signature=([\w-]+)/.exec(url)?.[1] ?? "";
    const isOfApp = kind === "key" && file.app_id === appId;
    return isOfApp && urls.isSigned(file.id, file.secret, { expires, signature });
  }

  async function ofWorkspace(
    visitor: Pick<Visitor, "workspaceId">,
    id: string | undefined,
  ): Promise<StoredFile> {
    const file = id === undefined ? undefined : await find(id);
    if (file?.workspace_id !== visitor.workspaceId) throw new AppError("file-not-found");
    return file;
  }

  function answer(
    file: StoredFile,
    wanted: ConditionalHeaders,
    openedBy: OpenedBy,
    download: boolean,
  ): FileResponse {
    const served = {
      name: file.name,
      type: file.type,
      sizeBytes: file.size_bytes,
      tag: file.sha256.slice(0, 32),
    };
    const { status, headers, range } = responseHead(served, wanted, openedBy, download);
    if (range === undefined) return new FileResponse(status, headers, undefined);
    return new FileResponse(status, headers, async (signal) => {
      try {
        return await blobs.read(file.blob_key, { range, signal });
      } catch (error) {
        if (!(error instanceof BlobMissingError)) throw error;
        logger.error({ err: error, fileId: file.id }, "the content of a file is missing from the storage");
        throw new AppError("file-not-found", { cause: error });
      }
    });
  }

  async function linked(id: string, { place, expires, signature }: Link): Promise<StoredFile> {
    const isSigned =
      expires !== undefined && signature !== undefined && urls.isSigned(id, place, { expires, signature });
    if (place === signedMarker && !isSigned) throw new AppError("file-not-found");
    const file = await find(id);
    if (file === undefined || (place !== signedMarker && !isSameSecret(place, file.secret)))
      throw new AppError("file-not-found");
    const needsSignature = signedReads || place === signedMarker;
    if (needsSignature && (!isSigned || expires <= clock.now())) throw new AppError("link-expired");
    return file;
  }

  return {
    /** The file of a URL with its secret, or with a valid signature. Throws `file-not-found` and `link-expired`. */
    findByLink: linked,
    /** A file of the visitor's workspace. Throws `file-not-found`. */
    findInWorkspace: ofWorkspace,

    /** The response for a file's URL. Throws what `findByLink` throws. */
    openLink: async (id: string, link: Link, download: boolean, request: RequestFacts) =>
      answer(await linked(id, link), request, "address", download),

    /** The response for a member of the file's workspace. Throws `file-not-found`. */
    open: async (visitor: Visitor, id: string, download: boolean, request: RequestFacts) =>
      answer(await ofWorkspace(visitor, id), request, "credential", download),

    /** The response for a reader of a page that shares the file. Throws `file-not-found`. */
    async openShared(workspaceId: string, id: string, request: ConditionalHeaders): Promise<FileResponse> {
      return answer(await ofWorkspace({ workspaceId }, id), request, "credential", false);
    },

    /**
     * A URL that opens a file of the workspace, or of an API key's app if it was signed before, for 15 minutes. Throws
     * `file-not-found`.
     */
    async sign(
      visitor: Visitor,
      { key, url }: BodyOf<"files.download">,
      base: string,
    ): Promise<ResponseOf<"files.download">> {
      const named = url === undefined ? undefined : parseFileUrl(url);
      const id = key === undefined ? named?.id : fileIdOf(key, visitor.appId);
      const file = id === undefined ? undefined : await find(id);
      if (file === undefined) throw new AppError("file-not-found");
      const matchesRequest = key === undefined ? named?.secret === file.secret : key === keyOf(file);
      const isAllowed =
        file.workspace_id === visitor.workspaceId || (url !== undefined && mayRenew(visitor, file, url));
      if (!matchesRequest || !isAllowed) throw new AppError("file-not-found");
      return {
        signedUrl: temporaryUrl(base, file),
        expiresAt: isoTime(clock.now() + limits.fileLinkMs),
        key: keyOf(file),
      };
    },
  };
}
