import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

type Gathered = { bytes: AsyncIterable<Uint8Array>; sizeBytes: number; remove?: () => Promise<void> };

/** What comes without a size, kept aside until all of it has come: S3 wants to know how much it will be. */
export async function gathered(bytes: AsyncIterable<Uint8Array>): Promise<Gathered> {
  const folder = await mkdtemp(join(tmpdir(), "parlance-"));
  const remove = async () => await rm(folder, { recursive: true, force: true });
  const path = join(folder, "bytes");
  try {
    await pipeline(bytes, createWriteStream(path, { mode: 0o600 }));
    return { bytes: createReadStream(path), sizeBytes: (await stat(path)).size, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
