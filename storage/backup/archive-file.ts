import { createReadStream } from "node:fs";
import { open, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { StorageFullError } from "../lib/errors.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { ArchiveError, packArchive, type ArchiveLine, type ArchiveSource, type Contents } from "./archive.ts";

/**
 * Writes `lines` to a new file at `path`, which only its owner may read. The file appears when it is complete. Creates
 * missing folders. Throws `ArchiveError` if the path is taken or not writable, and `StorageFullError`.
 */
export async function writeArchive(path: string, lines: AsyncIterable<ArchiveLine>): Promise<Contents> {
  const unfinished = `${path}.unfinished`;
  let file: FileHandle | undefined;
  try {
    await assertFree(path);
    await makeFolder(dirname(path));
    await rm(unfinished, { force: true });
    file = await open(unfinished, "wx", 0o600);
    let contents: Contents;
    for await (const chunk of packArchive(lines, (written) => (contents = written)))
      await writeAll(file, chunk);
    await file.sync();
    await assertFree(path);
    // Another backup to the same path may have started meanwhile.
    if ((await stat(unfinished)).ino !== (await file.stat()).ino) throw takenError(path);
    await file.close();
    await rename(unfinished, path);
    return contents!;
  } catch (cause) {
    await file?.close().catch(() => {});
    if (cause instanceof ArchiveError) throw cause;
    await rm(unfinished, { force: true }).catch(() => {});
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG")
      throw new StorageFullError(`There is no space for ${path}. Nothing was kept.`, { cause });
    if (code !== undefined && file === undefined)
      throw new ArchiveError(
        `${path} cannot be written (${code}). Name a file in a folder that this user may write to.`,
        { cause },
      );
    throw cause;
  }
}

async function assertFree(path: string): Promise<void> {
  const existing = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (existing !== undefined) throw takenError(path);
}

function takenError(path: string): ArchiveError {
  return new ArchiveError(`${path} is there already. Name another file, or remove it first.`);
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let from = 0; from < chunk.length;) from += (await file.write(chunk, from)).bytesWritten;
}

/** The bytes of the file at `path`. Throws `ArchiveError` if it cannot be read. */
async function* readFileBytes(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Uint8Array>;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new ArchiveError(`There is no file ${path}.`, { cause });
    if (code?.startsWith("E")) throw new ArchiveError(`${path} cannot be read (${code}).`, { cause });
    throw cause;
  }
}

/** The archive in the file at `path`. */
export function archiveFile(path: string): ArchiveSource {
  return { name: path, open: () => readFileBytes(path) };
}
