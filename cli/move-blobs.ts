import { Option, type Command } from "commander";
import { pageFolder } from "#server/files/serving/pdf/page-cache.ts";
import { thumbnailFolder } from "#server/files/serving/thumbnails.ts";
import { isKey, type Blobs } from "#storage/blobs/blobs.ts";
import { clearUnfinished } from "#storage/blobs/disk.ts";
import { moveBlobs, SameStoreError } from "#storage/blobs/move.ts";
import { blobFolder, openBlobs } from "#storage/blobs/open.ts";
import type { Door } from "./open-database.ts";
import { CommandError } from "./errors.ts";
import { everyBlob } from "./move/every-blob.ts";
import { freshMs, removeLeftovers } from "./move/leftovers.ts";

/** Between two lines that say how far it is. */
const noteEvery = 500;

/** `move-blobs --to s3`: the files of people, from the folder to the bucket or back, while the server runs. */
export function moveBlobsCommand(program: Command, door: Door): void {
  program
    .command("move-blobs")
    .description("copy the files that people attached to the bucket that S3_* names, or back to DATA_DIR")
    .addOption(
      new Option("--to <store>", "where they are to be").choices(["s3", "disk"]).makeOptionMandatory(),
    )
    .option("--remove", "take away from the other store what is in this one; once the server uses it")
    .action(async ({ to, remove }: { to: "s3" | "disk"; remove?: true }) => {
      const { dataDir, files } = door.config();
      if (files.s3 === undefined)
        throw new CommandError("There is no bucket: set S3_ENDPOINT, S3_BUCKET and its keys, here too.");
      const disk = await openBlobs({ dataDir, s3: undefined });
      const bucket = await openBlobs({ dataDir, s3: files.s3 });
      const [source, target]: [Blobs, Blobs] = to === "s3" ? [disk, bucket] : [bucket, disk];
      let seen = 0;
      let leftovers = 0;
      const moved = await door.withDatabase(async (db) => {
        const all = await moveBlobs(everyBlob(db, source), source, target, {
          remove: remove === true,
          each() {
            if (++seen % noteEvery === 0) door.note(`${seen} looked at …`);
          },
        }).catch(inWords);
        if (remove === true) leftovers += await removeLeftovers(db, source, door.clock);
        return all;
      });
      // Nobody clears away where no server looks: neither old pages, which are drawn anew where one does, nor halves.
      if (remove === true) moved.removed += await removeAll(source, pageFolder);
      if (remove === true && to === "s3")
        leftovers += await clearUnfinished(blobFolder(dataDir), door.clock.now() - freshMs);
      // Made again when somebody wants one.
      moved.missing = moved.missing.filter((key) => !key.startsWith(thumbnailFolder));
      const { copied, there, removed, missing, damaged } = moved;
      door.answer({
        text:
          `${copied} copied, ${there} there already, ${removed} taken away from the other store` +
          (leftovers === 0 ? "." : `, and ${leftovers} more that no file has any longer.`),
        json: { ...moved, leftovers },
      });
      for (const key of missing) door.note(`${key} is in neither store.`);
      for (const key of damaged) door.note(`${key} is not what it was, and was not copied.`);
      if (missing.length + damaged.length > 0)
        throw new CommandError("Some could not be copied. cli doctor names whose they are.");
    });
}

function inWords(error: unknown): never {
  if (!(error instanceof SameStoreError)) throw error;
  throw new CommandError(
    "The bucket leads to the very folder of DATA_DIR: there is nothing to move. Check S3_ENDPOINT and S3_BUCKET.",
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
