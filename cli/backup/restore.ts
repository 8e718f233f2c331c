import { readFile, rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { loadSecret } from "#server/sign-in/secrets.ts";
import { keysFileName, storeKeys, unpackKeys } from "#server/models/stored-providers/transfer-keys.ts";
import { openBlobs } from "#storage/blobs/open.ts";
import { makeFolder } from "#storage/lib/make-folder.ts";
import { archiveFile } from "#storage/backup/archive-file.ts";
import { restore as restoreArchive } from "#storage/backup/restore.ts";
import type { BackupFile } from "#storage/backup/insert-backup.ts";
import { describeBackup } from "./describe-backup.ts";
import type { CommandContext } from "../command-context.ts";
import { CommandError } from "../errors.ts";
import { recordCommand } from "../record-command.ts";
import { readSecretFile } from "./read-secret-file.ts";

/** `restore <file>`: restores a backup into SQLite or PostgreSQL. */
export function restore(program: Command, context: CommandContext): void {
  program
    .command("restore")
    .argument("<file>", "the backup file")
    .description("restore a backup into SQLite or PostgreSQL; the server must be stopped")
    .option("--keys-passphrase-file <file>", "restore the keys of model providers that the backup contains")
    .option("--replace", "replace the current contents of the database")
    .action(async (given: string, options: { replace?: true; keysPassphraseFile?: string }) => {
      const { databaseUrl, databaseDirectUrl, dataDir, secret, files: fileSettings } = context.config();
      const blobs = await openBlobs({ dataDir, s3: fileSettings.s3 });
      const { keysPassphraseFile: keysPath } = options;
      const passphrase =
        keysPath === undefined ? undefined : await readSecretFile("--keys-passphrase-file", keysPath);
      let keys: CarriedKeys = [];
      const contents = await restoreArchive({
        place: { databaseUrl: databaseDirectUrl ?? databaseUrl, dataDir },
        source: archiveFile(resolve(given)),
        replace: options.replace === true,
        putBlob: async (key, sizeBytes, bytes) => void (await blobs.put(key, bytes, { sizeBytes })),
        beforeCommit: async (files) => {
          keys = readKeys(files, passphrase, context);
          if (secret === undefined) await putSecret(dataDir, files, context);
        },
      });
      await context.withExclusiveDatabase(async (db) => {
        if (keys.length > 0) await storeKeys(db, keys, await loadSecret(secret, dataDir));
        const details = { file: resolve(given), taken_at: contents.head.created_at };
        await recordCommand(db, context.clock, { action: "backup-restored", details });
      });
      context.print(
        describeBackup("The backup is restored. Answers that were in progress can be continued.", contents),
      );
    });
}

type CarriedKeys = NonNullable<ReturnType<typeof unpackKeys>>;

/**
 * The decrypted keys of model providers in a backup. Throws `CommandError` for a wrong passphrase, and if the backup
 * has no keys.
 */
function readKeys(files: BackupFile[], passphrase: string | undefined, context: CommandContext): CarriedKeys {
  const file = files.find(({ name }) => name === keysFileName);
  if (passphrase === undefined) {
    if (file !== undefined)
      context.log(
        "The keys of model providers were not restored. Restore again with --keys-passphrase-file, or enter them again.",
      );
    return [];
  }
  if (file === undefined)
    throw new CommandError("--keys-passphrase-file: the backup contains no keys of model providers.");
  const keys = unpackKeys(file.text, passphrase);
  if (keys === undefined)
    throw new CommandError("--keys-passphrase-file: this is not the passphrase of the backup.");
  return keys;
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
  await makeFolder(dataDir);
  const temporaryPath = `${path}.restoring`;
  await writeFile(temporaryPath, backedUp.text, { mode: 0o600 });
  if (current !== undefined) {
    await rename(path, `${path}.before-restore`);
    context.log(`The previous secret of ${dataDir} is now secret.before-restore.`);
  }
  await rename(temporaryPath, path);
}
