import { Option, type Command } from "commander";
import { pageFolder } from "#server/files/pdf/page-cache.ts";
import { thumbnailFolder } from "#server/files/thumbnails.ts";
import { incomingKey } from "#server/files/uploads.ts";
import { isKey, type Blobs } from "#storage/blobs/blobs.ts";
import { moveBlobs, SameStoreError, type ToMove } from "#storage/blobs/move.ts";
import { openBlobs } from "#storage/blobs/open.ts";
import type { Database } from "#storage/sql/database.ts";
import type { Door } from "./door.ts";
import { CommandError } from "./errors.ts";

/** Between two lines that say how far it is. */
const noteEvery = 500;
const pageSize = 200;

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
      const moved = await door.withDatabase(
        async (db) =>
          await moveBlobs(everyBlob(db, source), source, target, {
            remove: remove === true,
            each() {
              if (++seen % noteEvery === 0) door.note(`${seen} looked at …`);
            },
          }).catch(inWords),
      );
      // Nobody clears old pages away where no server looks; they are drawn anew where one does.
      if (remove === true) moved.removed += await removeAll(source, pageFolder);
      // Made again when somebody wants one.
      moved.missing = moved.missing.filter((key) => !key.startsWith(thumbnailFolder));
      const { copied, there, removed, missing, damaged } = moved;
      door.answer({
        text: `${copied} copied, ${there} there already, ${removed} taken away from the other store.`,
        json: moved,
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
    await blobs.remove(key);
    count += 1;
  }
  return count;
}

/** Those that files have, and then what came and was not taken in yet: the server that has it then does so. */
async function* everyBlob(db: Database, source: Blobs): AsyncGenerator<ToMove> {
  yield* blobsOfFiles(db);
  for await (const { key } of source.list(incomingKey("")))
    if (isKey(key)) yield { key, sizeBytes: undefined, sha256: undefined };
}

/** In the order of their keys; a page at a time, so that the server has its turn. */
async function* blobsOfFiles(db: Database): AsyncGenerator<ToMove> {
  for (let after = ""; ;) {
    const page = await db.read
      .selectFrom("blobs")
      .select(["key", "sha256", "size_bytes", "thumbnail_key"])
      .where("key", ">", after)
      .orderBy("key")
      .limit(pageSize)
      .execute();
    for (const row of page) {
      yield { key: row.key, sizeBytes: row.size_bytes, sha256: row.sha256 };
      if (row.thumbnail_key !== null && row.thumbnail_key !== "")
        yield { key: row.thumbnail_key, sizeBytes: undefined, sha256: undefined };
    }
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = last.key;
  }
}
