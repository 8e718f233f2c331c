import { readOwnFile } from "#web/data/own-file.ts";
import { importOrRetry } from "#web/lib/import-or-retry.ts";

let reading: Promise<string> | undefined;

/** The script that guards the loops of a program, with a parser. It is built like a worker: one file without imports. */
export async function readGuard(): Promise<string> {
  reading ??= importOrRetry(async () => await import("./guard-runtime.ts?worker&url"))
    .then(async ({ default: url }) => await readOwnFile(url))
    .catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
  return await reading;
}
