import { createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { CommandError } from "../errors.ts";
import { recordCommand } from "../record-command.ts";
import { appOption } from "../app-option.ts";
import { createOfflineTransfer } from "./offline-transfer.ts";
import { auditedId, findVisitor, userOptions, type UserOptions } from "./user-options.ts";

/** `export <file>`: exports everything of one user or workspace, like the export in Settings. */
export function exportThreads(program: Command, context: CommandContext): void {
  program
    .command("export")
    .argument("<file>", "the zip to write")
    .description("export everything of one user or workspace into a zip, while the server runs")
    .option(...userOptions.user)
    .option(...userOptions.workspace)
    .option(appOption.flags, appOption.about)
    .action(async (given: string, options: UserOptions) => {
      const path = resolve(given);
      if ((await stat(path).catch(() => undefined)) !== undefined)
        throw new CommandError(`${path} already exists. Name another file, or delete it first.`);
      const unfinished = `${path}.unfinished`;
      const sizeBytes = await context.withDatabase(async (db) => {
        const visitor = await findVisitor(db, context, options, false);
        // First, so that what was read is recorded even if the file is not finished.
        await recordCommand(db, context.clock, { action: "content-exported", target: auditedId(visitor) });
        const { chunks } = (await createOfflineTransfer(db, context)).exports.everything(visitor);
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
      context.print({ text: `Everything is in ${path}.`, json: { file: path, size_bytes: sizeBytes } });
    });
}
