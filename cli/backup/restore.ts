import type { Command } from "commander";
import { loadSecret } from "#server/sign-in/secrets.ts";
import { restoreBackup } from "#server/admin/backups/restore-backup.ts";
import { placeOf } from "#server/admin/backups/backups.ts";
import { keysFileName, storeKeys, unpackKeys } from "#server/models/stored-providers/transfer-keys.ts";
import { operator } from "#server/audit/audit.ts";
import type { BackupFile } from "#storage/backup/insert-backup.ts";
import { describeBackup } from "./describe-backup.ts";
import { openBackup } from "./open-backup.ts";
import type { CommandContext } from "../command-context.ts";
import { CommandError } from "../errors.ts";
import { readSecretFile } from "./read-secret-file.ts";

type Options = { replace?: true; keysPassphraseFile?: string; passphraseFile?: string };

/** `restore <backup>`: restores a backup into SQLite or PostgreSQL. */
export function restore(program: Command, context: CommandContext): void {
  program
    .command("restore")
    .argument(
      "<backup>",
      "a file, or the name of an encrypted backup in the folder or bucket of the settings, or latest",
    )
    .description("restore a backup into SQLite or PostgreSQL; the server must be stopped")
    .option(
      "--passphrase-file <file>",
      "a file with the passphrase of an encrypted backup; otherwise BACKUP_PASSPHRASE counts, or you are asked",
    )
    .option("--keys-passphrase-file <file>", "restore the keys of model providers that the backup contains")
    .option("--replace", "replace the current contents of the database")
    .action(async (given: string, options: Options) => {
      const config = context.config();
      const { keysPassphraseFile: keysPath } = options;
      const keysPassphrase =
        keysPath === undefined ? undefined : await readSecretFile("--keys-passphrase-file", keysPath);
      const source = await openBackup(given, options, context);
      let keys: CarriedKeys = [];
      const contents = await restoreBackup({
        place: placeOf(config),
        source,
        replace: options.replace === true,
        actor: operator,
        details: { file: source.name },
        nowMs: context.clock.now(),
        log: context.log,
        beforeCommit: (files) => void (keys = readKeys(files, keysPassphrase, context)),
        async afterwards(db) {
          if (keys.length > 0) await storeKeys(db, keys, await loadSecret(config.secret, config.dataDir));
        },
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
