import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import type { JsonObject } from "#contract/json.ts";
import { loadSecret } from "#server/sign-in/secrets.ts";
import { keysFileName, packKeys, storedKeysQuery } from "#server/models/stored-providers/transfer-keys.ts";
import { verifyArchive, type Contents } from "#storage/backup/archive.ts";
import type { BackupFile } from "#storage/backup/insert-backup.ts";
import type { Snapshot } from "#storage/backup/snapshot.ts";
import { isOfThisVersion } from "#storage/migrations/migrate.ts";
import { openBlobs } from "#storage/blobs/open.ts";
import { backUp } from "#storage/backup/backup.ts";
import { describeBackup } from "./describe-backup.ts";
import { openBackup } from "./open-backup.ts";
import type { CommandContext } from "../command-context.ts";
import { CommandError } from "../errors.ts";
import { recordCommand } from "../record-command.ts";
import { readSecretFile } from "./read-secret-file.ts";
import { versionText } from "#server/lib/program.ts";

/** `backup <file>`: copies everything into one file, while the server runs. */
export function backup(program: Command, context: CommandContext): void {
  program
    .command("backup")
    .argument("<file>", "the backup to write, or to verify")
    .description("copy everything into one file, while the server runs")
    .option("--without-files", "leave out attached files, if they have a backup of their own")
    .option(
      "--keys-passphrase-file <file>",
      "add the keys of model providers, encrypted with this passphrase",
    )
    .option("--passphrase-file <file>", "with --verify: a file with the passphrase of an encrypted backup")
    .option("--verify", "write nothing: read this backup to its end and report whether it is complete")
    .action(async (given: string, options: BackupOptions) => {
      const path = resolve(given);
      if (options.verify === true) {
        const contents = await verifyArchive(await openBackup(given, options, context));
        return context.print(describeBackup(`${path} is complete.`, contents));
      }
      const { databaseUrl, databaseDirectUrl, dataDir, secret, files: place } = context.config();
      const store = options.withoutFiles === true ? undefined : await openBlobs({ dataDir, s3: place.s3 });
      const files = secret === undefined ? await secretFile(dataDir) : [];
      const passphrase = await readPassphrase(options.keysPassphraseFile);
      const damaged: string[] = [];
      const contents = await backUp({
        place: { databaseUrl: databaseDirectUrl ?? databaseUrl, dataDir },
        path,
        files,
        filesFrom:
          passphrase === undefined
            ? undefined
            : async (snapshot) => await keysFile(snapshot, { passphrase, setting: secret, dataDir }, context),
        version: versionText(),
        nowMs: context.clock.now(),
        blobs:
          store === undefined
            ? undefined
            : {
                store,
                problems: {
                  missing: (key) => context.log(`The bytes of ${key} are missing.`),
                  damaged: (key) => void damaged.push(key),
                },
              },
      });
      if (secret !== undefined)
        context.log(
          "PARLANCE_SECRET is not in the backup. Store it separately: a restored server needs the same value.",
        );
      if (passphrase === undefined && (contents.rows.model_providers ?? 0) > 0)
        context.log(
          "The keys of model providers are not in the backup. Add --keys-passphrase-file, or enter them again after a restore.",
        );
      await recordBackup(context, contents, {
        file: path,
        has_files: store !== undefined,
        has_keys: passphrase !== undefined,
      });
      context.print(describeBackup(`Everything is in ${path}.`, contents));
      for (const key of damaged) context.log(`The bytes of ${key} have changed since they were stored.`);
      if (damaged.length > 0)
        throw new CommandError(
          "The backup is written, but it contains damaged files. Keep the previous backup: it may have them undamaged.",
        );
    });
}

type BackupOptions = {
  verify?: true;
  passphraseFile?: string;
  withoutFiles?: true;
  keysPassphraseFile?: string;
};

/**
 * Writes the backup to the audit log. A database of an earlier version has no entry: opening it would migrate it. A failure
 * is only a warning, because the backup is there.
 */
async function recordBackup(context: CommandContext, { head }: Contents, details: JsonObject): Promise<void> {
  if (!isOfThisVersion(head.migrations))
    return context.log("The audit log has no entry for this backup: the database is of an earlier version.");
  try {
    await context.withDatabase(
      async (db) => await recordCommand(db, context.clock, { action: "backup-made", details }),
    );
  } catch (error) {
    context.log(`The audit log has no entry for this backup: ${(error as Error).message}`);
  }
}

async function readPassphrase(path: string | undefined): Promise<string | undefined> {
  return path === undefined ? undefined : await readSecretFile("--keys-passphrase-file", path);
}

/** The keys of the model providers, encrypted with the passphrase. */
async function keysFile(
  { rows }: Pick<Snapshot, "rows">,
  from: { passphrase: string; setting: string | undefined; dataDir: string },
  context: CommandContext,
): Promise<BackupFile[]> {
  const secret = await loadSecret(from.setting, from.dataDir);
  const stored = (await rows(storedKeysQuery)) as unknown as Parameters<typeof packKeys>[0];
  const { text, left } = packKeys(stored, { secret, passphrase: from.passphrase });
  if (left > 0) context.log(`${left} keys were encrypted with another secret and are not in the backup.`);
  return [{ name: keysFileName, text }];
}

async function secretFile(dataDir: string): Promise<{ name: string; text: string }[]> {
  try {
    return [{ name: "secret", text: await readFile(join(dataDir, "secret"), "utf8") }];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
