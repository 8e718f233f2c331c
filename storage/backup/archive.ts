import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { createGunzip, createGzip } from "node:zlib";

/**
 * An archive consists of lines of JSON, compressed with gzip: the head, the files, the name and columns of each table
 * followed by its rows as lists, the key and length of each attached file followed by its pieces, and at the end the number
 * of rows and the SHA-256 of all lines before. The format is the same for both engines. Memory use does not grow with size.
 */
export type Head = {
  /** 2 if it contains attached files. */
  parlance_backup: 1 | 2;
  version: string;
  created_at: string;
  engine: string;
  /** The migrations of its schema in order. */
  migrations: string[];
};

export type ArchiveLine =
  | { type: "head"; head: Head }
  | { type: "file"; name: string; text: string }
  | { type: "table"; name: string; columns: string[] }
  | { type: "row"; values: Value[] }
  | { type: "blob"; key: string; sizeBytes: number }
  | { type: "piece"; bytes: Uint8Array };

/** A value of a column. Bytes are written as base64. */
export type Value = string | number | null | Uint8Array;

/** The contents of an archive that was read to the end and is complete. */
export type Contents = { head: Head; files: string[]; rows: Record<string, number>; blobs: number };

/** An archive is damaged, truncated, missing or not an archive, or a new one cannot be written at its path. */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
}

/** Where the bytes of an archive are read from, as often as necessary. */
export type ArchiveSource = {
  /** What errors call it. */
  name: string;
  /** Throws `ArchiveError` if there is none. */
  open(): AsyncIterable<Uint8Array>;
};

/**
 * The bytes of an archive with these lines. `onEnd` is called before the last of them. Throws what `lines` throws.
 */
export function packArchive(
  lines: AsyncIterable<ArchiveLine>,
  onEnd: (contents: Contents) => void,
): AsyncIterable<Uint8Array> {
  const text = Readable.from(encode(lines, onEnd));
  const packed = createGzip({ level });
  text.on("error", (error) => packed.destroy(error));
  packed.on("close", () => text.destroy());
  return text.pipe(packed);
}

/** The fastest, because a server may be running. */
const level = 1;

/** The compressor gets many rows at once. */
const pieceCharacters = 64 * 1024;

async function* encode(
  lines: AsyncIterable<ArchiveLine>,
  onEnd: (contents: Contents) => void,
): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  const counter = createCounter();
  let text = "";
  for await (const line of lines) {
    counter.add(line);
    text += `${JSON.stringify(toJson(line))}\n`;
    if (text.length < pieceCharacters) continue;
    const piece = Buffer.from(text);
    text = "";
    hash.update(piece);
    yield piece;
  }
  const piece = Buffer.from(text);
  hash.update(piece);
  const contents = counter.contents();
  yield piece;
  onEnd(contents);
  yield Buffer.from(`${JSON.stringify({ end: true, rows: contents.rows, sha256: hash.digest("hex") })}\n`);
}

function toJson(line: ArchiveLine): unknown {
  if (line.type === "head") return line.head;
  if (line.type === "file") return { file: line.name, text: line.text };
  if (line.type === "table") return { table: line.name, columns: line.columns };
  if (line.type === "blob") return { blob: line.key, size: line.sizeBytes };
  if (line.type === "piece") return { piece: Buffer.from(line.bytes).toString("base64") };
  return line.values.map((value) =>
    value instanceof Uint8Array ? { base64: Buffer.from(value).toString("base64") } : value,
  );
}

/**
 * Reads and checks an archive line by line. If it ends without an error, the archive is complete. Throws `ArchiveError`.
 */
export async function* readArchive(source: ArchiveSource): AsyncGenerator<ArchiveLine, Contents, undefined> {
  const path = source.name;
  const hash = createHash("sha256");
  const counter = createCounter();
  let end: { rows: Record<string, number>; sha256: string } | undefined;
  for await (const bytes of rawLines(source)) {
    if (end !== undefined) throw damagedError(path, "something follows its end");
    const value = parseJson(path, bytes);
    if (!Array.isArray(value) && (value as { end?: unknown }).end === true) {
      end = value as typeof end;
      continue;
    }
    hash.update(bytes).update("\n");
    const line = parseLine(path, value, counter.isEmpty());
    counter.add(line);
    yield line;
  }
  if (end === undefined) throw damagedError(path, "its end is missing");
  if (end.sha256 !== hash.digest("hex")) throw damagedError(path, "its checksum is wrong");
  const contents = counter.contents();
  for (const [table, count] of Object.entries(end.rows))
    if (contents.rows[table] !== count) throw damagedError(path, `rows of ${table} are missing`);
  return contents;
}

/** Reads the whole archive and returns its contents. Throws `ArchiveError`. */
export async function verifyArchive(
  source: ArchiveSource,
  onLine?: (line: ArchiveLine) => void,
): Promise<Contents> {
  const lines = readArchive(source);
  for (;;) {
    const line = await lines.next();
    if (line.done === true) return line.value;
    onLine?.(line.value);
  }
}

function parseLine(path: string, value: unknown, isFirst: boolean): ArchiveLine {
  if (Array.isArray(value)) return { type: "row", values: value.map(valueOf) };
  const fields = (value ?? {}) as Record<string, unknown>;
  if (isFirst) {
    if (fields.parlance_backup === 1 || fields.parlance_backup === 2)
      return { type: "head", head: fields as Head };
    if (typeof fields.parlance_backup === "number")
      throw new ArchiveError(
        `${path} was written by a newer Parlance, in an unknown format. Use that version.`,
      );
    throw new ArchiveError(`${path} is not a backup of Parlance.`);
  }
  if (typeof fields.file === "string") return { type: "file", name: fields.file, text: String(fields.text) };
  if (typeof fields.table === "string")
    return { type: "table", name: fields.table, columns: fields.columns as string[] };
  if (typeof fields.blob === "string")
    return { type: "blob", key: fields.blob, sizeBytes: Number(fields.size) };
  if (typeof fields.piece === "string") return { type: "piece", bytes: Buffer.from(fields.piece, "base64") };
  throw damagedError(path, "a line has an unknown type");
}

function valueOf(value: unknown): Value {
  return typeof value === "object" && value !== null
    ? Buffer.from((value as { base64: string }).base64, "base64")
    : (value as Value);
}

/** Only the byte 10 ends a line: texts contain other line separators. */
async function* rawLines({ name, open }: ArchiveSource): AsyncGenerator<Buffer> {
  const source = Readable.from(open());
  const unpacked = createGunzip();
  let sourceError: Error | undefined;
  source.on("error", (error) => unpacked.destroy((sourceError = error)));
  let rest: Buffer[] = [];
  try {
    for await (const chunk of source.pipe(unpacked) as AsyncIterable<Buffer>) {
      let from = 0;
      for (let to = chunk.indexOf(10); to !== -1; to = chunk.indexOf(10, from)) {
        yield rest.length === 0
          ? chunk.subarray(from, to)
          : Buffer.concat([...rest, chunk.subarray(from, to)]);
        rest = [];
        from = to + 1;
      }
      if (from < chunk.length) rest.push(chunk.subarray(from));
    }
  } catch (cause) {
    if (cause === sourceError) throw cause;
    const { message } = cause as Error;
    if (message === "incorrect header check")
      throw new ArchiveError(`${name} is not a backup of Parlance.`, { cause });
    throw damagedError(name, message);
  } finally {
    source.destroy();
    unpacked.destroy();
  }
  if (rest.length > 0) throw damagedError(name, "it ends in the middle of a line");
}

function parseJson(path: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    throw damagedError(path, "a line is not JSON");
  }
}

function damagedError(path: string, how: string): ArchiveError {
  return new ArchiveError(`${path} is damaged or truncated: ${how}. Use another backup.`);
}

function createCounter() {
  let head: Head | undefined;
  let table = "";
  const files: string[] = [];
  const rows: Record<string, number> = {};
  let blobs = 0;
  return {
    isEmpty: () => head === undefined,
    add(line: ArchiveLine): void {
      if (line.type === "head") head = line.head;
      else if (line.type === "file") files.push(line.name);
      else if (line.type === "table") rows[(table = line.name)] = 0;
      else if (line.type === "row") rows[table] = (rows[table] ?? 0) + 1;
      else if (line.type === "blob") blobs += 1;
    },
    contents: (): Contents => ({ head: head!, files, rows, blobs }),
  };
}
