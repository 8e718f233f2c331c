import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { decrypt } from "#storage/backup/encryption.ts";
import type { CommandContext } from "../command-context.ts";
import { CommandError } from "../errors.ts";
import { passphraseOption, readPassphrase } from "./passphrase.ts";
import { assertNoFile, writeNewFile } from "./write-new-file.ts";

/** `decrypt <file> <decrypted>`: decrypts what another command encrypted with a passphrase. */
export function decryptFile(program: Command, context: CommandContext): void {
  program
    .command("decrypt")
    .argument("<file>", "an encrypted file, such as an export of everyone")
    .argument("<decrypted>", "the file to write")
    .description("decrypt a file that was encrypted with a passphrase, on any machine")
    .option(...passphraseOption)
    .action(async (given: string, givenTo: string, options: { passphraseFile?: string }) => {
      const [from, to] = [resolve(given), resolve(givenTo)];
      await assertNoFile(to);
      const source = createReadStream(from);
      await new Promise((opened, failed) => source.once("open", opened).once("error", failed)).catch(
        ({ code }: NodeJS.ErrnoException) => {
          throw new CommandError(
            code === "ENOENT" ? `There is no file ${from}.` : `${from} cannot be read (${code}).`,
          );
        },
      );
      try {
        const passphrase = await readPassphrase(context, options, false);
        const sizeBytes = await writeNewFile(to, decrypt(source, passphrase, from));
        context.print({ text: `${to} is decrypted.`, json: { file: to, size_bytes: sizeBytes } });
      } finally {
        source.destroy();
      }
    });
}
