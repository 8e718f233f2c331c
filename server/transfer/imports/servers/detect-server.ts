import { stat } from "node:fs/promises";
import { AppError } from "#server/lib/errors.ts";
import type { Logger } from "#server/lib/logger.ts";
import { libreChatDatabase } from "../librechat/librechat-database.ts";
import { openWebUiDatabase } from "../open-webui/webui-database.ts";
import { createExportFiles, noFiles } from "../other-services/files-of-export.ts";
import type { JsonFile } from "../importer.ts";
import { readSqlite } from "../sqlite/read-sqlite.ts";
import { receive, sqliteMagic, type Upload } from "../upload.ts";
import type { Zip, ZipEntry } from "../zip/zip.ts";
import { gunzip, isGzip } from "../gunzip.ts";
import { isMongoArchive, readBson, readMongoArchive } from "./read-bson.ts";
import { readServer, rowBytesMax, type TableRows } from "./read-server.ts";
import type { ServerExport } from "./server-export.ts";

/** What reading a database needs. */
export type DatabaseReader = {
  openSpool: JsonFile["openSpool"];
  /** The most that anything in the file may unpack to. */
  unpackedBytesMax: number;
  dataDir: string;
  logger: Pick<Logger, "warn">;
  signal: AbortSignal;
};

/** Whether a file is a SQLite database. */
export async function isSqlite(upload: Pick<Upload, "read">): Promise<boolean> {
  for await (const head of upload.read(0, sqliteMagic.length)) return sqliteMagic.equals(head);
  return false;
}

/** The people and chats of Open WebUI's database. Throws `import-unknown`, `import-damaged`. */
export async function readSqliteUpload(upload: Upload, reader: DatabaseReader): Promise<ServerExport> {
  if (upload.path === undefined) throw new AppError("import-unknown");
  const log = await stat(`${upload.path}-wal`).catch(() => undefined);
  if (log !== undefined && log.size > 0) throw new AppError("import-in-use");
  return await readServer(
    openWebUiDatabase,
    sqliteRows(upload.path, reader),
    await reader.openSpool(),
    noFiles,
  );
}

async function* sqliteRows(path: string, { logger, signal }: DatabaseReader): AsyncGenerator<TableRows> {
  const task = { path, tables: openWebUiDatabase.tables, rowBytesMax };
  for await (const batch of readSqlite(task, { logger, signal }))
    yield batch.kind === "rows" ? batch : { table: batch.table, tooLarge: batch.count };
}

/**
 * The people and chats of LibreChat's database in an archive of `mongodump --archive`, with `--gzip` or without it;
 * `undefined` for any other file. Throws `import-unknown` for another database, `import-damaged` and `import-unsafe`.
 */
export async function readArchiveUpload(
  upload: Upload,
  { openSpool, unpackedBytesMax }: DatabaseReader,
): Promise<ServerExport | undefined> {
  const size = { packedBytes: upload.sizeBytes, unpackedBytesMax };
  const isPacked = await beginsWith(isGzip, upload.read());
  const read = () => (isPacked ? gunzip(upload.read(), size) : upload.read());
  if (!(await beginsWith(isMongoArchive, read()))) return undefined;
  const rows = readMongoArchive(read(), libreChatDatabase);
  return await readServer(libreChatDatabase, rows, await openSpool(), noFiles);
}

/** Whether a file begins as `test` expects. */
export async function beginsWith(
  test: (head: Uint8Array) => boolean,
  chunks: AsyncIterable<Uint8Array>,
): Promise<boolean> {
  for await (const head of chunks) return test(head);
  return false;
}

/** A zip with a database: Open WebUI's data folder, or LibreChat's dump. `undefined` for any other zip. */
export async function readServerZip(
  zip: Zip,
  reader: DatabaseReader,
): Promise<{ server: ServerExport; unused: () => { names: string[]; count: number } } | undefined> {
  const { entries } = zip;
  const database = entries.find(({ name }) => /(?:^|\/)webui\.db$/.test(name));
  const collections = entries.filter(({ name }) => libreChatDatabase.tables.includes(collectionOf(name)));
  const isDump = libreChatDatabase.required.every((table) =>
    collections.some(({ name }) => collectionOf(name) === table),
  );
  if (database === undefined && !isDump) return undefined;
  const left = entries.find(({ name, sizeBytes }) => /(?:^|\/)webui\.db-wal$/.test(name) && sizeBytes > 0);
  if (left !== undefined) throw new AppError("import-in-use");
  const read = new Set<ZipEntry>(database === undefined ? collections : [database]);
  zip.admit([...read]);
  const others = entries.filter((entry) => !read.has(entry) && !isOfProgram(entry.name));
  const files = await createExportFiles(zip, others, new Map());
  const spool = await reader.openSpool();
  if (database === undefined)
    return {
      server: await readServer(libreChatDatabase, bsonRows(collections, reader), spool, files),
      unused: files.unused,
    };
  const unpacked = await receive(database.read(), {
    dataDir: reader.dataDir,
    bytesMax: Number.MAX_SAFE_INTEGER,
  });
  try {
    if (unpacked.path === undefined) throw new AppError("import-damaged");
    const server = await readServer(openWebUiDatabase, sqliteRows(unpacked.path, reader), spool, files);
    return { server, unused: files.unused };
  } finally {
    await unpacked.close();
  }
}

async function* bsonRows(
  collections: readonly ZipEntry[],
  { unpackedBytesMax }: DatabaseReader,
): AsyncGenerator<TableRows> {
  for (const entry of collections) {
    const size = { packedBytes: entry.sizeBytes, unpackedBytesMax };
    const isPacked = entry.name.endsWith(".gz");
    const chunks = isPacked ? gunzip(entry.read(), size) : entry.read();
    yield* readBson(collectionOf(entry.name), chunks);
  }
}

function collectionOf(name: string): string {
  return /(?:^|\/)([^/]+)\.bson(?:\.gz)?$/.exec(name)?.[1] ?? "";
}

/** What the program keeps beside people's files: caches, vectors, and descriptions of collections. */
function isOfProgram(name: string): boolean {
  return /(?:^|\/)(?:vector_db|cache)\/|\.metadata\.json(?:\.gz)?$|\.bson(?:\.gz)?$|\.db-(?:shm|wal)$/.test(
    name,
  );
}
