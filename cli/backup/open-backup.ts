import { open } from "node:fs/promises";
import { resolve } from "node:path";
import type { ArchiveSource } from "#storage/backup/archive.ts";
import { archiveFile } from "#storage/backup/archive-file.ts";
import { decrypt, isEncrypted } from "#storage/backup/encryption.ts";
import { listBackups, openTarget, storedArchive, type BackupTarget } from "#storage/backup/target.ts";
import type { CommandContext } from "../command-context.ts";
import { CommandError } from "../errors.ts";
import { readSecretFile } from "./read-secret-file.ts";

type Passphrase = { passphraseFile?: string };

/**
 * The backup that somebody named: a file, encrypted or not, or one in the folder or bucket of the settings, of which
 * `latest` is the newest. Throws `CommandError`.
 */
export async function openBackup(
  given: string,
  options: Passphrase,
  context: CommandContext,
): Promise<ArchiveSource> {
  const path = resolve(given);
  const beginning = await firstBytes(path);
  if (beginning !== undefined) {
    const file = archiveFile(path);
    if (!isEncrypted(beginning)) return file;
    const passphrase = await readPassphrase(options, context);
    return { name: path, open: () => decrypt(file.open(), passphrase, path) };
  }
  const target = backupTarget(context);
  if (target === undefined || /[/\\]/.test(given)) return archiveFile(path);
  const store = await openTarget(target);
  const found = await listBackups(store);
  const chosen = given === "latest" ? found[0] : found.find(({ name }) => name === given);
  if (chosen === undefined)
    throw new CommandError(
      found.length === 0
        ? "There are no backups in the place that the settings name."
        : `There is no ${given} among the backups: ${found.map(({ name }) => name).join(", ")}.`,
    );
  return storedArchive(store, chosen.name, await readPassphrase(options, context));
}

/** Where the settings of the environment say that backups are. */
function backupTarget(context: CommandContext): BackupTarget | undefined {
  const { folder, s3 } = context.config().backups;
  if (s3 !== undefined) return { s3 };
  return folder === undefined ? undefined : { folder };
}

/** From a file, the environment or the keyboard. Arguments are visible to other users of the machine. */
async function readPassphrase({ passphraseFile }: Passphrase, context: CommandContext): Promise<string> {
  if (passphraseFile !== undefined) return await readSecretFile("--passphrase-file", passphraseFile);
  const passphrase = context.config().backups.passphrase ?? (await context.askSecret("Passphrase: "));
  if (passphrase === undefined || passphrase === "")
    throw new CommandError(
      "The backup is encrypted. Add --passphrase-file with a file that has the passphrase, or set BACKUP_PASSPHRASE.",
    );
  return passphrase;
}

/** `undefined` if there is no file. */
async function firstBytes(path: string): Promise<Uint8Array | undefined> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new CommandError(`${path} cannot be read (${error.code}).`);
  });
  if (file === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw new CommandError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  } finally {
    await file.close();
  }
}
