import { createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Command } from "commander";
import type { Door } from "../open-database.ts";
import { CommandError } from "../errors.ts";
import { projectOption } from "../project-named.ts";
import { carryingOver } from "./rooms.ts";
import { visitorOf, whomOptions, type Whom } from "./visitor.ts";

/** `export <file>`: everything that somebody has, as they could export it themselves. */
export function exportThreads(program: Command, door: Door): void {
  program
    .command("export")
    .argument("<file>", "the zip to write")
    .description("write everything that one person or workspace has into a zip, while the server runs")
    .option(...whomOptions.user)
    .option(...whomOptions.workspace)
    .option(projectOption.flags, projectOption.about)
    .action(async (given: string, whom: Whom) => {
      const path = resolve(given);
      if ((await stat(path).catch(() => undefined)) !== undefined)
        throw new CommandError(`${path} is there already. Name another file, or remove it first.`);
      const unfinished = `${path}.unfinished`;
      const sizeBytes = await door.withDatabase(async (db) => {
        const visitor = await visitorOf(db, door, whom, false);
        const { chunks } = (await carryingOver(db, door)).exports.everything(visitor);
        try {
          const file = createWriteStream(unfinished, { mode: 0o600 });
          await pipeline(Readable.from(chunks), file);
          await rename(unfinished, path);
          return file.bytesWritten;
        } catch (cause) {
          await rm(unfinished, { force: true });
          const { code } = cause as NodeJS.ErrnoException;
          if (code === undefined || !code.startsWith("E")) throw cause;
          throw new CommandError(`${path} cannot be written (${code}).`);
        }
      });
      door.answer({ text: `Everything is in ${path}.`, json: { file: path, size_bytes: sizeBytes } });
    });
}
