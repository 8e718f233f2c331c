import type { ResponseOf, BodyOf } from "#contract/api.ts";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Blobs } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import type { RequestFacts, Visitor } from "#server/lib/route.ts";
import { slotRetrySeconds, type Slots } from "#server/lib/concurrency-limit.ts";
import type { Addresses, UploadBounds } from "../serving/addresses.ts";
import { keyOf } from "./attachment-key.ts";
import type { Coming, KeepFile } from "./store-upload.ts";
import type { Passage } from "./upload-throttle.ts";
import type { Quota } from "./quota.ts";
import * as rows from "../rows.ts";

/** Files on their way here. */
export type Uploads = {
  /**
   * Promises a file: where to PUT its bytes within 15 minutes, and the address that it will have. `base` is where the
   * caller reaches this service. A bucket's own address is given for what is declared alone: it takes no more than that,
   * and any amount of what is not. Throws `file-too-large` and `quota-full` where what is declared would not fit, and
   * `too-many-uploads` where too many were promised to this person that have not come.
   */
  promise(visitor: Visitor, body: BodyOf<"files.upload">, base: string): Promise<ResponseOf<"files.upload">>;
  /**
   * Takes the bytes of a promised file, whose address is the credential. Throws `file-not-found` for an address that is
   * not ours, `link-expired`, `too-many-uploads`, and what `KeepFile` throws.
   */
  receive(id: string, address: UploadBounds & { signature: string }, sent: Sent): Promise<void>;
};

/** A body as it arrives, and what its head says of it. */
export type Sent = Coming & { contentType: string | undefined } & Pick<RequestFacts, "limitKey">;

/** What may be promised to one person at once: more than a folder that somebody drops, and a bound on what may come unseen. */
const promisedMax = 100;

export function createUploads(options: {
  db: Database;
  blobs: Blobs;
  clock: Clock;
  addresses: Addresses;
  keep: KeepFile;
  passage: Passage;
  /** The places for what is on its way. */
  slots: Slots;
  maxBytes: number;
  quota: Quota;
  /** The address under which a file is opened, as the protocol's clients store it. */
  publicUrl: (base: string, file: rows.FileRow) => string;
}): Uploads {
  const { db, blobs, clock, addresses, keep, passage, slots, maxBytes, quota } = options;

  async function refuseTooMany(owner: rows.FileRow): Promise<void> {
    const since = clock.now() - limits.fileLinkMs;
    if ((await rows.countPromised(db.read, owner, since)) >= promisedMax)
      throw new AppError("too-many-uploads", { retryAfterSeconds: slotRetrySeconds });
  }

  return {
    async promise(visitor, { filename, content_type: type, content_length: length }, base) {
      const nowMs = clock.now();
      const file = rows.promisedFile(visitor, {
        id: newId("file", nowMs),
        name: filename,
        declaredType: type,
        declaredBytes: length,
        nowMs,
      });
      if ((length ?? 0) > maxBytes) throw tooLarge(maxBytes);
      await quota.refuse(file, length ?? 0);
      await refuseTooMany(file);
      await db.write(async (tx) => await rows.insertFile(tx, file));
      const expires = nowMs + limits.fileLinkMs;
      const declared = {
        ...(type === undefined ? {} : { type }),
        ...(length === undefined ? {} : { length }),
      };
      const signedUrl =
        blobs.direct !== undefined && length !== undefined
          ? await blobs.direct.address({
              key: incomingKey(file.id),
              forSeconds: limits.fileLinkMs / 1000,
              sizeBytes: length,
              ...(type === undefined ? {} : { type }),
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
      if (!addresses.isUpload(id, bounds, signature)) throw new AppError("file-not-found");
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
      const owner = { kind: "member", userId: file.created_by, workspaceId: file.workspace_id } as const;
      const release = slots.take(owner, sent);
      try {
        await keep(file, { ...sent, givenAway: true, mayPass: passage.enter() });
      } finally {
        release();
      }
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
