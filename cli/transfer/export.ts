import { resolve } from "node:path";
import type { Command } from "commander";
import type { Transfer } from "#server/transfer/transfer.ts";
import { encrypt } from "#storage/backup/encryption.ts";
import type { Database } from "#storage/database/database.ts";
import type { CommandContext } from "../command-context.ts";
import { CommandError } from "../errors.ts";
import { appOption } from "../app-option.ts";
import { createOfflineTransfer } from "./offline-transfer.ts";
import { passphraseOption, readPassphrase } from "./passphrase.ts";
import { findVisitor, userOptions, type UserOptions } from "./user-options.ts";
import { assertNoFile, writeNewFile } from "./write-new-file.ts";

type Options = UserOptions & { everyone?: true; passphraseFile?: string };

/**
 * `export <file>`: exports everything of one user or workspace, like the export in Settings, or of everyone, encrypted. Each
 * person sees that it happened.
 */
export function exportThreads(program: Command, context: CommandContext): void {
  program
    .command("export")
    .argument("<file>", "the file to write")
    .description(
      "export everything of one user or workspace into a zip, or of everyone into an encrypted file, while the server runs",
    )
    .option(...userOptions.user)
    .option(...userOptions.workspace)
    .option(appOption.flags, appOption.about)
    .option("--everyone", "export what each person and workspace of this server has, encrypted")
    .option(...passphraseOption)
    .action(async (given: string, options: Options) => {
      const path = resolve(given);
      await assertNoFile(path);
      const exportTo = options.everyone === true ? exportEveryone : exportUser;
      context.print(await exportTo(path, options, context));
    });
}

type Answer = Parameters<CommandContext["print"]>[0];

async function exportUser(path: string, options: Options, context: CommandContext): Promise<Answer> {
  if (options.passphraseFile !== undefined)
    throw new CommandError("--passphrase-file is only for --everyone: one user's export is not encrypted.");
  const sizeBytes = await withTransfer(context, async ({ exports, operatorExports }, db) => {
    const visitor = await findVisitor(db, context, options, false);
    // First, so that what was read is recorded even if the file is not finished.
    await operatorExports.recordOfUser(visitor);
    return await writeNewFile(path, exports.everything(visitor).chunks);
  });
  return { text: `Everything is in ${path}.`, json: { file: path, size_bytes: sizeBytes } };
}

async function exportEveryone(path: string, options: Options, context: CommandContext): Promise<Answer> {
  for (const name of ["user", "workspace", "app"] as const)
    if (options[name] !== undefined)
      throw new CommandError(`--${name} and --everyone exclude each other. Remove one of them.`);
  const passphrase = await readPassphrase(context, options, true);
  let count = 0;
  const sizeBytes = await withTransfer(context, async ({ exportEveryone: all, operatorExports }) => {
    await operatorExports.recordOfEveryone();
    const chunks = all((exported) => {
      count = exported;
      if (exported % 100 === 0) context.log(`Exported ${exported} people and workspaces.`);
    });
    return await writeNewFile(path, encrypt(chunks, passphrase));
  });
  return {
    text: `What ${count} people and workspaces have is in ${path}, encrypted. Without the passphrase nobody can read it.`,
    json: { file: path, size_bytes: sizeBytes, exports: count },
  };
}

async function withTransfer<T>(
  context: CommandContext,
  work: (transfer: Transfer, db: Database) => Promise<T>,
): Promise<T> {
  return await context.withDatabase(async (db) => await work(await createOfflineTransfer(db, context), db));
}
