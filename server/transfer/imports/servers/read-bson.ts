import { deserialize } from "bson";
import { AppError } from "#server/lib/errors.ts";
import { rowBytesMax, type TableRows } from "./read-server.ts";

/** MongoDB's limit of a document, and its header. */
const documentBytesMax = Math.min(rowBytesMax, 16 * 1024 * 1024 + 16 * 1024);
const documentsPerBatch = 50;

/**
 * The documents of a collection, as `mongodump` writes them: one after the other, each beginning with its length. Ids and
 * times become texts. Throws `import-damaged`.
 */
export async function* readBson(table: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TableRows> {
  let waiting = Buffer.alloc(0);
  let rows: unknown[] = [];
  for await (const chunk of chunks) {
    waiting = waiting.length === 0 ? Buffer.from(chunk) : Buffer.concat([waiting, chunk]);
    let from = 0;
    while (waiting.length - from >= 4) {
      const size = waiting.readInt32LE(from);
      if (size < 5 || size > documentBytesMax) throw new AppError("import-damaged");
      if (waiting.length - from < size) break;
      rows.push(plainDocument(waiting.subarray(from, from + size)));
      from += size;
      if (rows.length < documentsPerBatch) continue;
      yield { table, rows };
      rows = [];
    }
    waiting = waiting.subarray(from);
  }
  if (waiting.length > 0) throw new AppError("import-damaged");
  yield { table, rows };
}

/** JSON: ids as hexadecimal text, times as ISO text. */
function plainDocument(bytes: Buffer): unknown {
  try {
    return JSON.parse(JSON.stringify(deserialize(bytes, { promoteBuffers: true }))) as unknown;
  } catch (cause) {
    throw new AppError("import-damaged", { cause });
  }
}
