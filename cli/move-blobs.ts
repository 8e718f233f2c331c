import { Option, type Command } from "commander";
import { pageFolder } from "#server/files/serving/pdf/page-cache.ts";
import {
  blobsOfFiles,
  fileFolder,
  findLeftovers,
  thumbnailFolder,
  type ListedBlob,
} from "#server/files/stored-blobs.ts";
import { isKey, type Blobs } from "#storage/blobs/blobs.ts";
import { deleteUnfinished } from "#storage/blobs/disk.ts";
import { moveBlobs, SameStoreError, type BlobToMove } from "#storage/blobs/move.ts";
import { blobFolder, openBlobs } from "#storage/blobs/open.ts";
import type { CommandContext } from "./command-context.ts";
import { CommandError } from "./errors.ts";
import { incomingKey } from "#server/files/uploads/uploads.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";

/** The number of files between two progress lines. */
const noteEvery = 500;

/** `move-blobs --to s3`: moves attached files from the folder to the bucket or back, while the server runs. */
export function moveBlobsCommand(program: Command, context: CommandContext): void {
  program
    .command("move-blobs")
    .description("copy attached files to the bucket in S3_*, or back to DATA_DIR")
    .addOption(
      new Option("--to <store>", "the store to copy to").choices(["s3", "disk"]).makeOptionMandatory(),
    )
    .option(
      "--remove",
      "delete the copies in the other store; use it after the server runs with the new store",
    )
    .action(async ({ to, remove }: { to: "s3" | "disk"; remove?: true }) => {
      const { dataDir, files } = context.config();
      if (files.s3 === undefined)
        throw new CommandError("No bucket is configured: set S3_ENDPOINT, S3_BUCKET and its keys.");
      const disk = await openBlobs({ dataDir, s3: undefined });
      const bucket = await openBlobs({ dataDir, s3: files.s3 });
      const [source, target]: [Blobs, Blobs] = to === "s3" ? [disk, bucket] : [bucket, disk];
      let seen = 0;
      let leftovers = 0;
      const moved = await context.withDatabase(async (db) => {
        const all = await moveBlobs(listBlobsToMove(db, source), source, target, {
          remove: remove === true,
          each() {
            if (++seen % noteEvery === 0) context.log(`${seen} files checked …`);
          },
        }).catch(throwCommandError);
        if (remove === true) leftovers += await removeLeftovers(db, source, context.clock);
        return all;
      });
      // No server cleans up a store that it does not use. Rendered pages are made again in the new store.
      if (remove === true) moved.removed += await removeAll(source, pageFolder);
      if (remove === true && to === "s3")
        leftovers += await deleteUnfinished(blobFolder(dataDir), context.clock.now() - recentMs);
      // The server makes thumbnails again when it needs them.
      moved.missing = moved.missing.filter((key) => !key.startsWith(thumbnailFolder));
      const { copied, alreadyThere, removed, missing, damaged } = moved;
      context.print({
        text:
          `${copied} copied, ${alreadyThere} already there, ${removed} deleted from the other store` +
          (leftovers === 0 ? "." : `, and ${leftovers} more without a file.`),
        json: { ...moved, leftovers },
      });
      for (const key of missing) context.log(`${key} is in neither store.`);
      for (const key of damaged) context.log(`${key} is damaged and was not copied.`);
      if (missing.length + damaged.length > 0)
        throw new CommandError("Some could not be copied. cli doctor lists the files that they belong to.");
    });
}

function throwCommandError(error: unknown): never {
  if (!(error instanceof SameStoreError)) throw error;
  throw new CommandError(
    "The bucket is the same folder as DATA_DIR, so there is nothing to move. Check S3_ENDPOINT and S3_BUCKET.",
    { cause: error },
  );
}

async function removeAll(blobs: Blobs, prefix: string): Promise<number> {
  let count = 0;
  for await (const { key } of blobs.list(prefix)) {
    if (!isKey(key)) continue;
    await blobs.remove(key);
    count += 1;
  }
  return count;
}

/** Lists the blobs of files, then uploads that are not files yet: the server with the new store completes those. */
async function* listBlobsToMove(db: Database, source: Blobs): AsyncGenerator<BlobToMove> {
  yield* blobsOfFiles(db);
  for await (const { key } of source.list(incomingKey("")))
    if (isKey(key)) yield { key, sizeBytes: undefined, sha256: undefined };
}

/** 10 minutes: an upload becomes a file within seconds. */
const recentMs = 10 * 60_000;
const batchSize = 200;

/**
 * Deletes blobs without a file from a store that no server uses any more, because servers clean up only their current store.
 * Keeps recent uploads that are about to become files. Returns the number of deleted blobs.
 */
async function removeLeftovers(db: Database, store: Blobs, clock: Pick<Clock, "now">): Promise<number> {
  let count = 0;
  let batch: ListedBlob[] = [];
  const removeBatch = async () => {
    for (const key of await findLeftovers(db, batch, { nowMs: clock.now(), recentMs })) {
      await store.remove(key);
      count += 1;
    }
    batch = [];
  };
  for (const folder of [fileFolder, thumbnailFolder])
    for await (const { key, changedAtMs } of store.list(folder)) {
      // Objects that Parlance did not write stay.
      if (isKey(key)) batch.push({ key, changedAtMs });
      if (batch.length === batchSize) await removeBatch();
    }
  await removeBatch();
  return count;
}
