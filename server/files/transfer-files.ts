import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { newId } from "#contract/ids.ts";
import { BlobMissingError, type Blobs } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Visitor } from "../lib/route.ts";
import { filesSpokenOf } from "./claim-rows.ts";
import type { Contents } from "./contents.ts";
import type { KeepFile } from "./uploads/store-upload.ts";
import type { KeepSame } from "./uploads/reuse-bytes.ts";
import type { Passage } from "./uploads/upload-throttle.ts";
import type { Quota } from "./uploads/quota.ts";
import { releaseFile } from "./cleanup/release.ts";
import * as rows from "./rows.ts";

/** Files that go out, and come in, with the messages that speak of them. */
export type CarriedFiles = {
  /** Those of the workspace that a thread's messages speak of and whose bytes came, in the order of their ids. */
  ofThread(workspaceId: string, threadId: string): Promise<rows.StoredFile[]>;
  /** The bytes of one; `undefined` where the store has lost them. Throws `BlobsAwayError`. */
  open(file: rows.StoredFile): Promise<Readable | undefined>;
  /**
   * What a file from elsewhere is in the visitor's workspace: the one of the same bytes that stands under one of its
   * `ids`, else a new one, under the last of them where it is free. Nothing speaks of it yet, and it stays for a day.
   *
   * `bytes` is called where they are not in the workspace yet; `undefined` says that nobody has them. Throws
   * `file-not-carried`, `import-damaged` where they are others than was told, `file-too-large` and `quota-full`; then
   * there is no file, unless another import is about to bring the same. Throws what `bytes` and the store throw, too.
   */
  bring(
    visitor: Visitor,
    told: ToldFile,
    bytes: () => AsyncIterable<Uint8Array> | undefined,
    signal: AbortSignal,
  ): Promise<BroughtFile>;
};

/** A file as whoever carries it describes it; `ids` from the likeliest to the one that it gets. */
export type ToldFile = { ids: readonly string[]; name: string; sizeBytes: number; sha256: string };

export type BroughtFile = Pick<rows.FileRow, "id" | "secret" | "name"> & { isNew: boolean };

/** Files that are looked up at once. */
const lookUp = 200;

export function createCarriedFiles(options: {
  db: Database;
  blobs: Blobs;
  clock: Clock;
  contents: Pick<Contents, "find">;
  keep: KeepFile;
  keepSame: KeepSame;
  passage: Passage;
  maxBytes: number;
  quota: Quota;
}): CarriedFiles {
  const { db, blobs, clock, contents, keep, keepSame, passage, maxBytes, quota } = options;

  /** The file under one of `ids` that is the visitor's workspace's and has these bytes. */
  async function there(visitor: Visitor, { ids, sha256 }: ToldFile): Promise<BroughtFile | undefined> {
    return await db.write(async (tx) => {
      for (const id of ids) {
        const file = await rows.holdFile(tx, id);
        if (file?.workspace_id !== visitor.workspaceId || file.blob_key === null) continue;
        if ((await rows.findBlob(tx.q, file.blob_key))?.sha256 !== sha256) continue;
        // It may wait to be swept since its last message went; until the new one speaks of it, it stays.
        await rows.changeFile(tx, id, { released_at: clock.now() });
        return { ...file, isNew: false };
      }
      return undefined;
    });
  }

  /** A file without its bytes; `isOwn`: nobody began it before. */
  async function promise(
    visitor: Visitor,
    { ids, name, sizeBytes }: ToldFile,
  ): Promise<{ file: rows.FileRow; isOwn: boolean }> {
    const nowMs = clock.now();
    // Its secret is never the one that it had: whoever knew its address there knows nothing here.
    const file = rows.promisedFile(visitor, { id: ids.at(-1)!, name, declaredBytes: sizeBytes, nowMs });
    return await db.write(async (tx) => {
      const before = await rows.holdFile(tx, file.id);
      // Begun by an import that died, or by one that goes on beside this one: that leaves it to us where it breaks off.
      if (before?.workspace_id === visitor.workspaceId && before.blob_key === null) {
        const joined = { created_at: Math.max(nowMs, before.created_at + 1) };
        await rows.changeFile(tx, before.id, joined);
        return { file: { ...before, ...joined }, isOwn: false };
      }
      const own = before === undefined ? file : { ...file, id: newId("file", nowMs) };
      await rows.insertFile(tx, own);
      return { file: own, isOwn: true };
    });
  }

  /** Where nobody has brought its bytes meanwhile, is about to, or has spoken of it. */
  async function takeBack(own: rows.FileRow): Promise<void> {
    await db.write(async (tx) => {
      const file = await rows.holdFile(tx, own.id);
      const isOnlyOurs = file?.created_at === own.created_at && file.claimed_at === null;
      if (isOnlyOurs && file.blob_key === null) await releaseFile(tx, file, clock.now());
    });
  }

  return {
    async ofThread(workspaceId, threadId) {
      const ids = await filesSpokenOf(db, threadId);
      const found: rows.StoredFile[] = [];
      for (let from = 0; from < ids.length; from += lookUp)
        found.push(...(await contents.find(workspaceId, ids.slice(from, from + lookUp))).values());
      return found.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    },

    async open(file) {
      try {
        return await blobs.read(file.blob_key);
      } catch (error) {
        if (error instanceof BlobMissingError) return undefined;
        throw error;
      }
    },

    async bring(visitor, told, open, signal) {
      const here = await there(visitor, told);
      if (here !== undefined) return here;
      if (told.sizeBytes > maxBytes) throw new AppError("file-too-large");
      const owner = { project_id: visitor.projectId, created_by: visitor.userId };
      await quota.refuse(owner, told.sizeBytes);
      const { file, isOwn } = await promise(visitor, told);
      try {
        if (!(await keepSame(file, told))) {
          const source = open();
          if (source === undefined) throw new AppError("file-not-carried");
          const bytes = exactly(source, told);
          await keep(file, { bytes, sizeBytes: told.sizeBytes, signal, mayPass: passage.enter() });
        }
      } catch (error) {
        if (isOwn) await takeBack(file);
        throw error;
      }
      return { ...file, isNew: true };
    },
  };
}

/** What comes, as long as it is what was told. Throws `import-damaged`. */
async function* exactly(
  source: AsyncIterable<Uint8Array>,
  { sha256, sizeBytes }: ToldFile,
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  let count = 0;
  for await (const chunk of source) {
    count += chunk.length;
    if (count > sizeBytes) break;
    hash.update(chunk);
    yield chunk;
  }
  if (count !== sizeBytes || hash.digest("hex") !== sha256) throw new AppError("import-damaged");
}
