import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { openBlobs } from "#storage/blobs/open.ts";
import { restore as restoreArchive } from "#storage/backup/restore.ts";
import type { KeptFile } from "#storage/backup/fill.ts";
import { describeArchive } from "./archive-words.ts";
import type { Door } from "./open-database.ts";

/** `restore <file>`: puts a backup back, into either engine. */
export function restore(program: Command, door: Door): void {
  program
    .command("restore")
    .argument("<file>", "the archive that backup wrote")
    .description("put a backup back, into SQLite or PostgreSQL; no server may be running")
    .option("--replace", "replace what the database holds now")
    .action(async (given: string, options: { replace?: true }) => {
      const { databaseUrl, databaseDirectUrl, dataDir, secret, files: attached } = door.config();
      const blobs = await openBlobs({ dataDir, s3: attached.s3 });
      const contents = await restoreArchive({
        place: { databaseUrl: databaseDirectUrl ?? databaseUrl, dataDir },
        path: resolve(given),
        replace: options.replace === true,
        putBlob: async (key, sizeBytes, bytes) => void (await blobs.put(key, bytes, { sizeBytes })),
        beforeEnd: async (files) => {
          if (secret === undefined) await putSecret(dataDir, files, door);
        },
      });
      door.answer(
        describeArchive("Everything is back. Answers that were being written can be continued.", contents),
      );
    });
}

async function putSecret(dataDir: string, files: KeptFile[], door: Door): Promise<void> {
  const kept = files.find(({ name }) => name === "secret");
  if (kept === undefined) {
    door.note("The backup holds no secret. Where it was taken with PARLANCE_SECRET set, set the same here.");
    return;
  }
  const path = join(dataDir, "secret");
  const now = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (now === kept.text) return;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const fresh = `${path}.restoring`;
  await writeFile(fresh, kept.text, { mode: 0o600 });
  if (now !== undefined) {
    await rename(path, `${path}.before-restore`);
    door.note(`The secret that was in ${dataDir} is now secret.before-restore.`);
  }
  await rename(fresh, path);
}
