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

/**
 * A zip that lists `count` empty files, without their content: libraries take minutes to write so many. It has the zip64
 * form of the end, which more than 65,535 files need.
 */
export function zipListing(count: number): Buffer {
  const names = Array.from({ length: count }, (_, at) => `files/${String(at).padStart(6, "0")}`);
  const entries = names.map((name) => {
    const head = Buffer.alloc(46);
    head.writeUInt32LE(0x02014b50, 0);
    head.writeUInt16LE(20, 6);
    head.writeUInt16LE(name.length, 28);
    return Buffer.concat([head, Buffer.from(name)]);
  });
  const list = Buffer.concat(entries);
  const end64 = Buffer.alloc(56);
  end64.writeUInt32LE(0x06064b50, 0);
  end64.writeBigUInt64LE(44n, 4);
  end64.writeBigUInt64LE(BigInt(count), 24);
  end64.writeBigUInt64LE(BigInt(count), 32);
  end64.writeBigUInt64LE(BigInt(list.length), 40);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(list.length), 8);
  locator.writeUInt32LE(1, 16);
  const end = Buffer.alloc(22, 0xff);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(0, 4);
  end.writeUInt16LE(0, 20);
  return Buffer.concat([list, end64, locator, end]);
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
