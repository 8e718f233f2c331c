import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { verifyArchive } from "#storage/backup/archive.ts";
import { openBlobs } from "#storage/blobs/open.ts";
import { backUp } from "#storage/backup/backup.ts";
import { describeArchive } from "./archive-words.ts";
import type { Door } from "./open-database.ts";
import { CommandError } from "./errors.ts";
import { programVersion } from "#server/lib/version.ts";

/** `backup <file>`: a copy of everything, taken while the server runs. */
export function backup(program: Command, door: Door): void {
  program
    .command("backup")
    .argument("<file>", "the archive to write, or to look at")
    .description("copy everything into one file, while the server runs")
    .option("--without-files", "leave out what people attached, where that is kept safe in another way")
    .option("--verify", "write nothing: read this archive to its end and say whether it is whole")
    .action(async (given: string, options: { verify?: true; withoutFiles?: true }) => {
      const path = resolve(given);
      if (options.verify === true) {
        const contents = await verifyArchive(path);
        return door.answer(describeArchive(`${path} is whole.`, contents));
      }
      const { databaseUrl, databaseDirectUrl, dataDir, secret, files: place } = door.config();
      const store = options.withoutFiles === true ? undefined : await openBlobs({ dataDir, s3: place.s3 });
      const files = secret === undefined ? await secretFile(dataDir) : [];
      const damaged: string[] = [];
      const contents = await backUp({
        place: { databaseUrl: databaseDirectUrl ?? databaseUrl, dataDir },
        path,
        files,
        version: programVersion(),
        nowMs: door.clock.now(),
        blobs:
          store === undefined
            ? undefined
            : {
                store,
                untrue: {
                  missing: (key) => door.note(`The bytes of ${key} are not there any more.`),
                  damaged: (key) => void damaged.push(key),
                },
              },
      });
      if (secret !== undefined)
        door.note("PARLANCE_SECRET is not in the backup. Keep it apart: a restored server needs the same.");
      door.answer(describeArchive(`Everything is in ${path}.`, contents));
      for (const key of damaged) door.note(`The bytes of ${key} are not what they were.`);
      if (damaged.length > 0)
        throw new CommandError(
          "The backup is written, but files were damaged before it. Keep the backup before this one: it may have them.",
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
