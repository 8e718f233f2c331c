import { buffer } from "node:stream/consumers";
import type { Readable } from "node:stream";
import { fromBufferPromise } from "yauzl";
import { ZipFile } from "yazl";

/** A zip of these files. */
export async function zipped(files: Record<string, string | Buffer>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  return await buffer(zip.outputStream as Readable);
}

/** Replaces names in a zip, for names that zip libraries refuse to write. Each must be as long as the old one. */
export function renamed(zip: Buffer, names: Record<string, string>): Buffer {
  let text = zip.toString("latin1");
  for (const [from, to] of Object.entries(names)) text = text.replaceAll(from, to);
  return Buffer.from(text, "latin1");
}

export const manifest = JSON.stringify({
  format: "parlance-export",
  version: 1,
  exported_at: "2026-01-31T12:00:00.000Z",
  program: { name: "Parlance", version: "0.0.0" },
  threads: 1,
  messages: 1,
  files: 0,
});

/** The files in a zip, by name. */
export async function unzipped(zip: Uint8Array): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const opened = await fromBufferPromise(Buffer.from(zip));
  for await (const entry of opened.eachEntry())
    files.set(entry.fileName, await buffer(await opened.openReadStreamPromise(entry)));
  return files;
}
