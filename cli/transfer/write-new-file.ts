import { createWriteStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { StorageFullError } from "#storage/lib/errors.ts";
import { CommandError } from "../errors.ts";

/** Throws `CommandError` if there is a file. */
export async function assertNoFile(path: string): Promise<void> {
  if ((await stat(path).catch(() => undefined)) !== undefined)
    throw new CommandError(`${path} already exists. Name another file, or delete it first.`);
}

/**
 * Writes `chunks` to a new file, which only its owner may read, and returns its size. The file appears at `path` when it is
 * complete. Throws `CommandError` and `StorageFullError`.
 */
export async function writeNewFile(
  path: string,
  chunks: AsyncIterable<string | Uint8Array>,
): Promise<number> {
  const unfinished = `${path}.unfinished`;
  try {
    // What an earlier command left over.
    await rm(unfinished, { force: true });
    const file = createWriteStream(unfinished, { flags: "wx", mode: 0o600 });
    await pipeline(chunks, file);
    const written = await open(unfinished, "r+");
    try {
      await written.sync();
    } finally {
      await written.close();
    }
    await assertNoFile(path);
    await rename(unfinished, path);
    return file.bytesWritten;
  } catch (cause) {
    await rm(unfinished, { force: true });
    const { code, syscall } = cause as NodeJS.ErrnoException;
    if (code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG")
      throw new StorageFullError(`There is no space for ${path}. Nothing was kept.`, { cause });
    if (code === undefined || syscall === undefined) throw cause;
    throw new CommandError(`${path} cannot be written (${code}).`);
  }
}
