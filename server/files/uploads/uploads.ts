import type { ResponseOf, BodyOf } from "#contract/api.ts";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Blobs } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import { type Clock, isoTime } from "#server/lib/clock.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import type { RequestFacts, Visitor } from "#server/lib/route.ts";
import { retryAfterSeconds, type ConcurrencyLimiter } from "#server/lib/concurrency-limit.ts";
import { type FileUrls, type SignedUpload, keyOf } from "../../lib/file-urls/file-urls.ts";
import { essence } from "./declared-type.ts";
import type { IncomingBytes, StoreUpload } from "./store-upload.ts";
import type { UploadThrottle } from "./upload-throttle.ts";
import type { Quota } from "#server/quota/quota.ts";
import * as rows from "../rows.ts";

export type Uploads = {
  /**
   * Creates a pending file. Returns a signed URL to PUT its bytes to within 15 minutes, and the URL that the file will
   * have. `base` is the URL under which the caller reaches this service. The signed URL is the bucket's own only if the
   * size is declared: without a declared size a bucket would accept any amount. Throws `file-too-large` and
   * `quota-full` for the declared size, and `too-many-uploads` if the person has too many pending files.
   */
  create(visitor: Visitor, body: BodyOf<"files.upload">, base: string): Promise<ResponseOf<"files.upload">>;
  /**
   * Receives the bytes of a pending file. The signed URL is the credential. Throws `file-not-found` for a URL that this
   * server did not sign, `link-expired`, `too-many-uploads`, and what `StoreUpload` throws.
   */
  receive(id: string, url: SignedUpload & { signature: string }, sent: UploadBody): Promise<void>;
};

/** The body of an upload and the headers that describe it. */
export type UploadBody = IncomingBytes & Pick<RequestFacts, "contentType" | "limitKey">;

/**
 * Pending files per person: more than the files of a dropped folder. An upload to a bucket stays pending until the
 * server looks for it.
 */
const pendingMax = 100;

export function createUploads(options: {
  db: Database;
  blobs: Blobs;
  clock: Clock;
  urls: FileUrls;
  store: StoreUpload;
  uploadThrottle: UploadThrottle;
  limiter: ConcurrencyLimiter;
  maxBytes: number;
  quota: Quota;
  /** The URL that opens a file, as the protocol's clients store it. */
  publicUrl: (base: string, file: rows.FileRow) => string;
}): Uploads {
  const { db, blobs, clock, urls, store, uploadThrottle, limiter, maxBytes, quota } = options;

  async function refuseTooMany(owner: rows.FileRow): Promise<void> {
    const since = clock.now() - limits.fileLinkMs;
    if ((await rows.countPending(db.read, owner, since)) >= pendingMax)
      throw new AppError("too-many-uploads", { retryAfterSeconds });
  }

  return {
    async create(visitor, { filename, content_type: type, content_length: length, temporary }, base) {
      const nowMs = clock.now();
      const file = rows.pendingFile(visitor, {
        id: newId("file", nowMs),
        name: filename,
        declaredType: type,
        declaredBytes: length,
        nowMs,
        releasedAt: temporary === true ? rows.releasedAtOfTemporary(nowMs, nowMs) : undefined,
      });
      if ((length ?? 0) > maxBytes) throw tooLarge(maxBytes);
      await quota.check(file, length ?? 0);
      await refuseTooMany(file);
      await db.write(async (tx) => await rows.insertFile(tx, file));
      const expires = nowMs + limits.fileLinkMs;
      const declared = {
        ...(type === undefined ? {} : { type }),
        ...(length === undefined ? {} : { length }),
      };
      const signedUrl =
        blobs.directUploads !== undefined && length !== undefined
          ? await blobs.directUploads.signUrl({
              key: incomingKey(file.id),
              forSeconds: limits.fileLinkMs / 1000,
              sizeBytes: length,
              ...(type === undefined ? {} : { type }),
            })
          : urls.upload(base, file.id, { expires, ...declared });
      return {
        success: true,
        signedUrl,
        expiresAt: isoTime(expires),
        publicUrl: options.publicUrl(base, file),
        key: keyOf(file),
        file_id: file.id,
      };
    },

    async receive(id, { signature, ...declared }, sent) {
      if (!urls.isUpload(id, declared, signature)) throw new AppError("file-not-found");
      if (declared.expires <= clock.now()) throw new AppError("link-expired");
      if (declared.type !== undefined && essence(sent.contentType) !== essence(declared.type))
        throw badRequest("header.content-type", `must be ${declared.type}, as it was declared`);
      if (sent.sizeBytes !== undefined) {
        if (sent.sizeBytes > maxBytes) throw tooLarge(maxBytes);
        if (declared.length !== undefined && sent.sizeBytes !== declared.length)
          throw badRequest("header.content-length", `must be ${declared.length}, as it was declared`);
      }
      const file = await rows.findFile(db.read, id);
      if (file === undefined) throw new AppError("file-not-found");
      const owner = { kind: "member", userId: file.created_by, workspaceId: file.workspace_id } as const;
      const release = limiter.take(owner, sent);
      try {
        await store(file, { ...sent, freeChunks: true, throttle: uploadThrottle.start() });
      } finally {
        release();
      }
    },
  };
}

/** The key that browsers upload to in a bucket. The server reads it once and stores the bytes under another key. */
export function incomingKey(fileId: string): string {
  return `incoming/${fileId}`;
}

function tooLarge(maxBytes: number): AppError {
  return new AppError("file-too-large", {
    details: [{ path: "body", message: `must have at most ${maxBytes} bytes` }],
  });
}
