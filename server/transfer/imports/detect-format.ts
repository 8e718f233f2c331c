import { limits } from "#contract/limits.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Conversation, DetectedImport, Importer, JsonFile } from "./importer.ts";
import type { Candidate } from "./thread-source.ts";
import { importers, longLists } from "./importers.ts";
import {
  createExportFiles,
  noFiles,
  readOriginalNames,
  type ExportFiles,
} from "./other-services/files-of-export.ts";
import {
  isSqlite,
  readArchiveUpload,
  readServerZip,
  readSqliteUpload,
  type DatabaseReader,
} from "./servers/detect-server.ts";
import type { ServerExport } from "./servers/server-export.ts";
import { isParlanceThread, parlanceThread, readParlanceZip } from "./parlance-export.ts";
import { streamJson } from "./stream-json.ts";
import type { Upload } from "./upload.ts";
import { openZip, type ZipEntry, type ZipLimits } from "./zip/zip.ts";

const itemBytesMax = limits.importConversationBytes;

type Read = () => AsyncIterable<Uint8Array>;
type OpenSpool = JsonFile["openSpool"];

/**
 * Detects the format of an export by its bytes. Throws `import-unknown`, `import-too-new`, `import-damaged`,
 * `import-too-many-files` and `import-unsafe`.
 */
export async function detectFormat(
  upload: Upload,
  { most, ...given }: Omit<DatabaseReader, "unpackedBytesMax"> & { most: ZipLimits },
): Promise<DetectedImport> {
  const { openSpool } = given;
  const reader = { ...given, unpackedBytesMax: most.unpackedBytes };
  if (await isSqlite(upload)) return importOfServer(await readSqliteUpload(upload, reader), noFiles.unused);
  for await (const head of upload.read(0, Math.min(4, upload.sizeBytes))) {
    if (Buffer.from(head).toString("latin1").startsWith("PK"))
      return await recognizeZip(upload, most, reader);
    break;
  }
  const archive = await readArchiveUpload(upload, reader);
  if (archive !== undefined) return importOfServer(archive, noFiles.unused);
  return await recognizeJson(() => upload.read(), openSpool);
}

/** The import of a server is the import of its people. Until one is chosen, it has no threads. */
function importOfServer(server: ServerExport, unused: ExportFiles["unused"]): DetectedImport {
  return { kind: server.kind, count: null, threads: single([]), server, unused };
}

async function recognizeZip(
  upload: Upload,
  most: ZipLimits,
  reader: DatabaseReader,
): Promise<DetectedImport> {
  const { openSpool } = reader;
  const zip = await openZip(upload, most);
  const own = await readParlanceZip(zip);
  if (own !== undefined) return own;
  const found = await readServerZip(zip, reader);
  if (found !== undefined) return importOfServer(found.server, found.unused);
  const { entries } = zip;
  const { lists, importer } = await findLists(entries, zip.admit);
  if (importer === undefined) return emptyImport();
  const names = entries.find(({ name }) => importer.originalNames?.test(name));
  const isRead = new Set([...lists, names]);
  const files = await createExportFiles(
    zip,
    entries.filter((entry) => !isRead.has(entry)),
    await readOriginalNames(zip, names),
  );
  const reads = lists.map((each) => () => each.read());
  return {
    kind: importer.kind,
    count: null,
    threads: conversationsOf(reads, importer, files, openSpool),
    unused: files.unused,
  };
}

/** Services whose files can have any name. */
const isAnyJson = ({ files }: Importer): boolean => files.test("any.json");

/**
 * The files of a zip that have conversations, and the service that wrote them. Without an importer they are empty. Throws
 * `import-unknown`.
 */
async function findLists(
  entries: readonly ZipEntry[],
  admit: (entries: readonly ZipEntry[]) => void,
): Promise<{ lists: ZipEntry[]; importer: Importer | undefined }> {
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const named = importers.filter((importer) => !isAnyJson(importer));
  const lists = sorted.filter(({ name }) => named.some(({ files }) => files.test(name)));
  if (lists.length > 0) {
    admit(lists);
    return { lists, importer: await importerOfLists(lists) };
  }
  const others = sorted.filter(({ name }) => /\.json$/i.test(name));
  admit(others);
  const found: { entry: ZipEntry; importer: Importer }[] = [];
  for (const entry of others) {
    const importer = await importerOfFile(() => entry.read()).catch((error: unknown) => {
      // A file in the zip that is none of the export.
      if (error instanceof AppError) return undefined;
      throw error;
    });
    if (typeof importer === "object") found.push({ entry, importer });
  }
  const importer = found[0]?.importer;
  if (importer === undefined) throw new AppError("import-unknown");
  return { lists: found.flatMap((each) => (each.importer === importer ? [each.entry] : [])), importer };
}

/** Detects the service by the first conversation in the lists; `undefined`: they are empty. */
async function importerOfLists(lists: readonly ZipEntry[]): Promise<Importer | undefined> {
  let isEmpty = true;
  for (const list of lists) {
    const importer = await importerOfFile(() => list.read());
    if (typeof importer === "object") return importer;
    if (importer === "unknown") isEmpty = false;
  }
  if (isEmpty) return undefined;
  throw new AppError("import-unknown");
}

/** The service whose conversation is the first one of a file. `undefined`: the file is empty. */
async function importerOfFile(read: Read): Promise<Importer | "unknown" | undefined> {
  const members: Conversation = {};
  let isEmpty = true;
  for await (const item of streamJson(read(), { lists: longLists, itemBytesMax })) {
    isEmpty = false;
    if (!("element" in item)) {
      members[item.key] = item.value;
      continue;
    }
    const importer = importerOf(item.element, item.list);
    if (importer !== undefined) return importer;
  }
  if (isEmpty) return undefined;
  return importerOf(members, "") ?? "unknown";
}

/** The elements of a list, or of the list in an object. An object without the list is a conversation itself. */
async function* conversationsIn(read: Read): AsyncGenerator {
  const members: Conversation = {};
  let hasElements = false;
  for await (const item of streamJson(read(), { lists: ["conversations"], itemBytesMax })) {
    if ("element" in item) {
      hasElements = true;
      yield item.element;
    } else members[item.key] = item.value;
  }
  if (!hasElements && Object.keys(members).length > 0) yield members;
}

function emptyImport(): DetectedImport {
  return { kind: null, count: 0, threads: single([]), unused: noFiles.unused };
}

async function recognizeJson(read: Read, openSpool: OpenSpool): Promise<DetectedImport> {
  const members: Conversation = {};
  const { unused } = noFiles;
  let isEmpty = true;
  const importsAs = (importer: Importer): DetectedImport => ({
    kind: importer.kind,
    count: null,
    threads: conversationsOf([read], importer, noFiles, openSpool),
    unused,
  });
  try {
    for await (const item of streamJson(read(), { lists: longLists, itemBytesMax })) {
      isEmpty = false;
      if ("element" in item) {
        const importer = importerOf(item.element, item.list);
        // Our own exports name the format before the messages, but hand-written ones may not.
        if (importer !== undefined) return importsAs(importer);
        continue;
      }
      if (isParlanceThread(item.key, item.value))
        return {
          kind: "parlance",
          count: 1,
          threads: single([{ title: null, source: parlanceThread(read) }]),
          unused,
        };
      members[item.key] = item.value;
    }
  } catch (error) {
    if (error instanceof AppError && error.code === "bad-json")
      throw new AppError("import-unknown", { cause: error });
    throw error;
  }
  if (isEmpty) return emptyImport();
  const importer = importerOf(members, "");
  if (importer === undefined) throw new AppError("import-unknown");
  return importsAs(importer);
}

function importerOf(value: unknown, list: string): Importer | undefined {
  return importers.find((importer) => importer.recognizes(value, list));
}

async function* single(candidates: readonly Candidate[]): AsyncGenerator<Candidate> {
  for (const candidate of candidates) yield await Promise.resolve(candidate);
}

/** The conversations of lists, one in memory at a time. A truncated list ends with a refused candidate. */
async function* conversationsOf(
  lists: readonly Read[],
  { kind, gather }: Importer,
  files: ExportFiles,
  openSpool: OpenSpool,
): AsyncGenerator<Candidate> {
  for (const read of lists) {
    const items: JsonFile["items"] = (long) => streamJson(read(), { lists: long, itemBytesMax });
    try {
      for await (const element of gather?.({ items, openSpool }) ?? conversationsIn(read)) {
        const conversation = element as Conversation;
        const title = titleOf(conversation);
        const importer = importerOf(conversation, "");
        if (importer?.isBlank?.(conversation) === true) continue;
        if (importer !== undefined && importer.kind === kind)
          yield { title, source: importer.thread(conversation, files) };
        else yield { title, error: new AppError("import-unknown") };
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      yield { title: null, error };
    }
  }
}

function titleOf(conversation: Conversation): string | null {
  const title = conversation?.title ?? conversation?.name;
  return typeof title === "string" && title !== "" ? title : null;
}
