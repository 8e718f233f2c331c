import { deserialize } from "bson";
import { AppError } from "#server/lib/errors.ts";
import { objectOf, textOf } from "../other-services/fields.ts";
import { rowBytesMax, type TableRows } from "./read-server.ts";

/** MongoDB's limit of a document, and its header. */
const documentBytesMax = Math.min(rowBytesMax, 16 * 1024 * 1024 + 16 * 1024);

/** In an archive: ends a block of documents, in place of a document's length. */
const blockEnd = -1;

/**
 * The documents of a collection, as `mongodump` writes them: one after the other, each beginning with its length. Ids and
 * times become texts. Throws `import-damaged`.
 */
export async function* readBson(table: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TableRows> {
  yield { table, rows: [] };
  for await (const documents of documentsIn(chunks)) yield { table, rows: documents.map(plainDocument) };
}

const archiveMagic = Buffer.from([0x6d, 0xe2, 0x99, 0x81]);

/** Whether a file begins like an archive of `mongodump --archive`. */
export function isMongoArchive(head: Uint8Array): boolean {
  return archiveMagic.equals(head.subarray(0, archiveMagic.length));
}

/**
 * The documents of some collections in an archive: after the magic number, a header and the name of each collection; then
 * blocks, each with the name of a collection and some of its documents. The last block of a collection says so. Of several
 * databases, it reads the one that has all the `required` collections. Throws `import-unknown` without one, and
 * `import-damaged`, also if a collection has no end.
 */
export async function* readMongoArchive(
  chunks: AsyncIterable<Uint8Array>,
  { tables, required }: { tables: readonly string[]; required: readonly string[] },
): AsyncGenerator<TableRows> {
  const collections: { db: string; table: string }[] = [];
  /** The collections whose ends are missing. */
  const open = new Set<string>();
  let hasHeader = false;
  let db: string | undefined;
  let block: { db: string; table: string } | undefined;
  for await (const documents of documentsIn(chunks, archiveMagic)) {
    let rows: unknown[] = [];
    for (const bytes of documents) {
      if (bytes !== blockEnd && block !== undefined) {
        if (block.db === db && tables.includes(block.table)) rows.push(plainDocument(bytes));
        continue;
      }
      if (bytes !== blockEnd) {
        const { db: name, collection, EOF: isLast } = objectOf(plainDocument(bytes));
        const place = { db: textOf(name), table: textOf(collection) };
        if (db !== undefined) block = place;
        else if (hasHeader) collections.push(place);
        hasHeader = true;
        if (isLast === true && place.db === db) open.delete(place.table);
        continue;
      }
      if (block !== undefined && rows.length > 0) yield { table: block.table, rows };
      rows = [];
      block = undefined;
      if (db !== undefined) continue;
      const has = (candidate: string) => (table: string) =>
        collections.some((each) => each.db === candidate && each.table === table);
      db = collections.find((each) => required.every(has(each.db)))?.db;
      if (db === undefined) throw new AppError("import-unknown");
      for (const table of tables.filter(has(db))) {
        open.add(table);
        yield { table, rows: [] };
      }
    }
    if (block !== undefined && rows.length > 0) yield { table: block.table, rows };
  }
  if (db === undefined || block !== undefined || open.size > 0) throw new AppError("import-damaged");
}

/** The documents of each chunk, and where blocks end. `prefix` is what the file begins with. */
async function* documentsIn(
  chunks: AsyncIterable<Uint8Array>,
  prefix: Buffer = Buffer.alloc(0),
): AsyncGenerator<(Buffer | typeof blockEnd)[]> {
  let waiting = Buffer.alloc(0);
  let from = prefix.length;
  for await (const chunk of chunks) {
    waiting = waiting.length === 0 ? Buffer.from(chunk) : Buffer.concat([waiting, chunk]);
    const documents: (Buffer | typeof blockEnd)[] = [];
    while (waiting.length - from >= 4) {
      const size = waiting.readInt32LE(from);
      if (size === blockEnd && prefix.length > 0) {
        documents.push(blockEnd);
        from += 4;
        continue;
      }
      if (size < 5 || size > documentBytesMax) throw new AppError("import-damaged");
      if (waiting.length - from < size) break;
      documents.push(waiting.subarray(from, from + size));
      from += size;
    }
    if (documents.length > 0) yield documents;
    waiting = waiting.subarray(from);
    from = 0;
  }
  if (waiting.length > 0) throw new AppError("import-damaged");
}

/** JSON: ids as hexadecimal text, times as ISO text. */
function plainDocument(bytes: Buffer | typeof blockEnd): unknown {
  if (bytes === blockEnd) throw new AppError("import-damaged");
  try {
    return JSON.parse(JSON.stringify(deserialize(bytes, { promoteBuffers: true }))) as unknown;
  } catch (cause) {
    throw new AppError("import-damaged", { cause });
  }
}
