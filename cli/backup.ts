import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { verifyArchive } from "#storage/backup/archive.ts";
import { openBlobs } from "#storage/blobs/open.ts";
import { backUp } from "#storage/backup/backup.ts";
import { describeBackup } from "./describe-backup.ts";
import type { CommandContext } from "./command-context.ts";
import { CommandError } from "./errors.ts";
import { programVersion } from "#server/lib/version.ts";

/** `backup <file>`: copies everything into one file, while the server runs. */
export function backup(program: Command, context: CommandContext): void {
  program
    .command("backup")
    .argument("<file>", "the backup to write, or to verify")
    .description("copy everything into one file, while the server runs")
    .option("--without-files", "leave out attached files, if they have a backup of their own")
    .option("--verify", "write nothing: read this backup to its end and report whether it is complete")
    .action(async (given: string, options: { verify?: true; withoutFiles?: true }) => {
      const path = resolve(given);
      if (options.verify === true) {
        const contents = await verifyArchive(path);
        return context.print(describeBackup(`${path} is complete.`, contents));
      }
      const { databaseUrl, databaseDirectUrl, dataDir, secret, files: place } = context.config();
      const store = options.withoutFiles === true ? undefined : await openBlobs({ dataDir, s3: place.s3 });
      const files = secret === undefined ? await secretFile(dataDir) : [];
      const damaged: string[] = [];
      const contents = await backUp({
        place: { databaseUrl: databaseDirectUrl ?? databaseUrl, dataDir },
        path,
        files,
        version: programVersion(),
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
      context.print(describeBackup(`Everything is in ${path}.`, contents));
      for (const key of damaged) context.log(`The bytes of ${key} have changed since they were stored.`);
      if (damaged.length > 0)
        throw new CommandError(
          "The backup is written, but it contains damaged files. Keep the previous backup: it may have them undamaged.",
        );
    });
}

async function secretFile(dataDir: string): Promise<{ name: string; text: string }[]> {
  try {
    return [{ name: "secret", text: await readFile(join(dataDir, "secret"), "utf8") }];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
