import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { CommandError } from "../errors.ts";

/**
 * The first line of a file with a passphrase or a secret. Arguments are visible to other users of the machine, so secrets
 * are never arguments.
 */
export async function readSecretFile(option: string, path: string): Promise<string> {
  const text = await readFile(resolve(path), "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${option}: ${path} cannot be read (${error.code}).`);
  });
  const secret = text.split(/\r?\n/, 1)[0]!.trim();
  if (secret.length < 12)
    throw new CommandError(`${option}: the first line of ${path} must have at least 12 characters.`);
  return secret;
}
