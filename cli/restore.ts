import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { openBlobs } from "#storage/blobs/open.ts";
import { restore as restoreArchive } from "#storage/backup/restore.ts";
import type { BackupFile } from "#storage/backup/fill.ts";
import { describeBackup } from "./describe-backup.ts";
import type { CommandContext } from "./command-context.ts";

/** `restore <file>`: restores a backup into SQLite or PostgreSQL. */
export function restore(program: Command, context: CommandContext): void {
  program
    .command("restore")
    .argument("<file>", "the backup file")
    .description("restore a backup into SQLite or PostgreSQL; the server must be stopped")
    .option("--replace", "replace the current contents of the database")
    .action(async (given: string, options: { replace?: true }) => {
      const { databaseUrl, databaseDirectUrl, dataDir, secret, files: fileSettings } = context.config();
      const blobs = await openBlobs({ dataDir, s3: fileSettings.s3 });
      const contents = await restoreArchive({
        place: { databaseUrl: databaseDirectUrl ?? databaseUrl, dataDir },
        path: resolve(given),
        replace: options.replace === true,
        putBlob: async (key, sizeBytes, bytes) => void (await blobs.put(key, bytes, { sizeBytes })),
        beforeCommit: async (files) => {
          if (secret === undefined) await putSecret(dataDir, files, context);
        },
      });
      context.print(
        describeBackup("The backup is restored. Answers that were in progress can be continued.", contents),
      );
    });
}

async function putSecret(dataDir: string, files: BackupFile[], context: CommandContext): Promise<void> {
  const backedUp = files.find(({ name }) => name === "secret");
  if (backedUp === undefined) {
    context.log(
      "The backup contains no secret. If PARLANCE_SECRET was set when it was made, set the same value here.",
    );
    return;
  }
  const path = join(dataDir, "secret");
  const current = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (current === backedUp.text) return;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const temporaryPath = `${path}.restoring`;
  await writeFile(temporaryPath, backedUp.text, { mode: 0o600 });
  if (current !== undefined) {
    await rename(path, `${path}.before-restore`);
    context.log(`The previous secret of ${dataDir} is now secret.before-restore.`);
  }
  await rename(temporaryPath, path);
}
