import { readSecretFile } from "../backup/read-secret-file.ts";
import type { CommandContext } from "../command-context.ts";
import { CommandError } from "../errors.ts";

/** Never the passphrase itself: other users of the machine can see the arguments of commands. */
export const passphraseOption = [
  "--passphrase-file <file>",
  "a file whose first line is the passphrase; without it and EXPORT_PASSPHRASE, the command asks",
] as const;

const shortest = 12;

/**
 * The passphrase in the file, in `EXPORT_PASSPHRASE`, or else as it is typed. A new one is typed twice. Throws
 * `CommandError`.
 */
export async function readPassphrase(
  context: CommandContext,
  { passphraseFile: path }: { passphraseFile?: string },
  isNew: boolean,
): Promise<string> {
  if (path !== undefined) return await readSecretFile("--passphrase-file", path);
  const given = context.config().exportPassphrase ?? (await context.askSecret("Passphrase: "));
  if (given === undefined)
    throw new CommandError(
      "There is no terminal to ask for the passphrase. Add --passphrase-file, or set EXPORT_PASSPHRASE.",
    );
  if (given.length < shortest)
    throw new CommandError(`The passphrase must have at least ${shortest} characters.`);
  if (isNew && context.config().exportPassphrase === undefined)
    if ((await context.askSecret("The same again: ")) !== given)
      throw new CommandError("The passphrases are different. Nothing was written.");
  return given;
}
