import type { AnswerOf, BodyOf } from "#contract/api.ts";
import { chanceCharacters, newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { cleanText } from "#contract/text.ts";
import type { Blobs } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/sql/database.ts";
import type { Clock } from "../clock.ts";
import { AppError, badRequest } from "../errors.ts";
import type { Visitor } from "../route.ts";
import type { Addresses, UploadBounds } from "./addresses.ts";
import { keyOf } from "./attachment-key.ts";
import type { Coming, KeepFile } from "./keep.ts";
import * as rows from "./rows.ts";

/** Files on their way here. */
export type Uploads = {
  /**
   * Promises a file: where to PUT its bytes within 15 minutes, and the address that it will have. `base` is where the
   * caller reaches this service. Throws `file-too-large` and `quota-full` where what is declared would not fit.
   */
  promise(visitor: Visitor, body: BodyOf<"files.upload">, base: string): Promise<AnswerOf<"files.upload">>;
  /**
   * Takes the bytes of a promised file, whose address is the credential. Throws `file-not-found` for an address that is
   * not ours, `link-expired`, and what `KeepFile` throws.
   */
  receive(id: string, address: UploadBounds & { signature: string }, sent: Sent): Promise<void>;
};

/** A body as it arrives, and what its head says of it. */
export type Sent = Coming & { contentType: string | undefined };

export function createUploads(options: {
  db: Database;
  blobs: Blobs;
  clock: Clock;
  addresses: Addresses;
  keep: KeepFile;
  maxBytes: number;
  quotaBytes: number | undefined;
  /** The address under which a file is opened, as the protocol's clients store it. */
  publicUrl: (base: string, file: rows.FileRow) => string;
}): Uploads {
  const { db, blobs, clock, addresses, keep, maxBytes, quotaBytes } = options;

  async function refuseTooMuch(visitor: Visitor, bytes: number): Promise<void> {
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    if (quotaBytes === undefined) return;
    const used = await rows.usedBytes(db.read, visitor.projectId, visitor.userId);
    if (used + bytes > quotaBytes) throw new AppError("quota-full");
  }

  return {
    async promise(visitor, { filename, content_type: type, content_length: length }, base) {
      await refuseTooMuch(visitor, length ?? 0);
      const nowMs = clock.now();
      const file: rows.FileRow = {
        id: newId("file", nowMs),
        project_id: visitor.projectId,
        workspace_id: visitor.workspaceId,
        created_by: visitor.userId,
        name: cleanText(filename),
        secret: chanceCharacters(26),
        declared_type: type === undefined ? null : cleanText(type),
        declared_bytes: length ?? null,
        type: null,
        size_bytes: null,
        blob_key: null,
        created_at: nowMs,
        stored_at: null,
        claimed_at: null,
        released_at: null,
      };
      await db.write(async (tx) => await rows.insertFile(tx, file));
      const expires = nowMs + limits.fileLinkMs;
      const declared = {
        ...(type === undefined ? {} : { type }),
        ...(length === undefined ? {} : { length }),
      };
      const signedUrl = blobs.direct
        ? await blobs.direct.address({
            key: incomingKey(file.id),
            forSeconds: limits.fileLinkMs / 1000,
            ...(type === undefined ? {} : { type }),
            ...(length === undefined ? {} : { sizeBytes: length }),
          })
        : addresses.upload(base, file.id, { expires, ...declared });
      return {
        success: true,
        signedUrl,
        expiresAt: new Date(expires).toISOString(),
        publicUrl: options.publicUrl(base, file),
        key: keyOf(file),
        file_id: file.id,
      };
    },

    async receive(id, { signature, ...bounds }, sent) {
      if (blobs.direct !== undefined || !addresses.isUpload(id, bounds, signature))
        throw new AppError("file-not-found");
      if (bounds.expires <= clock.now()) throw new AppError("link-expired");
      if (bounds.type !== undefined && essence(sent.contentType) !== essence(bounds.type))
        throw badRequest("header.content-type", `must be ${bounds.type}, as it was declared`);
      if (sent.sizeBytes !== undefined) {
        if (sent.sizeBytes > maxBytes) throw tooLarge(maxBytes);
        if (bounds.length !== undefined && sent.sizeBytes !== bounds.length)
          throw badRequest("header.content-length", `must be ${bounds.length}, as it was declared`);
      }
      const file = await rows.findFile(db.read, id);
      if (file === undefined) throw new AppError("file-not-found");
      await keep(file, sent);
    },
  };
}

/** Where a bucket takes what a browser sends to it. Nobody reads there but us, once: to keep it under another key. */
export function incomingKey(fileId: string): string {
  return `incoming/${fileId}`;
}

function tooLarge(maxBytes: number): AppError {
  return new AppError("file-too-large", {
    details: [{ path: "body", message: `must have at most ${maxBytes} bytes` }],
  });
}

/** A type without its parameters. A browser sends an empty one where it knows none. */
function essence(type: string | undefined): string {
  return (type ?? "").split(";", 1)[0]!.trim().toLowerCase();
}
