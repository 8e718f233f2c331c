import { createHash } from "node:crypto";
import { randomCharacters } from "#contract/ids.ts";
import type { Blobs } from "#storage/blobs/blobs.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import type { Live } from "#server/live/live.ts";
import { announceFiles } from "../announce-files.ts";
import { endBytes, type MayPass } from "./upload-throttle.ts";
import type { Quota } from "./quota.ts";
import * as rows from "../rows.ts";
import { sniffBytes, typeOfBytes } from "./sniff.ts";

/** Bytes on their way into the store. */
export type Coming = {
  bytes: AsyncIterable<Uint8Array>;
  sizeBytes?: number;
  signal?: AbortSignal;
  /** Whether nobody else looks at the bytes any more. */
  givenAway?: boolean;
  /** Awaited before each piece, and before what is done at both ends; absent for what is taken in from a bucket. */
  mayPass?: MayPass;
};

export type KeepFile = (file: rows.FileRow, coming: Coming) => Promise<void>;

/** What was noted so long ago and has not come never comes: 2 hours. While bytes come it is noted anew. */
export const unfinishedMs = 2 * 3_600_000;

/**
 * Keeps what comes as the bytes of a promised file: counted, hashed and looked at on the way, and there once for all
 * files of its workspace that have the same. Whoever sends the same again succeeds.
 *
 * Throws `file-too-large`, `bad-request` where there are more or fewer bytes than were declared, `quota-full` as soon as
 * there are more than the person has room for, `file-already-stored`, `file-not-found` where it was deleted meanwhile, and what the store and what comes throw.
 * Whatever is thrown, nothing of it can be read.
 */
export function createKeepFile(options: {
  db: Database;
  blobs: Blobs;
  live: Live;
  clock: Clock;
  maxBytes: number;
  quota: Quota;
}): KeepFile {
  const { db, blobs, live, clock, maxBytes, quota } = options;

  return async (file, { bytes, sizeBytes, signal, givenAway = false, mayPass }) => {
    // What is there already takes no more room when it comes again.
    const roomBytes = file.blob_key === null ? await quota.room(file) : Infinity;
    if (sizeBytes !== undefined && sizeBytes > roomBytes) throw new AppError("quota-full");
    const key = newKey(file.id);
    const note = async () =>
      await db.write(async (tx) => await rows.noteRemoval(tx, key, clock.now() + unfinishedMs));
    await mayPass?.(endBytes);
    await note();
    const seen = watchedBytes(bytes, {
      maxBytes,
      roomBytes,
      declaredBytes: file.declared_bytes,
      mayPass,
    });
    try {
      await blobs.put(key, noting(seen.bytes(), note), {
        ...(sizeBytes === undefined ? {} : { sizeBytes }),
        ...(signal === undefined ? {} : { signal }),
        givenAway,
      });
      const kept = { ...seen.sum(), type: await typeOfBytes(seen.head(), file.name) };
      await mayPass?.(endBytes);
      const isNew = await db.write(async (tx) => await store(tx, file.id, key, kept));
      if (!isNew) await clearAway(key);
    } catch (error) {
      // Where a commit is in doubt, the note decides: a blob that has the key keeps it.
      if (error instanceof AppError) await clearAway(key);
      throw error;
    }
  };

  /** In a transaction: gives the file its bytes. Answers whether they are those under `key`. */
  async function store(
    tx: Tx,
    id: string,
    key: string,
    kept: { sha256: string; sizeBytes: number; type: string },
  ): Promise<boolean> {
    const nowMs = clock.now();
    const file = await rows.holdFile(tx, id);
    if (file === undefined) throw new AppError("file-not-found");
    if (file.blob_key !== null) {
      const there = await rows.findBlob(tx.q, file.blob_key);
      if (there?.sha256 !== kept.sha256) throw new AppError("file-already-stored");
      return false;
    }
    await rows.holdWorkspace(tx, file.workspace_id);
    await quota.hold(tx, file, kept.sizeBytes);
    const same = await rows.holdSameBytes(tx, file.workspace_id, kept.sha256, kept.sizeBytes);
    if (same === undefined) {
      await rows.insertBlob(tx, {
        key,
        workspace_id: file.workspace_id,
        sha256: kept.sha256,
        size_bytes: kept.sizeBytes,
        thumbnail_key: null,
        created_at: nowMs,
      });
      await rows.forgetRemovals(tx, [key]);
    }
    await rows.changeFile(tx, id, {
      type: kept.type,
      size_bytes: kept.sizeBytes,
      blob_key: same?.key ?? key,
      stored_at: nowMs,
    });
    await announceFiles(live, tx, [file]);
    return same === undefined;
  }

  /** What takes long is noted again, so that nobody clears away under a slow sender what is just becoming whole. */
  async function* noting(
    bytes: AsyncIterable<Uint8Array>,
    note: () => Promise<void>,
  ): AsyncGenerator<Uint8Array> {
    let notedAt = clock.now();
    for await (const chunk of bytes) {
      if (clock.now() > notedAt + unfinishedMs / 4) {
        await note();
        notedAt = clock.now();
      }
      yield chunk;
    }
  }

  /** At once, where that can be; what is noted of it is cleared away later where it cannot. */
  async function clearAway(key: string): Promise<void> {
    try {
      await blobs.remove(key);
      await db.write(async (tx) => await rows.forgetRemovals(tx, [key]));
    } catch {
      // The note is still there.
    }
  }
}

/** A key that nothing was ever kept under. Spread over 1,024 folders by the id's last two characters. */
export function newKey(fileId: string): string {
  return `kept/${fileId.slice(-2)}/${fileId}.${randomCharacters(8)}`;
}

/** Bytes that are counted and hashed as they pass. */
function watchedBytes(
  source: AsyncIterable<Uint8Array>,
  {
    maxBytes,
    roomBytes,
    declaredBytes,
    mayPass,
  }: {
    maxBytes: number;
    roomBytes: number;
    declaredBytes: number | null;
    mayPass: MayPass | undefined;
  },
) {
  const hash = createHash("sha256");
  const head: Uint8Array[] = [];
  let headBytes = 0;
  let sizeBytes = 0;
  return {
    async *bytes(): AsyncGenerator<Uint8Array> {
      for await (const chunk of source) {
        sizeBytes += chunk.length;
        if (sizeBytes > maxBytes) throw new AppError("file-too-large");
        if (declaredBytes !== null && sizeBytes > declaredBytes) throw notAsDeclared(declaredBytes);
        if (sizeBytes > roomBytes) throw new AppError("quota-full");
        if (headBytes < sniffBytes) {
          // Copied: who is given the piece may let go of it.
          head.push(Buffer.from(chunk.subarray(0, sniffBytes)));
          headBytes += chunk.length;
        }
        await mayPass?.(chunk.length);
        hash.update(chunk);
        yield chunk;
      }
      if (declaredBytes !== null && sizeBytes !== declaredBytes) throw notAsDeclared(declaredBytes);
    },
    sum: () => ({ sha256: hash.digest("hex"), sizeBytes }),
    head: () => Buffer.concat(head).subarray(0, sniffBytes),
  };
}

function notAsDeclared(bytes: number): AppError {
  return badRequest("body", `must have exactly the ${bytes} bytes that were declared`);
}
